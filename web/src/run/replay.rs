//! A game move by move, with what the search said: what the replay board shows, served or in the report.

use std::collections::BTreeMap;

use records::{Dataset, GameRecord, PositionRecord, Shard, Wdl};
use rules::{Color, GameMove, Position, Rules};
use serde::Serialize;

use crate::games::{GameTask, WebGame};
use crate::view::{Over, Ply, Recorder};

/// Most arrows of a position.
const MAX_ARROWS: usize = 6;

/// A whole game.
#[derive(Serialize)]
pub(crate) struct Replay {
    pub id: String,
    pub generation: u32,
    pub game: &'static str,
    pub rules: String,
    pub sfen: String,
    pub black: String,
    pub white: String,
    pub over: Over,
    pub start_board: Vec<u8>,
    pub start_hands: Vec<u8>,
    pub start_turn: char,
    pub number: u32,
    pub plies: Vec<ReplayPly>,
}

/// A ply with the search before it.
#[derive(Serialize)]
pub(crate) struct ReplayPly {
    #[serde(flatten)]
    ply: Ply,
    /// Black's win and draw probability after the search, in thousandths.
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<[u16; 2]>,
    /// The same by the network alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    nq: Option<[u16; 2]>,
    /// The weightiest moves of the policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pol: Vec<Arrow>,
    /// Playouts.
    vis: u32,
    /// How the move was found.
    search: &'static str,
}

/// A move of the policy.
#[derive(Serialize)]
struct Arrow {
    m: String,
    f: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<usize>,
    t: usize,
    /// Weight in thousandths.
    w: u16,
}

/// Reads the games with these ids out of a pair of files.
pub(super) struct Read<'a> {
    pub dataset: &'a Dataset,
    pub shard: &'a Shard,
    pub ids: &'a [String],
}

impl GameTask for Read<'_> {
    type Output = Result<Vec<Replay>, String>;
    fn run<P: WebGame>(self) -> Self::Output {
        let mut games = BTreeMap::new();
        let mut failed = None;
        self.dataset
            .read(self.shard, |game, rows| {
                if self.ids.contains(&game.id) {
                    match replay::<P>(&game, &rows) {
                        Ok(replay) => {
                            games.insert(game.id, replay);
                        }
                        Err(why) => failed = Some(format!("game {}: {why}", game.id)),
                    }
                }
                Ok(())
            })
            .map_err(|e| e.to_string())?;
        match failed {
            Some(why) => Err(why),
            None => Ok(games.into_values().collect()),
        }
    }
}

fn replay<P: WebGame>(game: &GameRecord, rows: &[PositionRecord]) -> Result<Replay, String> {
    let rules = P::Rules::parse(&game.rules).map_err(|e| e.to_string())?;
    let mut position = P::from_sfen(&rules, &game.start_sfen).map_err(|e| e.to_string())?;
    let start = position.snapshot();
    let mut recorder = Recorder::new(&position);
    let mut plies = Vec::new();
    for (i, text) in game.moves.split_ascii_whitespace().enumerate() {
        let mv = position
            .parse_move(text)
            .map_err(|e| format!("move {}: {e}", i + 1))?;
        let ply = recorder.ply(&mut position, mv);
        let row = rows.get(i);
        let black = |wdl: Option<Wdl>| wdl.map(|w| black_view(w, position.turn()));
        plies.push(ReplayPly {
            ply,
            q: black(row.and_then(|r| r.root)),
            nq: black(row.and_then(|r| r.net)),
            pol: row.map_or(Vec::new(), arrows::<P>),
            vis: row.map_or(0, |r| r.visits),
            search: row.map_or("none", |r| r.search.name()),
        });
        position.play(mv);
    }
    Ok(Replay {
        id: game.id.clone(),
        generation: game.generation,
        game: P::GAME,
        rules: game.rules.clone(),
        sfen: game.start_sfen.clone(),
        black: game.black.clone(),
        white: game.white.clone(),
        over: rules::Outcome {
            winner: game.winner,
            reason: game.reason,
        }
        .into(),
        start_board: start.board,
        start_hands: start.hands,
        start_turn: start.turn.letter(),
        number: start.move_number,
        plies,
    })
}

fn thousandths(share: f32) -> u16 {
    (share.clamp(0.0, 1.0) * 1000.0).round() as u16
}

/// Black's win and draw probabilities, from those of the side to move.
fn black_view(stm: Wdl, turn: Color) -> [u16; 2] {
    let win = match turn {
        Color::Black => stm.win,
        Color::White => stm.loss,
    };
    [thousandths(win), thousandths(stm.draw)]
}

fn arrows<P: Position>(row: &PositionRecord) -> Vec<Arrow> {
    let Some(policy) = &row.policy else {
        return Vec::new();
    };
    let mut weighted: Vec<(f32, u32)> = policy
        .weights
        .iter()
        .copied()
        .zip(policy.moves.iter().copied())
        .collect();
    weighted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    weighted
        .into_iter()
        .take(MAX_ARROWS)
        .filter_map(|(weight, code)| {
            let mv = P::Move::from_code(code)?;
            Some(Arrow {
                m: mv.to_string(),
                f: P::move_from(mv),
                v: P::move_via(mv),
                t: P::move_to(mv),
                w: thousandths(weight),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_blacks_whoever_moves() {
        let wdl = Wdl {
            win: 0.6,
            draw: 0.1,
            loss: 0.3,
        };
        assert_eq!(black_view(wdl, Color::Black), [600, 100]);
        assert_eq!(black_view(wdl, Color::White), [300, 100]);
    }
}
