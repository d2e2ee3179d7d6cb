//! The columns of both data sets: one list that makes the Arrow schema, the metadata of its fields, and the
//! tables of `docs/records.md`.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use rules::Position;

/// Version of the schema; files of another version are refused.
pub const SCHEMA_VERSION: u32 = 1;

/// What of a game's geometry the files depend on.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// `tenjiku` or `shogi`.
    pub game: String,
    /// Number of squares: the width of `board`.
    pub squares: usize,
    /// Number of hand counts (both sides): the width of `hands`; 0 in games without drops.
    pub hands: usize,
    /// Number of board codes: 0 for empty, then the states of both sides.
    pub codes: usize,
}

impl Shape {
    /// The shape of game `P`.
    pub fn of<P: Position>() -> Shape {
        Shape {
            game: P::GAME.to_string(),
            squares: P::FILES * P::RANKS,
            hands: 2 * P::HAND_KINDS,
            codes: 1 + 2 * P::PIECE_STATES,
        }
    }
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// UTF-8 text.
    Text,
    /// `true` or `false`.
    Bool,
    /// 8 bits without sign.
    U8,
    /// 16 bits without sign.
    U16,
    /// 32 bits without sign.
    U32,
    /// 64 bits without sign.
    U64,
    /// [`Shape::squares`] bytes.
    Board,
    /// [`Shape::hands`] bytes (one unused byte where there are no hands: always null).
    Hands,
    /// A list of 16-bit numbers without sign.
    ListU16,
    /// A list of 32-bit numbers without sign.
    ListU32,
}

/// A column and its contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Name in the file.
    pub name: &'static str,
    /// Type in the file.
    pub kind: ColumnType,
    /// Unit, or what the values count.
    pub unit: &'static str,
    /// Range of the values.
    pub range: &'static str,
    /// When it is null; empty for never.
    pub null: &'static str,
    /// What it says.
    pub doc: &'static str,
    /// Who reads it.
    pub reader: &'static str,
}

const fn col(
    name: &'static str,
    kind: ColumnType,
    unit: &'static str,
    range: &'static str,
    null: &'static str,
    doc: &'static str,
    reader: &'static str,
) -> Column {
    Column {
        name,
        kind,
        unit,
        range,
        null,
        doc,
        reader,
    }
}

/// The columns of `games`, in order.
#[rustfmt::skip]
pub const GAMES: [Column; 21] = [
    col("id", ColumnType::Text, "-", "unique in the run", "", "name of the game, `<generation>-<index>` in self-play", "all"),
    col("generation", ColumnType::U32, "generation", "0 without a network", "", "generation of the network that played", "selfplay, reports"),
    col("index", ColumnType::U32, "game", "from 0, unique in the generation", "", "number of the game in its generation", "selfplay (resume)"),
    col("rules", ColumnType::Text, "-", "a rules text", "", "canonical name of the rules in force", "replay, encoding"),
    col("start_sfen", ColumnType::Text, "-", "a position string", "", "the first position", "replay"),
    col("moves", ColumnType::Text, "move strings", "at least one", "", "all moves, separated by one space", "replay"),
    col("plies", ColumnType::U32, "plies", "1 and up", "", "number of moves", "reports"),
    col("winner", ColumnType::Text, "-", "`b`, `w`, `draw`", "", "who won; `draw` also where nobody did, see `reason`", "reports, ratings"),
    col("reason", ColumnType::Text, "-", "names of `rules::EndReason`", "", "why the game ended", "trainer, reports"),
    col("final_sfen", ColumnType::Text, "-", "a position string", "", "the last position", "checks, web page"),
    col("seed", ColumnType::U64, "-", "all", "", "seed of every random choice of this game", "replay"),
    col("black", ColumnType::Text, "-", "a player spec", "", "who played Black", "ratings, reports"),
    col("white", ColumnType::Text, "-", "a player spec", "", "who played White", "ratings, reports"),
    col("network", ColumnType::Text, "-", "sha256 in hexadecimal", "no network played", "hash of the network that played", "reports"),
    col("play_on", ColumnType::Bool, "-", "true, false", "", "whether resignation was off in this game, to measure false positives", "reports"),
    col("resign_side", ColumnType::Text, "-", "`b`, `w`", "nobody met the resignation rule", "the side that first met the resignation rule", "reports"),
    col("resign_ply", ColumnType::U32, "plies", "0 .. plies", "nobody met the resignation rule", "the ply at which it did", "reports"),
    col("start_unix_ms", ColumnType::U64, "ms since 1970 UTC", "0 and up", "", "when the game began", "reports"),
    col("duration_ms", ColumnType::U64, "ms", "0 and up", "", "wall-clock time it took", "reports"),
    col("positions", ColumnType::U32, "rows", "0 or plies", "", "rows of this game in the `positions` file of the same name", "reader (check)"),
    col("first_row", ColumnType::U32, "rows", "from 0", "", "row of its first ply in that file", "reader, web page"),
];

/// The columns of `positions`, in order.
#[rustfmt::skip]
pub const POSITIONS: [Column; 22] = [
    col("game_id", ColumnType::Text, "-", "`games.id`", "", "the game; its rows are contiguous and in order", "all"),
    col("ply", ColumnType::U32, "plies", "0 .. plies - 1", "", "moves played before this position", "all"),
    col("rules", ColumnType::Text, "-", "a rules text", "", "canonical name of the rules in force", "encoding"),
    col("board", ColumnType::Board, "piece codes", "0 empty, else 1 + state + states * colour", "", "one byte a square, row by row from the top left as Black sees it; not turned for White", "trainer"),
    col("hands", ColumnType::Hands, "pieces", "0 .. 255", "the game has no drops", "pieces in hand: Black's counts by kind, then White's", "trainer"),
    col("turn", ColumnType::Text, "-", "`b`, `w`", "", "the side to move", "all"),
    col("move_number", ColumnType::U32, "plies", "1 and up", "", "move number of the position string", "encoding"),
    col("repetitions", ColumnType::U8, "times", "0 .. 255", "", "how often the position occurred before in the game", "encoding"),
    col("in_check", ColumnType::Bool, "-", "true, false", "", "whether the side to move is in check", "reports"),
    col("legal_moves", ColumnType::U32, "moves", "1 and up", "", "number of legal moves", "reports"),
    col("search", ColumnType::Text, "-", "`none`, `fast`, `full`, `engine`", "", "how the move was found", "trainer"),
    col("visits", ColumnType::U32, "playouts (engines: nodes)", "0 without search", "", "budget spent on the move", "reports"),
    col("policy_moves", ColumnType::ListU32, "move codes", "legal moves, ascending", "no policy target (all but full searches)", "the moves that have weight", "trainer"),
    col("policy_weights", ColumnType::ListU16, "1/65535", "1 .. 65535, sum exactly 65535", "no policy target (all but full searches)", "their weights; moves that rounded to 0 are left out", "trainer"),
    col("played", ColumnType::U32, "move code", "a legal move", "", "the move played", "trainer, reports"),
    col("root_win_stm", ColumnType::U16, "1/65535", "0 .. 65535", "not searched with values", "probability, after the search, that the side to move wins", "trainer"),
    col("root_draw_stm", ColumnType::U16, "1/65535", "0 .. 65535 - root_win_stm", "as root_win_stm", "the same for a draw; the rest is a loss", "trainer"),
    col("net_win_stm", ColumnType::U16, "1/65535", "0 .. 65535", "no network looked", "probability, by the network alone, that the side to move wins", "reports"),
    col("net_draw_stm", ColumnType::U16, "1/65535", "0 .. 65535 - net_win_stm", "as net_win_stm", "the same for a draw; the rest is a loss", "reports"),
    col("result_stm", ColumnType::Text, "-", "`win`, `draw`, `loss`", "", "the game's result for the side to move; `draw` also where nobody won, see `reason`", "trainer"),
    col("plies_left", ColumnType::U32, "plies", "1 and up", "", "moves from this position to the end of the game", "trainer"),
    col("reason", ColumnType::Text, "-", "names of `rules::EndReason`", "", "why the game ended", "trainer"),
];

impl Column {
    fn field(&self, shape: &Shape) -> Field {
        let list = |item| DataType::List(Arc::new(Field::new("element", item, false)));
        let kind = match self.kind {
            ColumnType::Text => DataType::Utf8,
            ColumnType::Bool => DataType::Boolean,
            ColumnType::U8 => DataType::UInt8,
            ColumnType::U16 => DataType::UInt16,
            ColumnType::U32 => DataType::UInt32,
            ColumnType::U64 => DataType::UInt64,
            ColumnType::Board => DataType::FixedSizeBinary(shape.squares as i32),
            ColumnType::Hands => DataType::FixedSizeBinary(shape.hands.max(1) as i32),
            ColumnType::ListU16 => list(DataType::UInt16),
            ColumnType::ListU32 => list(DataType::UInt32),
        };
        let about = [
            ("doc", self.doc),
            ("unit", self.unit),
            ("range", self.range),
            ("null", self.null),
            ("read_by", self.reader),
        ];
        let about = about
            .into_iter()
            .filter(|(_, text)| !text.is_empty() && *text != "-");
        Field::new(self.name, kind, !self.null.is_empty()).with_metadata(
            about
                .map(|(key, text)| (key.to_string(), text.to_string()))
                .collect::<HashMap<_, _>>(),
        )
    }

    /// The type as `docs/records.md` names it.
    fn type_name(&self) -> &'static str {
        match self.kind {
            ColumnType::Text => "text",
            ColumnType::Bool => "bool",
            ColumnType::U8 => "u8",
            ColumnType::U16 => "u16",
            ColumnType::U32 => "u32",
            ColumnType::U64 => "u64",
            ColumnType::Board => "bytes[squares]",
            ColumnType::Hands => "bytes[2 * kinds]",
            ColumnType::ListU16 => "list of u16",
            ColumnType::ListU32 => "list of u32",
        }
    }
}

/// The Arrow schema of `columns` for a game.
pub(crate) fn arrow_schema(columns: &[Column], shape: &Shape) -> Arc<Schema> {
    Arc::new(Schema::new(
        columns.iter().map(|c| c.field(shape)).collect::<Vec<_>>(),
    ))
}

/// The columns of a data set by its name.
pub(crate) fn columns_of(dataset: &str) -> Option<&'static [Column]> {
    match dataset {
        "games" => Some(&GAMES),
        "positions" => Some(&POSITIONS),
        _ => None,
    }
}

/// A Markdown table of `columns`, as it stands in `docs/records.md`.
pub fn markdown(columns: &[Column]) -> String {
    let mut text = String::from(
        "| column | type | unit | range | null | meaning | read by |\n|---|---|---|---|---|---|---|\n",
    );
    for c in columns {
        let null = if c.null.is_empty() { "never" } else { c.null };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            c.name,
            c.type_name(),
            c.unit,
            c.range,
            null,
            c.doc,
            c.reader
        );
    }
    text
}
