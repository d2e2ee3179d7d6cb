//! A game as the page sees it: the board, every legal move with what it does, and what was played.
//!
//! All the page knows of the rules is in here. Fields have short names where a position has hundreds of them.

use rules::show::Show;
use rules::{Color, Position, Rules};
use serde::{Deserialize, Serialize};

use crate::error::{Refusal, bad};
use crate::games::{GameTask, WebGame, rules_of, with_game};

/// Longest game that is looked at, in plies.
pub(crate) const MAX_PLIES: usize = 5000;

/// A game as the page sends it: where it starts and what was played.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameRequest {
    /// `tenjiku` or `shogi`.
    pub game: String,
    /// A rules text; empty for the default preset.
    #[serde(default)]
    pub rules: String,
    /// The start; empty for the initial position.
    #[serde(default)]
    pub sfen: String,
    /// A handicap's name instead of `sfen`.
    #[serde(default)]
    pub handicap: String,
    /// The moves from there.
    #[serde(default)]
    pub moves: Vec<String>,
    /// How many of the moves the page knows already: they are left out of `played`.
    #[serde(default)]
    pub known: usize,
}

impl GameRequest {
    /// The position at the start.
    pub fn start<P: WebGame>(&self) -> Result<P, Refusal> {
        if self.moves.len() > MAX_PLIES {
            return Err(bad(format!(
                "{} moves; a game here has at most {MAX_PLIES}",
                self.moves.len()
            )));
        }
        let rules = rules_of::<P>(&self.rules)?;
        match (self.sfen.trim(), self.handicap.trim()) {
            ("", "") => Ok(P::start(&rules)),
            ("", name) => P::handicap(&rules, name).map_err(bad),
            (sfen, "") => P::from_sfen(&rules, sfen).map_err(|e| bad(e.to_string())),
            _ => Err(bad("give sfen or handicap, not both")),
        }
    }

    /// Plays the moves on `position`, telling each to `seen` before it is made.
    pub fn play<P: WebGame>(
        &self,
        position: &mut P,
        mut seen: impl FnMut(&P, P::Move, usize),
    ) -> Result<(), Refusal> {
        for (ply, text) in self.moves.iter().enumerate() {
            let mv = position
                .parse_move(text)
                .map_err(|e| bad(format!("move {}: {}", ply + 1, clip(&e.to_string()))))?;
            seen(position, mv, ply);
            position.play(mv);
        }
        Ok(())
    }
}

fn clip(text: &str) -> String {
    text.chars().take(300).collect()
}

/// Answer to `POST /api/position`.
#[derive(Serialize)]
pub(crate) struct View {
    game: &'static str,
    rules: String,
    sfen: String,
    /// Position string of the start.
    start: String,
    start_board: Vec<u8>,
    start_hands: Vec<u8>,
    start_turn: char,
    /// Whose turn it is: `b` or `w`.
    turn: char,
    number: u32,
    board: Vec<u8>,
    hands: Vec<u8>,
    check: bool,
    over: Option<Over>,
    /// What the side to move gets by declaring now, where the rules let it.
    declare: Option<Over>,
    moves: Vec<LegalMove>,
    /// Where the pieces of the other side could go if it were its turn: square, targets.
    reach: Vec<(usize, Vec<usize>)>,
    /// The plies from `known` on.
    played: Vec<Ply>,
    known: usize,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Over {
    /// `b`, `w` or `draw`.
    pub winner: String,
    /// Name of an end reason.
    pub reason: &'static str,
}

impl From<rules::Outcome> for Over {
    fn from(outcome: rules::Outcome) -> Over {
        Over {
            winner: outcome
                .winner
                .map_or("draw".into(), |c: Color| c.letter().to_string()),
            reason: outcome.reason.name(),
        }
    }
}

/// What a move does to the board: enough to draw it, and to take it back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Change {
    /// The move string.
    m: String,
    /// The start square, or `squares + kind` for a drop.
    f: usize,
    /// The square captured on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<usize>,
    /// The end square.
    t: usize,
    /// Squares that fire empties, the mover's included if it burns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    b: Vec<usize>,
    /// Squares whose code changes: square, code before, code after.
    s: Vec<(usize, u8, u8)>,
    /// Hand counts that change: place, count before, count after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    h: Vec<(usize, u8, u8)>,
}

/// A legal move.
#[derive(Serialize)]
struct LegalMove {
    #[serde(flatten)]
    change: Change,
    /// Whether the piece promotes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    p: bool,
    /// What kind of move it is, see [`kinds`].
    k: Vec<&'static str>,
}

/// A ply that was played.
#[derive(Clone, Serialize)]
pub(crate) struct Ply {
    #[serde(flatten)]
    change: Change,
    /// Human notation.
    n: String,
}

/// Plays legal moves one by one and says what each changes.
pub(crate) struct Recorder {
    board: Vec<u8>,
    hands: Vec<u8>,
}

impl Recorder {
    pub fn new<P: Position>(position: &P) -> Recorder {
        let snapshot = position.snapshot();
        Recorder {
            board: snapshot.board,
            hands: snapshot.hands,
        }
    }

    /// The change that the legal move `mv` of `position` makes; `position` is left as it was.
    fn change<P: Show>(&self, position: &mut P, mv: P::Move) -> Change {
        let burned = position.burned_by(mv);
        position.play(mv);
        let after = position.snapshot();
        position.undo();
        Change {
            m: mv.to_string(),
            f: P::move_from(mv),
            v: P::move_via(mv),
            t: P::move_to(mv),
            b: burned,
            s: differences(&self.board, &after.board),
            h: differences(&self.hands, &after.hands),
        }
    }

    /// The ply `mv` of `position` with its notation; afterwards the recorder stands behind it, `position` does not.
    pub fn ply<P: WebGame>(&mut self, position: &mut P, mv: P::Move) -> Ply {
        let n = position.write_move(mv);
        let change = self.change(position, mv);
        for &(at, _, after) in &change.s {
            self.board[at] = after;
        }
        for &(at, _, after) in &change.h {
            self.hands[at] = after;
        }
        Ply { change, n }
    }
}

fn differences(before: &[u8], after: &[u8]) -> Vec<(usize, u8, u8)> {
    let pairs = before.iter().zip(after).enumerate();
    pairs
        .filter(|(_, (a, b))| a != b)
        .map(|(at, (a, b))| (at, *a, *b))
        .collect()
}

/// The kinds of a move, for the page to mark: `drop`, `pass`, `igui` (captures without moving), `second` (captures on
/// the way), `step`, `ride`, `jump` (something stands on the line), `leap` (off the lines: leaps and area moves); then
/// `capture`, `burn`, `suicide`, `promote`, `win`.
fn kinds<P: WebGame>(
    position: &P,
    board: &[u8],
    mv: P::Move,
    change: &Change,
) -> Vec<&'static str> {
    let (from, to, via) = (change.f, change.t, change.v);
    let dies = change.b.contains(&to);
    let mut kinds = vec![match via {
        _ if from >= board.len() => "drop",
        Some(_) if from == to => "igui",
        Some(_) => "second",
        None if from == to => "pass",
        None => way::<P>(board, from, to),
    }];
    let lands_on_enemy = from != to && board[to] != 0;
    let flags = [
        (lands_on_enemy || via.is_some(), "capture"),
        (change.b.len() > usize::from(dies), "burn"),
        (dies, "suicide"),
        (P::move_promotes(mv), "promote"),
        (position.wins_at_once(mv), "win"),
    ];
    kinds.extend(flags.iter().filter(|(is, _)| *is).map(|(_, kind)| *kind));
    kinds
}

/// How a piece gets from one square to another.
fn way<P: Position>(board: &[u8], from: usize, to: usize) -> &'static str {
    let files = P::FILES as isize;
    let (from, to) = (from as isize, to as isize);
    let (rows, columns) = (to / files - from / files, to % files - from % files);
    if rows != 0 && columns != 0 && rows.abs() != columns.abs() {
        return "leap";
    }
    let step = rows.signum() * files + columns.signum();
    let length = rows.abs().max(columns.abs());
    match (1..length).all(|n| board[(from + n * step) as usize] == 0) {
        false => "jump",
        true if length == 1 => "step",
        true => "ride",
    }
}

struct Look(GameRequest);

impl GameTask for Look {
    type Output = Result<View, Refusal>;
    fn run<P: WebGame>(self) -> Result<View, Refusal> {
        let request = self.0;
        let mut position = request.start::<P>()?;
        let start = position.sfen();
        let first = position.snapshot();
        let mut recorder = None;
        let mut played = Vec::new();
        request.play(&mut position, |before: &P, mv, ply| {
            if ply >= request.known {
                let recorder = recorder.get_or_insert_with(|| Recorder::new(before));
                played.push(recorder.ply(&mut before.clone(), mv));
            }
        })?;

        let recorder = Recorder::new(&position);
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        let over = match position.early_outcome() {
            Some(outcome) => Some(outcome),
            None => legal.is_empty().then(|| position.no_moves_outcome()),
        };
        let mut scratch = position.clone();
        let moves = legal.iter().map(|&mv| {
            let change = recorder.change(&mut scratch, mv);
            LegalMove {
                k: kinds(&position, &recorder.board, mv, &change),
                p: P::move_promotes(mv),
                change,
            }
        });
        Ok(View {
            game: P::GAME,
            rules: position.rules().name(),
            sfen: position.sfen(),
            start,
            start_board: first.board,
            start_hands: first.hands,
            start_turn: first.turn.letter(),
            turn: position.turn().letter(),
            number: position.move_number(),
            check: over.is_none() && position.in_check(),
            over: over.map(Over::from),
            declare: position
                .declaration()
                .filter(|o| over.is_none() && o.winner == Some(position.turn()))
                .map(Over::from),
            moves: moves.collect(),
            reach: reach(&position),
            played,
            known: request.known,
            board: recorder.board,
            hands: recorder.hands,
        })
    }
}

/// Where each piece of the side that is not to move could go, were it its turn. Drops are left out.
fn reach<P: Position>(position: &P) -> Vec<(usize, Vec<usize>)> {
    let mut snapshot = position.snapshot();
    snapshot.turn = snapshot.turn.opponent();
    // Where the game does not allow the turned position (a king could be taken), nothing is shown.
    let Ok(turned) = P::from_snapshot(position.rules(), &snapshot) else {
        return Vec::new();
    };
    let mut legal = Vec::new();
    turned.legal_moves(&mut legal);
    let mut reach = std::collections::BTreeMap::<usize, Vec<usize>>::new();
    for mv in legal {
        let (from, to) = (P::move_from(mv), P::move_via(mv).unwrap_or(P::move_to(mv)));
        if from < P::FILES * P::RANKS {
            let targets = reach.entry(from).or_default();
            if !targets.contains(&to) {
                targets.push(to);
            }
        }
    }
    reach.into_iter().collect()
}

/// The page's view of a game.
///
/// # Errors
/// Says which field, square or move is wrong.
pub(crate) fn look(request: GameRequest) -> Result<View, Refusal> {
    let game = request.game.clone();
    with_game(&game, Look(request))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn ask(sfen: &str, moves: &[&str]) -> Value {
        let request = GameRequest {
            game: "tenjiku".into(),
            sfen: sfen.into(),
            moves: moves.iter().map(|m| m.to_string()).collect(),
            ..GameRequest::default()
        };
        serde_json::to_value(look(request).unwrap()).unwrap()
    }

    /// A square's number: files count from the right, ranks from the top.
    fn square(name: &str) -> usize {
        let (file, rank) = name.split_at(name.len() - 1);
        let rank = usize::from(rank.as_bytes()[0] - b'a');
        rank * 16 + 16 - file.parse::<usize>().unwrap()
    }

    fn find<'a>(view: &'a Value, mv: &str) -> &'a Value {
        let moves = view["moves"].as_array().unwrap();
        moves
            .iter()
            .find(|m| m["m"] == mv)
            .unwrap_or_else(|| panic!("{mv} is not there"))
    }

    fn has(mv: &Value, kind: &str) -> bool {
        mv["k"].as_array().unwrap().iter().any(|k| k == kind)
    }

    #[test]
    fn the_start_has_74_moves_and_156_pieces() {
        let view = ask("", &[]);
        assert_eq!(view["moves"].as_array().unwrap().len(), 74);
        let board = view["board"].as_array().unwrap();
        assert_eq!(board.iter().filter(|c| *c != 0).count(), 156);
        assert_eq!(view["turn"], "b");
        assert_eq!(view["over"], Value::Null);
        // White's pawn on 8e could go to 8f.
        let reach = view["reach"].as_array().unwrap();
        let pawn = reach.iter().find(|r| r[0] == square("8e")).unwrap();
        assert_eq!(pawn[1], serde_json::json!([square("8f")]));
    }

    #[test]
    fn a_lions_moves_are_told_apart() {
        // Black's lion on 8h, White's pawns on 8g and 7f.
        let sfen = "7k8/16/16/16/16/9p6/8p7/8[LN]7/16/16/16/16/16/16/16/8K7 b - 1";
        let view = ask(sfen, &[]);
        let double = find(&view, "8h8g7f");
        assert!(has(double, "second") && has(double, "capture"));
        assert_eq!(double["v"], square("8g"));
        assert_eq!(double["t"], square("7f"));
        assert_eq!(double["s"].as_array().unwrap().len(), 3);
        let igui = find(&view, "8h8g8h");
        assert!(has(igui, "igui") && has(igui, "capture"));
        // The lion stays: only the victim's square changes.
        assert_eq!(igui["s"].as_array().unwrap().len(), 1);
        assert_eq!(igui["s"][0][0], square("8g"));
        assert_eq!(find(&view, "8h8h")["k"], serde_json::json!(["pass"]));
        assert!(has(find(&view, "8h8f"), "jump"));
        assert!(has(find(&view, "8h7h"), "step"));
        assert!(has(find(&view, "8h6g"), "leap"));
    }

    #[test]
    fn fire_is_shown_with_what_it_empties() {
        // Black's demon rides from 16i to 9i, next to pawns on 8h and 8j; the pawn on 7h is out of reach.
        let sfen = "7k8/16/16/16/16/16/16/8pp6/[FD]15/8p7/16/16/16/16/16/8K7 b - 1";
        let view = ask(sfen, &[]);
        let burn = find(&view, "16i9i");
        assert!(has(burn, "burn") && has(burn, "ride") && !has(burn, "suicide"));
        assert_eq!(burn["b"], serde_json::json!([square("8h"), square("8j")]));
        assert_eq!(burn["s"].as_array().unwrap().len(), 4);
        // A step next to White's demon on 8h burns the mover.
        let sfen = "7k8/16/16/16/16/16/16/8[fd]7/16/8P7/16/16/16/16/16/8K7 b - 1";
        let step = ask(sfen, &["8j8i"]);
        assert_eq!(step["played"][0]["b"], serde_json::json!([square("8i")]));
        assert_eq!(step["played"][0]["n"], "P-8i*");
        assert_eq!(step["board"][square("8i")], 0);
        assert!(has(find(&ask(sfen, &[]), "8j8i"), "suicide"));
    }

    #[test]
    fn known_plies_are_left_out_and_promotions_are_two_moves() {
        let sfen = "7k8/16/16/16/16/8P7/16/16/16/16/16/16/16/16/16/8K7 b - 1";
        let view = ask(sfen, &[]);
        assert!(has(find(&view, "8f8e+"), "promote"));
        assert!(!has(find(&view, "8f8e"), "promote"));
        let request = GameRequest {
            game: "tenjiku".into(),
            sfen: sfen.into(),
            moves: vec!["8f8e+".into(), "9a9b".into()],
            known: 1,
            ..GameRequest::default()
        };
        let view = serde_json::to_value(look(request).unwrap()).unwrap();
        let played = view["played"].as_array().unwrap();
        assert_eq!(played.len(), 1);
        assert_eq!(played[0]["m"], "9a9b");
        assert_eq!(view["number"], 3);
    }

    #[test]
    fn shogi_drops_change_the_hand() {
        let request = GameRequest {
            game: "shogi".into(),
            sfen: "4k4/9/9/9/9/9/9/9/4K4 b G 1".into(),
            ..GameRequest::default()
        };
        let view = serde_json::to_value(look(request).unwrap()).unwrap();
        let drop = find(&view, "G*5b");
        assert!(has(drop, "drop"));
        assert_eq!(drop["h"].as_array().unwrap().len(), 1);
        // The gold is gone from the hand.
        assert_eq!((&drop["h"][0][1], &drop["h"][0][2]), (&1.into(), &0.into()));
        assert!(drop["f"].as_u64().unwrap() >= 81);
    }

    #[test]
    fn bad_games_are_refused_with_a_reason() {
        let refused = |request: GameRequest| look(request).map(|_| ()).unwrap_err();
        let game = |f: fn(&mut GameRequest)| {
            let mut request = GameRequest {
                game: "tenjiku".into(),
                ..GameRequest::default()
            };
            f(&mut request);
            refused(request)
        };
        for (refusal, part) in [
            (game(|r| r.game = "chess".into()), "tenjiku and shogi"),
            (game(|r| r.rules = "modern".into()), "modern"),
            (game(|r| r.sfen = "x".into()), "bad SFEN"),
            (game(|r| r.handicap = "9fd".into()), "handicap"),
            (
                game(|r| r.moves = vec!["9l9k".into(), "9l9k".into()]),
                "move 2",
            ),
            (
                game(|r| r.moves = vec!["9l9k".into(); MAX_PLIES + 1]),
                "at most",
            ),
        ] {
            assert_eq!(refusal.status, 400);
            assert!(refusal.reason.contains(part), "{}", refusal.reason);
        }
    }
}
