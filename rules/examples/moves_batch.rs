//! Standard shogi, JSON lines in, JSON lines out: legal moves and status of many positions.
//!
//! A line in is `{"sfen": "...", "moves": ["7g7f", ...]}`; both may be missing. The line out has the position
//! after the moves, its legal moves sorted, who has won, why, and whether the side to move is in check or may
//! declare, or it is `{"error": "..."}`. For comparing with other programs; see `tools/compare_shogi.py`.
//!
//! ```sh
//! echo '{"moves": ["7g7f"]}' | cargo run --release -p rules --example moves_batch
//! ```

use std::io::{self, BufRead, Write};

use rules::Position;
use rules::shogi::{RuleSet, Shogi};
use serde_json::{Value, json};

fn answer(line: &str) -> Result<Value, String> {
    let question: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let rules = RuleSet::default();
    let mut position = match question["sfen"].as_str() {
        None | Some("") => Shogi::start(&rules),
        Some(sfen) => Shogi::from_sfen(&rules, sfen).map_err(|error| error.to_string())?,
    };
    for mv in question["moves"].as_array().into_iter().flatten() {
        let text = mv.as_str().ok_or("a move that is no string")?;
        let mv = position
            .parse_move(text)
            .map_err(|error| error.to_string())?;
        position.play(mv);
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut legal: Vec<String> = moves.iter().map(ToString::to_string).collect();
    legal.sort();
    let outcome = position.outcome();
    let status = match outcome.map(|outcome| outcome.winner) {
        None => "*".to_string(),
        Some(None) => "draw".to_string(),
        Some(Some(winner)) => winner.letter().to_string(),
    };
    Ok(json!({
        "sfen": position.sfen(),
        "legal": legal,
        "status": status,
        "reason": outcome.map(|outcome| outcome.reason.name()),
        "check": position.in_check(),
        "declare": position.can_declare(),
    }))
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let answer = answer(&line?).unwrap_or_else(|error| json!({ "error": error }));
        writeln!(out, "{answer}")?;
    }
    out.flush()
}
