//! The games as the page needs them.

use encoding::{Encoded, GameName};
use engine::Material;
use rules::import::GameText;
use rules::show::Show;
use rules::{Color, Position, Rules};
use serde::Serialize;

use crate::error::{Refusal, bad};

/// Everything the page needs of a game; all of it is told by `rules`, `encoding` and `engine`.
pub(crate) trait WebGame: Encoded + Material + Show + GameText {}

impl<P: Encoded + Material + Show + GameText> WebGame for P {}

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
    presets: Vec<String>,
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
    name: String,
}

/// The catalogue of a game.
pub(crate) fn catalogue<P: WebGame>() -> Catalogue {
    let face = |face: rules::show::Face| Face {
        color: face.color.index(),
        letters: face.letters,
        kanji: face.kanji,
        size: face.size,
        promoted: face.promoted,
        name: face.name,
    };
    let codes = 0..=(2 * P::PIECE_STATES).min(255) as u8;
    let hands = [Color::Black, Color::White]
        .into_iter()
        .flat_map(|color| (0..P::HAND_KINDS).filter_map(move |kind| P::hand_face(kind, color)));
    Catalogue {
        game: P::GAME,
        files: P::FILES,
        ranks: P::RANKS,
        faces: codes.map(|code| P::face(code).map(face)).collect(),
        hands: hands.map(face).collect(),
        dots: P::dots(),
        start: P::start(&P::Rules::default()).sfen(),
        presets: P::Rules::presets(),
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
