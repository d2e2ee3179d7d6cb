//! Rows to Arrow columns and back. The order of columns is that of [`GAMES`] and [`POSITIONS`].

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, FixedSizeBinaryBuilder, ListBuilder, PrimitiveBuilder, StringBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, ListArray, PrimitiveArray, RecordBatch,
    StringArray,
};
use arrow_schema::{DataType, Field};
use rules::{Color, EndReason, Snapshot};

use crate::check::{Problem, policy_units, wdl_of, wdl_units};
use crate::quantise::{QUANTUM, share};
use crate::record::{GameRecord, Policy, PositionRecord, SearchKind, StmResult, Wdl};
use crate::schema::{GAMES, POSITIONS, Shape, arrow_schema};

/// A row of `games` with where its positions stand.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct GameRow {
    pub record: GameRecord,
    pub positions: u32,
    pub first_row: u32,
}

fn color(text: &str) -> Option<Color> {
    match text {
        "b" => Some(Color::Black),
        "w" => Some(Color::White),
        _ => None,
    }
}

fn letter(color: Color) -> &'static str {
    match color {
        Color::Black => "b",
        Color::White => "w",
    }
}

/// The batch of `games` rows.
pub(crate) fn games_batch(rows: &[GameRow]) -> RecordBatch {
    let text = |get: &dyn Fn(&GameRecord) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(
            rows.iter().map(|row| get(&row.record)),
        ))
    };
    let optional = |get: &dyn for<'a> Fn(&'a GameRecord) -> Option<&'a str>| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| get(&row.record))
                .collect::<StringArray>(),
        )
    };
    let u32s = |get: &dyn Fn(&GameRow) -> u32| -> ArrayRef {
        Arc::new(PrimitiveArray::<UInt32Type>::from_iter_values(
            rows.iter().map(get),
        ))
    };
    let u64s = |get: &dyn Fn(&GameRecord) -> u64| -> ArrayRef {
        Arc::new(PrimitiveArray::<UInt64Type>::from_iter_values(
            rows.iter().map(|row| get(&row.record)),
        ))
    };
    let columns: Vec<ArrayRef> = vec![
        text(&|g| &g.id),
        u32s(&|r| r.record.generation),
        u32s(&|r| r.record.index),
        text(&|g| &g.rules),
        text(&|g| &g.start_sfen),
        text(&|g| &g.moves),
        u32s(&|r| r.record.plies()),
        text(&|g| g.winner.map_or("draw", letter)),
        text(&|g| g.reason.name()),
        text(&|g| &g.final_sfen),
        u64s(&|g| g.seed),
        text(&|g| &g.black),
        text(&|g| &g.white),
        optional(&|g| g.network.as_deref()),
        Arc::new(BooleanArray::from_iter(
            rows.iter().map(|row| Some(row.record.play_on)),
        )),
        optional(&|g| g.resign_side.map(letter)),
        Arc::new(
            rows.iter()
                .map(|row| row.record.resign_ply)
                .collect::<PrimitiveArray<UInt32Type>>(),
        ),
        u64s(&|g| g.start_unix_ms),
        u64s(&|g| g.duration_ms),
        u32s(&|r| r.positions),
        u32s(&|r| r.first_row),
    ];
    let shape = Shape {
        game: String::new(),
        squares: 0,
        hands: 0,
        codes: 0,
    };
    RecordBatch::try_new(arrow_schema(&GAMES, &shape), columns).expect("columns follow the schema")
}

/// What is wrong with a row that was read: row in the batch, column, problem.
type BadRow = (usize, &'static str, String);

/// The `games` rows of a batch whose schema has been checked.
pub(crate) fn games_of(batch: &RecordBatch) -> Result<Vec<GameRow>, BadRow> {
    let text = |i: usize| batch.column(i).as_string::<i32>();
    let u32s = |i: usize| batch.column(i).as_primitive::<UInt32Type>();
    let u64s = |i: usize| batch.column(i).as_primitive::<UInt64Type>();
    (0..batch.num_rows())
        .map(|row| {
            let string = |i: usize| text(i).value(row).to_string();
            let winner = match text(7).value(row) {
                "draw" => None,
                other => Some(color(other).ok_or((
                    row,
                    "winner",
                    format!("`{other}` is not b, w or draw"),
                ))?),
            };
            let reason =
                end_reason(text(8).value(row)).map_err(|problem| (row, "reason", problem))?;
            let resign_side = match text(15).is_valid(row).then(|| text(15).value(row)) {
                None => None,
                Some(other) => Some(color(other).ok_or((
                    row,
                    "resign_side",
                    format!("`{other}` is not b or w"),
                ))?),
            };
            let record = GameRecord {
                id: string(0),
                generation: u32s(1).value(row),
                index: u32s(2).value(row),
                rules: string(3),
                start_sfen: string(4),
                moves: string(5),
                winner,
                reason,
                final_sfen: string(9),
                seed: u64s(10).value(row),
                black: string(11),
                white: string(12),
                network: text(13).is_valid(row).then(|| string(13)),
                play_on: batch.column(14).as_boolean().value(row),
                resign_side,
                resign_ply: u32s(16).is_valid(row).then(|| u32s(16).value(row)),
                start_unix_ms: u64s(17).value(row),
                duration_ms: u64s(18).value(row),
            };
            let (plies, said, positions) =
                (record.plies(), u32s(6).value(row), u32s(19).value(row));
            if plies == 0 || said != plies {
                return Err((row, "plies", format!("{said}, but `moves` has {plies}")));
            }
            if positions != 0 && positions != plies {
                return Err((
                    row,
                    "positions",
                    format!("{positions} rows for {plies} plies"),
                ));
            }
            Ok(GameRow {
                record,
                positions,
                first_row: u32s(20).value(row),
            })
        })
        .collect()
}

fn end_reason(text: &str) -> Result<EndReason, String> {
    EndReason::from_name(text).ok_or(format!("`{text}` is no end reason that this program knows"))
}

/// Collects `positions` rows into a batch.
pub(crate) struct PositionBuilder {
    shape: Shape,
    rows: usize,
    game_id: StringBuilder,
    ply: PrimitiveBuilder<UInt32Type>,
    rules: StringBuilder,
    board: FixedSizeBinaryBuilder,
    hands: FixedSizeBinaryBuilder,
    turn: StringBuilder,
    move_number: PrimitiveBuilder<UInt32Type>,
    repetitions: PrimitiveBuilder<UInt8Type>,
    in_check: BooleanBuilder,
    legal_moves: PrimitiveBuilder<UInt32Type>,
    search: StringBuilder,
    visits: PrimitiveBuilder<UInt32Type>,
    policy_moves: ListBuilder<PrimitiveBuilder<UInt32Type>>,
    policy_weights: ListBuilder<PrimitiveBuilder<UInt16Type>>,
    played: PrimitiveBuilder<UInt32Type>,
    root: [PrimitiveBuilder<UInt16Type>; 2],
    net: [PrimitiveBuilder<UInt16Type>; 2],
    result: StringBuilder,
    plies_left: PrimitiveBuilder<UInt32Type>,
    reason: StringBuilder,
}

fn list<T: ArrowPrimitiveType>() -> ListBuilder<PrimitiveBuilder<T>> {
    ListBuilder::new(PrimitiveBuilder::new()).with_field(Field::new("element", T::DATA_TYPE, false))
}

impl PositionBuilder {
    pub(crate) fn new(shape: &Shape) -> PositionBuilder {
        PositionBuilder {
            shape: shape.clone(),
            rows: 0,
            game_id: StringBuilder::new(),
            ply: PrimitiveBuilder::new(),
            rules: StringBuilder::new(),
            board: FixedSizeBinaryBuilder::new(shape.squares as i32),
            hands: FixedSizeBinaryBuilder::new(shape.hands.max(1) as i32),
            turn: StringBuilder::new(),
            move_number: PrimitiveBuilder::new(),
            repetitions: PrimitiveBuilder::new(),
            in_check: BooleanBuilder::new(),
            legal_moves: PrimitiveBuilder::new(),
            search: StringBuilder::new(),
            visits: PrimitiveBuilder::new(),
            policy_moves: list(),
            policy_weights: list(),
            played: PrimitiveBuilder::new(),
            root: [PrimitiveBuilder::new(), PrimitiveBuilder::new()],
            net: [PrimitiveBuilder::new(), PrimitiveBuilder::new()],
            result: StringBuilder::new(),
            plies_left: PrimitiveBuilder::new(),
            reason: StringBuilder::new(),
        }
    }

    /// Number of rows collected.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row; its game has `plies` plies. The row has passed [`crate::check_game`].
    pub(crate) fn push(
        &mut self,
        game: &GameRecord,
        ply: u32,
        plies: u32,
        row: &PositionRecord,
    ) -> Result<(), Problem> {
        let policy = row.policy.as_ref().map(policy_units).transpose()?;
        let root = row
            .root
            .map(wdl_units)
            .transpose()
            .map_err(|e| ("root_win_stm", e))?;
        let net = row
            .net
            .map(wdl_units)
            .transpose()
            .map_err(|e| ("net_win_stm", e))?;
        let snapshot = &row.snapshot;
        self.board
            .append_value(&snapshot.board)
            .map_err(|e| ("board", e.to_string()))?;
        match snapshot.hands.is_empty() {
            true => self.hands.append_null(),
            false => self
                .hands
                .append_value(&snapshot.hands)
                .map_err(|e| ("hands", e.to_string()))?,
        }
        self.rows += 1;
        self.game_id.append_value(&game.id);
        self.ply.append_value(ply);
        self.rules.append_value(&game.rules);
        self.turn.append_value(letter(snapshot.turn));
        self.move_number.append_value(snapshot.move_number);
        self.repetitions.append_value(snapshot.repetitions);
        self.in_check.append_value(row.in_check);
        self.legal_moves.append_value(row.legal_moves);
        self.search.append_value(row.search.name());
        self.visits.append_value(row.visits);
        for &(code, units) in policy.iter().flatten() {
            self.policy_moves.values().append_value(code);
            self.policy_weights.values().append_value(units);
        }
        self.policy_moves.append(policy.is_some());
        self.policy_weights.append(policy.is_some());
        self.played.append_value(row.played);
        for (builders, units) in [(&mut self.root, root), (&mut self.net, net)] {
            builders[0].append_option(units.map(|u| u[0]));
            builders[1].append_option(units.map(|u| u[1]));
        }
        self.result
            .append_value(StmResult::of(game.winner, snapshot.turn).name());
        self.plies_left.append_value(plies - ply);
        self.reason.append_value(game.reason.name());
        Ok(())
    }

    /// The rows collected so far; the builder is empty afterwards.
    pub(crate) fn finish(&mut self) -> RecordBatch {
        self.rows = 0;
        let [root_win, root_draw] = &mut self.root;
        let [net_win, net_draw] = &mut self.net;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.game_id.finish()),
            Arc::new(self.ply.finish()),
            Arc::new(self.rules.finish()),
            Arc::new(self.board.finish()),
            Arc::new(self.hands.finish()),
            Arc::new(self.turn.finish()),
            Arc::new(self.move_number.finish()),
            Arc::new(self.repetitions.finish()),
            Arc::new(self.in_check.finish()),
            Arc::new(self.legal_moves.finish()),
            Arc::new(self.search.finish()),
            Arc::new(self.visits.finish()),
            Arc::new(self.policy_moves.finish()),
            Arc::new(self.policy_weights.finish()),
            Arc::new(self.played.finish()),
            Arc::new(root_win.finish()),
            Arc::new(root_draw.finish()),
            Arc::new(net_win.finish()),
            Arc::new(net_draw.finish()),
            Arc::new(self.result.finish()),
            Arc::new(self.plies_left.finish()),
            Arc::new(self.reason.finish()),
        ];
        RecordBatch::try_new(arrow_schema(&POSITIONS, &self.shape), columns)
            .expect("columns follow the schema")
    }
}

/// A view of a batch of `positions` rows whose schema has been checked.
pub(crate) struct PositionTable<'a> {
    batch: &'a RecordBatch,
    shape: &'a Shape,
}

impl<'a> PositionTable<'a> {
    pub(crate) fn new(batch: &'a RecordBatch, shape: &'a Shape) -> PositionTable<'a> {
        debug_assert!(matches!(
            batch.column(3).data_type(),
            DataType::FixedSizeBinary(_)
        ));
        PositionTable { batch, shape }
    }

    fn text(&self, i: usize) -> &'a StringArray {
        self.batch.column(i).as_string()
    }

    fn numbers<T: ArrowPrimitiveType>(&self, i: usize) -> &'a PrimitiveArray<T> {
        self.batch.column(i).as_primitive()
    }

    fn bytes(&self, i: usize) -> &'a FixedSizeBinaryArray {
        self.batch.column(i).as_fixed_size_binary()
    }

    /// Row `i`, which must be ply `ply` of `game`.
    pub(crate) fn row(
        &self,
        i: usize,
        game: &GameRecord,
        plies: u32,
        ply: u32,
    ) -> Result<PositionRecord, Problem> {
        let same = |column: &'static str, found: &str, expected: &str| match found == expected {
            true => Ok(()),
            false => Err((column, format!("`{found}`, expected `{expected}`"))),
        };
        let number = |column: &'static str, found: u32, expected: u32| match found == expected {
            true => Ok(()),
            false => Err((column, format!("{found}, expected {expected}"))),
        };
        let u32_at = |column: usize| self.numbers::<UInt32Type>(column).value(i);
        same("game_id", self.text(0).value(i), &game.id)?;
        number("ply", u32_at(1), ply)?;
        same("rules", self.text(2).value(i), &game.rules)?;
        let turn = self.text(5).value(i);
        let turn = color(turn).ok_or_else(|| ("turn", format!("`{turn}` is not b or w")))?;
        same(
            "result_stm",
            self.text(19).value(i),
            StmResult::of(game.winner, turn).name(),
        )?;
        number("plies_left", u32_at(20), plies - ply)?;
        same("reason", self.text(21).value(i), game.reason.name())?;

        let board = self.bytes(3).value(i).to_vec();
        if let Some(square) = board
            .iter()
            .position(|&code| usize::from(code) >= self.shape.codes)
        {
            return Err((
                "board",
                format!(
                    "code {} on square {square}, must be below {}",
                    board[square], self.shape.codes
                ),
            ));
        }
        let hands = match (self.bytes(4).is_valid(i), self.shape.hands) {
            (true, 1..) => self.bytes(4).value(i).to_vec(),
            (false, 0) => Vec::new(),
            (valid, _) => {
                return Err((
                    "hands",
                    format!("{}, against the game", if valid { "set" } else { "null" }),
                ));
            }
        };
        let search = self.text(10).value(i);
        let legal_moves = u32_at(9);
        let policy = self.policy(i)?;
        if policy.as_ref().map_or(1, |p| p.moves.len()) > legal_moves as usize {
            return Err((
                "policy_moves",
                format!("more moves than the {legal_moves} legal ones"),
            ));
        }
        Ok(PositionRecord {
            snapshot: Snapshot {
                board,
                hands,
                turn,
                move_number: u32_at(6),
                repetitions: self.numbers::<UInt8Type>(7).value(i),
            },
            in_check: self.boolean(8).value(i),
            legal_moves,
            search: SearchKind::from_name(search).ok_or_else(|| {
                (
                    "search",
                    format!("`{search}` is no search kind that this program knows"),
                )
            })?,
            visits: u32_at(11),
            policy,
            played: u32_at(14),
            root: self.wdl(15, i).map_err(|e| ("root_win_stm", e))?,
            net: self.wdl(17, i).map_err(|e| ("net_win_stm", e))?,
        })
    }

    fn boolean(&self, i: usize) -> &'a BooleanArray {
        self.batch.column(i).as_boolean()
    }

    fn policy(&self, i: usize) -> Result<Option<Policy>, Problem> {
        let lists: [&ListArray; 2] = [
            self.batch.column(12).as_list(),
            self.batch.column(13).as_list(),
        ];
        match lists.map(|list| list.is_valid(i)) {
            [false, false] => return Ok(None),
            [true, true] => {}
            _ => {
                return Err((
                    "policy_weights",
                    "only one of moves and weights is null".into(),
                ));
            }
        }
        let [moves, weights] = lists.map(|list| list.value(i));
        let moves = moves.as_primitive::<UInt32Type>().values().to_vec();
        let units = weights.as_primitive::<UInt16Type>().values();
        if moves.len() != units.len() {
            return Err((
                "policy_weights",
                format!("{} weights for {} moves", units.len(), moves.len()),
            ));
        }
        if let Some(w) = moves.windows(2).find(|w| w[0] >= w[1]) {
            return Err((
                "policy_moves",
                format!("code {} after {}, must ascend", w[1], w[0]),
            ));
        }
        let sum: u64 = units.iter().map(|&u| u64::from(u)).sum();
        if sum != u64::from(QUANTUM) {
            return Err(("policy_weights", format!("sum {sum}, must be {QUANTUM}")));
        }
        Ok(Some(Policy {
            moves,
            weights: units.iter().map(|&u| share(u)).collect(),
        }))
    }

    fn wdl(&self, column: usize, i: usize) -> Result<Option<Wdl>, String> {
        let [win, draw] = [column, column + 1].map(|c| self.numbers::<UInt16Type>(c));
        match [win.is_valid(i), draw.is_valid(i)] {
            [false, false] => Ok(None),
            [true, true] => {
                let units = [win.value(i), draw.value(i)];
                wdl_of(units)
                    .map(Some)
                    .ok_or(format!("{units:?} exceed {QUANTUM} together"))
            }
            _ => Err("only one of win and draw is null".into()),
        }
    }
}
