//! Whether a game may be written: by playing it again and comparing.

use rules::{EndReason, GameMove, Position, Rules};

use crate::error::RowError;
use crate::quantise::{QUANTUM, quantise};
use crate::record::{GameRecord, Policy, PositionRecord, Wdl};

/// Plays `game` again under its own rules and checks everything that follows from its moves; `rows` is either
/// empty (only the game is kept) or has one row a ply. Costs about one move generation a ply.
///
/// # Errors
/// The first contradiction, with game, ply and column.
pub fn check_game<P: Position>(game: &GameRecord, rows: &[PositionRecord]) -> Result<(), RowError> {
    let whole = |column, problem: String| RowError::new(&game.id, None, (column, problem));
    if game.id.is_empty() {
        return Err(whole("id", "is empty".into()));
    }
    let rules = P::Rules::parse(&game.rules).map_err(|e| whole("rules", e.to_string()))?;
    if rules.name() != game.rules {
        return Err(whole(
            "rules",
            format!(
                "is `{}`, the canonical name is `{}`",
                game.rules,
                rules.name()
            ),
        ));
    }
    let mut position =
        P::from_sfen(&rules, &game.start_sfen).map_err(|e| whole("start_sfen", e.to_string()))?;
    let plies = game.plies();
    if plies == 0 {
        return Err(whole(
            "moves",
            "is empty: a game without moves has no rows; count it, don't write it".into(),
        ));
    }
    if game.moves.split(' ').count() != plies as usize {
        return Err(whole(
            "moves",
            "must be separated by exactly one space".into(),
        ));
    }
    if !rows.is_empty() && rows.len() != plies as usize {
        return Err(whole(
            "positions",
            format!("{} rows for {plies} moves, must be one a ply", rows.len()),
        ));
    }
    if game.resign_side.is_some() != game.resign_ply.is_some()
        || game.resign_ply.is_some_and(|ply| ply > plies)
    {
        return Err(whole(
            "resign_ply",
            format!("{:?} with side {:?}", game.resign_ply, game.resign_side),
        ));
    }

    let mut legal = Vec::new();
    let mut codes = Vec::new();
    for (ply, text) in game.moves.split(' ').enumerate() {
        let fail = |problem: Problem| RowError::new(&game.id, Some(ply as u32), problem);
        if let Some(outcome) = position.early_outcome() {
            return Err(fail((
                "moves",
                format!("`{text}` is played after the end: {outcome:?}"),
            )));
        }
        position.legal_moves(&mut legal);
        let mv = match rows.get(ply) {
            Some(row) => {
                codes.clear();
                codes.extend(legal.iter().map(|mv| mv.code()));
                codes.sort_unstable();
                check_row(&position, row, &codes).map_err(fail)?;
                let mv = P::Move::from_code(row.played).filter(|mv| mv.to_string() == text);
                mv.ok_or_else(|| fail(("played", format!("code {} is not `{text}`", row.played))))?
            }
            None => {
                let mv = position
                    .parse_move(text)
                    .map_err(|e| fail(("moves", e.to_string())))?;
                if !legal.contains(&mv) {
                    return Err(fail(("moves", format!("`{text}` is not legal"))));
                }
                mv
            }
        };
        position.play(mv);
    }

    if position.sfen() != game.final_sfen {
        return Err(whole(
            "final_sfen",
            format!(
                "is `{}`, the moves lead to `{}`",
                game.final_sfen,
                position.sfen()
            ),
        ));
    }
    match position.outcome() {
        Some(outcome) if outcome.reason == game.reason && outcome.winner == game.winner => Ok(()),
        Some(outcome) => {
            let found = (game.winner, game.reason.name());
            Err(whole(
                "reason",
                format!(
                    "{found:?}, but by the rules ({:?}, {})",
                    outcome.winner,
                    outcome.reason.name()
                ),
            ))
        }
        None if decided_by_rules(game.reason) => Err(whole(
            "reason",
            format!("{}, but the game is not over", game.reason.name()),
        )),
        None => Ok(()),
    }
}

/// Whether the position alone shows that the game ended for this reason. A declaration is a player's act.
fn decided_by_rules(reason: EndReason) -> bool {
    match reason {
        EndReason::RoyalCaptured
        | EndReason::NoMoves
        | EndReason::Repetition
        | EndReason::PerpetualCheck => true,
        EndReason::Declaration
        | EndReason::Resignation
        | EndReason::PlyCap
        | EndReason::Adjudication
        | EndReason::IllegalMove
        | EndReason::Time
        | EndReason::EngineFailure => false,
    }
}

/// A column and what is wrong in it.
pub(crate) type Problem = (&'static str, String);

fn check_row<P: Position>(
    position: &P,
    row: &PositionRecord,
    legal: &[u32],
) -> Result<(), Problem> {
    let expected = position.snapshot();
    let found = &row.snapshot;
    if found.board != expected.board {
        let square = found
            .board
            .iter()
            .zip(&expected.board)
            .position(|(a, b)| a != b);
        return Err((
            "board",
            format!("differs from the replayed game, first at square {square:?}"),
        ));
    }
    let differs = |what: &str, found: &dyn std::fmt::Debug, expected: &dyn std::fmt::Debug| {
        format!("{what} is {found:?}, replayed {expected:?}")
    };
    if found.hands != expected.hands {
        return Err(("hands", differs("hands", &found.hands, &expected.hands)));
    }
    if found.turn != expected.turn {
        return Err(("turn", differs("turn", &found.turn, &expected.turn)));
    }
    if found.move_number != expected.move_number {
        return Err((
            "move_number",
            differs("it", &found.move_number, &expected.move_number),
        ));
    }
    if found.repetitions != expected.repetitions {
        return Err((
            "repetitions",
            differs("it", &found.repetitions, &expected.repetitions),
        ));
    }
    if row.in_check != position.in_check() {
        return Err((
            "in_check",
            differs("it", &row.in_check, &position.in_check()),
        ));
    }
    if row.legal_moves as usize != legal.len() {
        return Err(("legal_moves", differs("it", &row.legal_moves, &legal.len())));
    }
    if legal.binary_search(&row.played).is_err() {
        return Err(("played", format!("code {} is not legal", row.played)));
    }
    if let Some(policy) = &row.policy {
        for &(code, _) in &policy_units(policy)? {
            if legal.binary_search(&code).is_err() {
                return Err(("policy_moves", format!("code {code} is not legal")));
            }
        }
    }
    row.root
        .map(wdl_units)
        .transpose()
        .map_err(|e| ("root_win_stm", e))?;
    row.net
        .map(wdl_units)
        .transpose()
        .map_err(|e| ("net_win_stm", e))?;
    Ok(())
}

/// A policy as it is stored: (code, units) in ascending order of codes, none with 0 units.
pub(crate) fn policy_units(policy: &Policy) -> Result<Vec<(u32, u16)>, Problem> {
    let (moves, weights) = (policy.moves.len(), policy.weights.len());
    if moves != weights {
        return Err((
            "policy_weights",
            format!("{weights} weights for {moves} moves"),
        ));
    }
    let units = quantise(&policy.weights).map_err(|e| ("policy_weights", e))?;
    let mut pairs: Vec<(u32, u16)> = policy.moves.iter().copied().zip(units).collect();
    pairs.sort_unstable();
    if let Some(twice) = pairs.windows(2).find(|w| w[0].0 == w[1].0) {
        return Err(("policy_moves", format!("code {} stands twice", twice[0].0)));
    }
    pairs.retain(|&(_, units)| units > 0);
    Ok(pairs)
}

/// A value as it is stored: win and draw in units.
pub(crate) fn wdl_units(wdl: Wdl) -> Result<[u16; 2], String> {
    let units = quantise(&[wdl.win, wdl.draw, wdl.loss]).map_err(|e| format!("{wdl:?}: {e}"))?;
    Ok([units[0], units[1]])
}

/// A stored value; `None` where the units exceed 1.
pub(crate) fn wdl_of([win, draw]: [u16; 2]) -> Option<Wdl> {
    let loss = QUANTUM.checked_sub(win)?.checked_sub(draw)?;
    let share = crate::quantise::share;
    Some(Wdl {
        win: share(win),
        draw: share(draw),
        loss: share(loss),
    })
}
