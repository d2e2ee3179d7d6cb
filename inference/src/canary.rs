//! Canaries: positions with the answers of the original network, kept inside the exported file.
//!
//! They come from whoever knows the truth (libtorch, in `tenjiku export`), so a run-time that agrees with them is
//! proven to compute the same network on the same encoding under the same rules.

use crate::policy::{logit, softmax, softmax3};
use crate::{Backend, RawOutput};
use encoding::{Encoded, InputSpec, NO_VIA, PolicySlot};
use mcts::{EvalError, Evaluations, LeafEvaluator};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

/// How many canaries a file carries.
pub const CANARIES: usize = 32;

/// Plies of the longest random game behind a canary.
const LONGEST: usize = 160;

/// One position with the answers of the original network.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// The position.
    pub sfen: String,
    /// The rules under which the moves are legal, [`rules::Rules::name`].
    pub rules: String,
    /// Its encoded squares, `[S]`.
    pub squares: Vec<u8>,
    /// Its encoded globals, `[G]`.
    pub globals: Vec<f32>,
    /// Every legal move.
    pub moves: Vec<CanaryMove>,
    /// Probabilities of (win, draw, loss) for the side to move.
    pub wdl: [f32; 3],
    /// Expected plies to the end.
    pub moves_left: f32,
}

/// A legal move of a canary. In JSON: `[move, probability, query, to, via, marks]` with -1 for no via.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(from = "Row", into = "Row")]
pub struct CanaryMove {
    /// The move string.
    pub text: String,
    /// Its probability in the policy.
    pub probability: f32,
    /// Where its logit comes from.
    pub slot: PolicySlot,
}

/// [`CanaryMove`] in JSON. Older files have no marks.
#[derive(serde::Serialize, serde::Deserialize)]
struct Row(String, f32, u16, u16, i32, #[serde(default)] u32);

impl From<Row> for CanaryMove {
    fn from(Row(text, probability, query, to, via, marks): Row) -> Self {
        let via = u16::try_from(via).unwrap_or(NO_VIA);
        CanaryMove {
            text,
            probability,
            slot: PolicySlot {
                query,
                to,
                via,
                marks,
            },
        }
    }
}

impl From<CanaryMove> for Row {
    fn from(
        CanaryMove {
            text,
            probability,
            slot,
        }: CanaryMove,
    ) -> Self {
        let via = if slot.via == NO_VIA {
            -1
        } else {
            i32::from(slot.via)
        };
        Row(text, probability, slot.query, slot.to, via, slot.marks)
    }
}

/// The largest differences that a check of canaries found.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Report {
    /// Number of positions compared.
    pub positions: usize,
    /// Largest difference of a move's probability.
    pub policy: f32,
    /// Largest difference of a win, draw or loss probability.
    pub wdl: f32,
    /// Largest difference of the plies to the end, relative to 100 plies or to the expected value if that is more.
    pub moves_left: f32,
    /// Mean over the positions of the Kullback-Leibler divergence of the policy from the original's, in nats.
    pub policy_kl: f32,
    /// Mean difference of the expected score, win + draw / 2.
    pub score_error: f32,
}

impl Report {
    /// The larger of each figure, for runs over the same positions.
    pub(crate) fn worst(self, other: Report) -> Report {
        Report {
            positions: self.positions.max(other.positions),
            policy: self.policy.max(other.policy),
            wdl: self.wdl.max(other.wdl),
            moves_left: self.moves_left.max(other.moves_left),
            policy_kl: self.policy_kl.max(other.policy_kl),
            score_error: self.score_error.max(other.score_error),
        }
    }
}

/// Plays random moves from the start and asks `evaluator` about `n` of the positions met: the start itself, then
/// positions ever deeper in the game. Depends only on the arguments.
///
/// # Errors
/// As the evaluator.
pub fn make_canaries<P: Encoded>(
    rules: &P::Rules,
    evaluator: &mut dyn LeafEvaluator<P>,
    n: usize,
    seed: u64,
) -> Result<Vec<Canary>, EvalError> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut out = Evaluations::default();
    let mut canaries = Vec::with_capacity(n);
    for i in 0..n {
        let (position, moves) = random_position::<P>(rules, i * LONGEST / n.max(1), &mut rng);
        evaluator.push(&position, &moves);
        evaluator.flush(&mut out)?;
        canaries.push(canary(&position, &moves, &out));
    }
    Ok(canaries)
}

/// A position about `plies` random moves after the start (fewer if the game ends before), with its legal moves. It
/// is set up anew from its string: what a history would change must not be part of a canary.
fn random_position<P: Encoded>(
    rules: &P::Rules,
    plies: usize,
    rng: &mut impl Rng,
) -> (P, Vec<P::Move>) {
    let mut moves = Vec::new();
    let mut position = P::start(rules);
    for _ in 0..plies {
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position.play(moves[rng.random_range(0..moves.len())]);
    }
    loop {
        // What our own rules wrote, they read back; should they not, the start is as good a canary.
        let fresh = P::from_sfen(rules, &position.sfen()).unwrap_or_else(|_| P::start(rules));
        fresh.legal_moves(&mut moves);
        if !moves.is_empty() || position.plies() == 0 {
            return (fresh, moves);
        }
        position.undo();
    }
}

/// The first position of `out` as a canary.
fn canary<P: Encoded>(position: &P, moves: &[P::Move], out: &Evaluations) -> Canary {
    let mut probabilities = out.logits(0).to_vec();
    softmax(&mut probabilities);
    let (squares, globals, slots) = encoded(position, moves);
    Canary {
        sfen: position.sfen(),
        rules: rules::Rules::name(position.rules()),
        squares,
        globals,
        moves: moves
            .iter()
            .zip(probabilities)
            .zip(slots)
            .map(|((mv, probability), slot)| CanaryMove {
                text: mv.to_string(),
                probability,
                slot,
            })
            .collect(),
        wdl: out.wdl[0],
        moves_left: out.moves_left[0],
    }
}

/// Squares, globals, and the slots of the legal moves.
fn encoded<P: Encoded>(position: &P, moves: &[P::Move]) -> (Vec<u8>, Vec<f32>, Vec<PolicySlot>) {
    let (rules, snapshot) = (position.rules(), position.snapshot());
    let (mut squares, mut globals) = (vec![0; P::CELLS], vec![0.0; P::GLOBALS]);
    encoding::encode::<P>(rules, &snapshot, &mut squares, &mut globals);
    let mut slots = Vec::with_capacity(moves.len());
    encoding::slots::<P>(rules, &snapshot, &squares, moves, &mut slots);
    (squares, globals, slots)
}

/// Checks that this program's rules and encoding say of each canary what its writer's said.
///
/// # Errors
/// Names the canary and the first difference: rules or position unreadable, another encoding, other legal moves.
pub fn check_positions<P: Encoded>(canaries: &[Canary]) -> Result<(), String> {
    let mut moves = Vec::new();
    for (i, canary) in canaries.iter().enumerate() {
        let at = |what: String| format!("canary {} ({}): {what}", i + 1, canary.sfen);
        let rules =
            <P::Rules as rules::Rules>::parse(&canary.rules).map_err(|e| at(e.to_string()))?;
        let position = P::from_sfen(&rules, &canary.sfen).map_err(|e| at(e.to_string()))?;
        position.legal_moves(&mut moves);
        let (squares, globals, slots) = encoded(&position, &moves);
        if let Some(s) = (0..squares.len()).find(|&s| canary.squares.get(s) != Some(&squares[s])) {
            return Err(at(format!(
                "square {s} is encoded as {}, the file says {:?}: another encoding",
                squares[s],
                canary.squares.get(s)
            )));
        }
        if let Some(g) = (0..globals.len()).find(|&g| canary.globals.get(g) != Some(&globals[g])) {
            return Err(at(format!(
                "global {g} is encoded as {}, the file says {:?}: another encoding",
                globals[g],
                canary.globals.get(g)
            )));
        }
        let texts = moves.iter().map(P::Move::to_string);
        let ours: BTreeMap<String, PolicySlot> = texts.zip(slots).collect();
        let theirs: BTreeMap<&str, PolicySlot> = canary
            .moves
            .iter()
            .map(|m| (m.text.as_str(), m.slot))
            .collect();
        if let Some(text) = ours.keys().find(|text| !theirs.contains_key(text.as_str())) {
            return Err(at(format!(
                "move {text} is legal here, but not in the file: other rules"
            )));
        }
        if let Some((text, slot)) = theirs
            .iter()
            .find(|(text, slot)| ours.get(**text) != Some(slot))
        {
            return Err(at(match ours.get(*text) {
                None => format!("move {text} is legal in the file, but not here: other rules"),
                Some(ours) => format!(
                    "move {text} has the slot {ours:?}, the file says {slot:?}: another encoding"
                ),
            }));
        }
    }
    Ok(())
}

/// Checks that the parts of the canaries fit the network's dimensions, so that using them cannot fail.
pub(crate) fn check_shapes(canaries: &[Canary], spec: &InputSpec) -> Result<(), String> {
    for (i, canary) in canaries.iter().enumerate() {
        let fits = canary.squares.len() == spec.cells()
            && canary.globals.len() == spec.globals
            && canary
                .squares
                .iter()
                .all(|&code| (code as usize) < spec.codes)
            && !canary.moves.is_empty()
            && canary.moves.iter().all(|m| {
                let on_board = |s: u16| (s as usize) < spec.squares();
                (m.slot.query as usize) < spec.queries()
                    && on_board(m.slot.to)
                    && (m.slot.via == NO_VIA || on_board(m.slot.via))
                    && u64::from(m.slot.marks) < 1 << spec.marks
            });
        if !fits {
            return Err(format!(
                "canary {} ({}) does not fit the network's input",
                i + 1,
                canary.sfen
            ));
        }
    }
    Ok(())
}

/// Runs the network on the canaries, `batch` at a time, and compares. For `tolerance` see
/// [`Precision::tolerance`](crate::Precision::tolerance).
///
/// # Errors
/// The back-end fails, or an answer differs by more than `tolerance`: names the canary and what differs.
pub fn check_answers(
    canaries: &[Canary],
    tolerance: f32,
    backend: &mut dyn Backend,
    batch: usize,
) -> Result<Report, String> {
    let (spec, dim) = (backend.spec().clone(), backend.policy_dim());
    check_shapes(canaries, &spec)?;
    let mut report = Report {
        positions: canaries.len(),
        ..Report::default()
    };
    let grow = |max, value, expected, scale| grow(max, value, expected, scale, tolerance);
    let (mut kl, mut score_error) = (0.0, 0.0);
    let mut raw = RawOutput::default();
    for (b, group) in canaries.chunks(batch.max(1)).enumerate() {
        let squares: Vec<u8> = group
            .iter()
            .flat_map(|c| c.squares.iter().copied())
            .collect();
        let globals: Vec<f32> = group
            .iter()
            .flat_map(|c| c.globals.iter().copied())
            .collect();
        backend
            .forward(group.len(), &squares, &globals, &mut raw)
            .map_err(|e| e.to_string())?;
        for (i, canary) in group.iter().enumerate() {
            let vectors = raw.vectors(i, &spec, dim);
            let mut answer: Vec<f32> = canary
                .moves
                .iter()
                .map(|m| logit(&vectors, m.slot))
                .collect();
            softmax(&mut answer);
            let wdl = softmax3(&[
                raw.wdl_logits[3 * i],
                raw.wdl_logits[3 * i + 1],
                raw.wdl_logits[3 * i + 2],
            ]);
            let at = |what: String| {
                format!(
                    "canary {} ({}): {what}",
                    b * batch.max(1) + i + 1,
                    canary.sfen
                )
            };
            for (m, &probability) in canary.moves.iter().zip(&answer) {
                report.policy =
                    grow(report.policy, probability, m.probability, 1.0).ok_or_else(|| {
                        at(differs(
                            &format!("policy of {}", m.text),
                            probability,
                            m.probability,
                        ))
                    })?;
                kl += divergence(m.probability, probability);
            }
            for (k, name) in ["win", "draw", "loss"].iter().enumerate() {
                report.wdl = grow(report.wdl, wdl[k], canary.wdl[k], 1.0)
                    .ok_or_else(|| at(differs(name, wdl[k], canary.wdl[k])))?;
            }
            let (left, expected) = (raw.moves_left[i], canary.moves_left);
            report.moves_left = grow(report.moves_left, left, expected, expected.max(100.0))
                .ok_or_else(|| at(differs("moves left", left, expected)))?;
            let score = |wdl: [f32; 3]| f64::from(wdl[0] + 0.5 * wdl[1]);
            score_error += (score(wdl) - score(canary.wdl)).abs();
        }
    }
    let mean = |sum: f64| (sum / canaries.len().max(1) as f64) as f32;
    (report.policy_kl, report.score_error) = (mean(kl.max(0.0)), mean(score_error));
    Ok(report)
}

/// The larger of `max` and the difference in units of `scale`; `None` if that is out of tolerance or not a number.
fn grow(max: f32, value: f32, expected: f32, scale: f32, tolerance: f32) -> Option<f32> {
    let difference = (value - expected).abs() / scale;
    (difference <= tolerance).then(|| max.max(difference))
}

/// One move's part of the Kullback-Leibler divergence of `q` from `p`, in nats.
fn divergence(p: f32, q: f32) -> f64 {
    let (p, q) = (f64::from(p), f64::from(q));
    if p > 0.0 {
        p * (p / q.max(f64::MIN_POSITIVE)).ln()
    } else {
        0.0
    }
}

fn differs(what: &str, value: f32, expected: f32) -> String {
    format!(
        "{what} is {value}, the original network says {expected}: the weights or the run-time are wrong"
    )
}
