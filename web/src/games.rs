//! The games as the page needs them.

use encoding::{Encoded, GameName};
use engine::Material;
use rules::import::GameText;
use rules::shogi::Shogi;
use rules::show::Show;
use rules::tenjiku::{self, Tenjiku};
use rules::{Color, Position, Rules};
use serde::Serialize;

use crate::error::{Refusal, bad};
use crate::players::Pools;

/// Everything the page needs of a game.
pub(crate) trait WebGame: Encoded + Material + Show + GameText {
    /// The name of the piece with this board code, for people: `fire demon (kaki)`.
    fn piece_name(code: u8) -> String;
    /// The names of the rules presets, the default first.
    fn presets() -> Vec<&'static str>;
    /// Suggested handicaps: name and meaning.
    fn handicaps() -> Vec<(&'static str, &'static str)>;
    /// The idle players of this game.
    fn pool(pools: &Pools) -> &crate::players::Pool<Self>;
}

impl WebGame for Tenjiku {
    fn piece_name(code: u8) -> String {
        tenjiku::Piece::from_code(code).map_or(String::new(), |piece| {
            let kind = piece.kind();
            let promoted = match piece.promoted {
                true => format!(", promoted {}", piece.base.english()),
                false => String::new(),
            };
            format!("{} ({}{promoted})", kind.english(), kind.romaji())
        })
    }

    fn presets() -> Vec<&'static str> {
        tenjiku::RuleSet::PRESETS
            .iter()
            .map(|(name, _)| *name)
            .collect()
    }

    fn handicaps() -> Vec<(&'static str, &'static str)> {
        tenjiku::handicap::HANDICAPS.to_vec()
    }

    fn pool(pools: &Pools) -> &crate::players::Pool<Self> {
        &pools.tenjiku
    }
}

impl WebGame for Shogi {
    fn piece_name(code: u8) -> String {
        const NAMES: [(&str, &str); 8] = [
            ("pawn", "tokin, promoted pawn"),
            ("lance", "promoted lance"),
            ("knight", "promoted knight"),
            ("silver general", "promoted silver"),
            ("gold general", ""),
            ("bishop", "dragon horse, promoted bishop"),
            ("rook", "dragon king, promoted rook"),
            ("king", ""),
        ];
        let Some(face) = Self::face(code) else {
            return String::new();
        };
        let state = (usize::from(code) - 1) % Self::PIECE_STATES;
        let (plain, promoted) = NAMES[state % NAMES.len()];
        match face.promoted {
            true => promoted.to_string(),
            false => plain.to_string(),
        }
    }

    fn presets() -> Vec<&'static str> {
        vec!["standard"]
    }

    fn handicaps() -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    fn pool(pools: &Pools) -> &crate::players::Pool<Self> {
        &pools.shogi
    }
}

/// Work that is generic over the game.
pub(crate) trait GameTask {
    /// What it gives.
    type Output;
    /// Does it for the game `P`.
    fn run<P: WebGame>(self) -> Self::Output;
}

/// Runs a task for the game with this name.
pub(crate) fn with_game<T: GameTask>(name: &str, task: T) -> Result<T::Output, Refusal> {
    match name.parse() {
        Ok(game) => Ok(encoding::with_game!(game, P => task.run::<P>())),
        Err::<GameName, _>(unknown) => Err(bad(unknown.to_string())),
    }
}

/// How a game looks: what the board component needs besides a position.
#[derive(Serialize)]
pub(crate) struct Catalogue {
    game: &'static str,
    files: usize,
    ranks: usize,
    /// By board code; code 0 is `null`.
    faces: Vec<Option<Face>>,
    /// Black's kinds in hand, then White's.
    hands: Vec<Face>,
    /// Squares at whose lower right corner there is a dot.
    dots: &'static [usize],
    start: String,
    presets: Vec<&'static str>,
    handicaps: Vec<(&'static str, &'static str)>,
}

#[derive(Serialize)]
struct Face {
    /// 0 Black, 1 White.
    color: usize,
    letters: String,
    kanji: &'static str,
    size: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    promoted: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
}

/// The catalogue of a game.
pub(crate) fn catalogue<P: WebGame>() -> Catalogue {
    let face = |face: rules::show::Face, name: String| Face {
        color: face.color.index(),
        letters: face.letters,
        kanji: face.kanji,
        size: face.size,
        promoted: face.promoted,
        name,
    };
    let codes = 0..=(2 * P::PIECE_STATES).min(255) as u8;
    let hands = [Color::Black, Color::White]
        .into_iter()
        .flat_map(|color| (0..P::HAND_KINDS).filter_map(move |kind| P::hand_face(kind, color)));
    Catalogue {
        game: P::GAME,
        files: P::FILES,
        ranks: P::RANKS,
        faces: codes
            .map(|code| P::face(code).map(|f| face(f, P::piece_name(code))))
            .collect(),
        hands: hands.map(|f| face(f, String::new())).collect(),
        dots: P::dots(),
        start: P::start(&P::Rules::default()).sfen(),
        presets: P::presets(),
        handicaps: P::handicaps(),
    }
}

/// The rules with this name; empty is the default preset.
pub(crate) fn rules_of<P: Position>(name: &str) -> Result<P::Rules, Refusal> {
    match name {
        "" => Ok(P::Rules::default()),
        name => P::Rules::parse(name).map_err(|e| bad(e.to_string())),
    }
}
