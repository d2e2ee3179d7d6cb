//! How each piece code moves under a rule set, worked out once per rule set so that options cost nothing later.

use std::cell::RefCell;
use std::sync::Arc;

use super::attack::strikes_of;
use super::geometry::dir::*;
use super::kind::Kind::{self, *};
use super::options::{self, FireDemonRanging, GeneralJumpCapture, PromotionRule, RuleSet};
use super::piece::{CODES, Piece};
use crate::Color;

/// What a piece does besides riding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Special {
    /// Nothing.
    None,
    /// Jumps to fixed offsets.
    Leaps,
    /// Lion moves in all directions; the rides go on from the third square.
    Lion,
    /// Line lion moves in the directions of `special_dirs`.
    LineLion,
    /// Second-square jumps in all directions, and diagonal lion moves.
    DiagonalLion,
    /// Second-square jumps in the directions of `special_dirs`.
    SecondSquare,
    /// An area move of `steps`; the rides go on from the square after.
    Area,
    /// Rides that begin on the second square, and shots at the neighbours.
    Tetrarch,
    /// The rides may jump; with `steps > 0` also an area move.
    General,
}

/// How one piece code moves. Directions are absolute, White's are turned already.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))] // found by a shift, never on two cache lines: perft is 2 % faster
pub(crate) struct Movement {
    /// Furthest square of a ride in each direction; 15 is without limit, 0 none.
    pub limits: [u8; 8],
    /// The directions with a limit above 0, as bits.
    pub dirs: u8,
    /// The directions that `special` speaks of, as bits.
    pub special_dirs: u8,
    pub special: Special,
    /// Length of an area move.
    pub steps: u8,
    /// How many squares away its moves end at most: 1, 2, or 15 where they are more.
    pub reach: u8,
    /// Rank among the generals.
    pub rank: u8,
    /// A general captures pieces of a lower rank than this beyond those it jumps over.
    pub captures_below: u8,
    /// Whether a general that jumps may end on an empty square.
    pub jumps_to_empty: bool,
    /// Whether the piece may ever promote.
    pub promotes: bool,
    /// On how many of the last ranks it could never move again.
    pub dead_ranks: u8,
    /// Whether `second_chance_promotion` is for it (N and I).
    pub second_chance: bool,
    /// Row and column offsets of the leaps; `leap_count` of them.
    pub leaps: [(i8, i8); 4],
    pub leap_count: u8,
}

/// A rule set with what follows from it.
#[derive(Debug)]
pub(crate) struct Tables {
    pub rules: RuleSet,
    /// [`PromotionRule::AnyZoneMove`].
    pub promotes_on_any_zone_move: bool,
    /// By piece code; those of no piece do not move.
    pub movements: [Movement; CODES],
    /// [`Movement::rank`] by piece code, closer together: a general looks at those of all pieces on its lines.
    pub ranks: [u8; CODES],
    /// Where each piece may capture by more than a ride, by piece code: see [`strikes_of`].
    pub strikes: [u64; CODES],
}

thread_local! {
    /// The tables made last on this thread.
    static LATEST: RefCell<Option<Arc<Tables>>> = const { RefCell::new(None) };
}

impl Tables {
    /// The tables of `rules`. Positions of the same rules share them: making them costs more than all else in
    /// setting up a position, and training sets up one for each row it reads.
    pub fn of(rules: &RuleSet) -> Arc<Tables> {
        LATEST.with_borrow_mut(|latest| match latest {
            Some(tables) if tables.rules == *rules => Arc::clone(tables),
            _ => Arc::clone(latest.insert(Arc::new(Tables::new(rules)))),
        })
    }

    fn new(rules: &RuleSet) -> Tables {
        let movement = |code| Piece::from_code(code as u8).map_or(STILL, |piece| of(rules, piece));
        let movements = std::array::from_fn(movement);
        Tables {
            rules: *rules,
            promotes_on_any_zone_move: rules.promotion_rule == PromotionRule::AnyZoneMove,
            ranks: movements.map(|m| m.rank),
            strikes: movements.map(|m| strikes_of(&m)),
            movements,
        }
    }
}

const STILL: Movement = Movement {
    limits: [0; 8],
    dirs: 0,
    special_dirs: 0,
    special: Special::None,
    steps: 0,
    reach: 0,
    rank: 0,
    captures_below: 0,
    jumps_to_empty: false,
    promotes: false,
    dead_ranks: 0,
    second_chance: false,
    leaps: [(0, 0); 4],
    leap_count: 0,
};

/// The movement of a piece.
fn of(rules: &RuleSet, piece: Piece) -> Movement {
    let kind = piece.kind();
    let mut m = STILL;
    m.limits = rides(rules, kind);
    m.rank = kind.rank();
    m.captures_below = match rules.general_jump_capture {
        GeneralJumpCapture::AnyButRoyal => King.rank(),
        GeneralJumpCapture::LowerOnly => m.rank,
        GeneralJumpCapture::RoyalsToo => u8::MAX,
    };
    m.jumps_to_empty = rules.general_jump_without_capture;
    m.promotes = piece.can_promote();
    if m.promotes {
        m.dead_ranks = match piece.base {
            Pawn | Lance | IronGeneral => 1,
            Knight => 2,
            _ => 0,
        };
        m.second_chance = matches!(piece.base, Knight | IronGeneral);
    }
    let mut leap = |leaps: &[(i8, i8)]| {
        m.leaps[..leaps.len()].copy_from_slice(leaps);
        m.leap_count = leaps.len() as u8;
        Special::Leaps
    };
    let forward = 1 << N;
    m.special = match kind {
        Knight => leap(&[(-2, -1), (-2, 1)]),
        Kirin => leap(&[(-2, 0), (0, -2), (0, 2), (2, 0)]),
        Phoenix => leap(&[(-2, -2), (-2, 2), (2, -2), (2, 2)]),
        Lion => Special::Lion,
        LionHawk if rules.lion_hawk == options::LionHawk::FullLion => Special::Lion,
        LionHawk => {
            m.steps = 2;
            Special::Area
        }
        HornedFalcon => {
            m.special_dirs = forward;
            Special::LineLion
        }
        SoaringEagle => {
            m.special_dirs = 1 << NW | 1 << NE;
            Special::LineLion
        }
        FreeEagle if rules.free_eagle == options::FreeEagle::LionDiagonals => Special::DiagonalLion,
        FreeEagle => {
            m.special_dirs = ORTHOGONAL;
            Special::SecondSquare
        }
        FireDemon => {
            m.steps = 3;
            Special::Area
        }
        Tetrarch => Special::Tetrarch,
        ViceGeneral => {
            m.steps = rules.vice_general_steps.clamp(1, 3);
            Special::General
        }
        _ if kind.is_general() => Special::General,
        _ => Special::None,
    };
    if piece.color == Color::White {
        m.limits.reverse();
        m.special_dirs = m.special_dirs.reverse_bits();
        m.leaps = m.leaps.map(|(rows, columns)| (-rows, -columns));
    }
    for (d, &limit) in m.limits.iter().enumerate() {
        m.dirs |= u8::from(limit > 0) << d;
    }
    let furthest = m.limits.into_iter().max().unwrap_or(0);
    m.reach = match m.special {
        Special::None if furthest <= 1 => 1,
        Special::None | Special::Leaps if furthest <= 2 => 2,
        _ => 15,
    };
    m
}

/// The limits of the rides for Black, from the table of section 2: NW, N, NE, W, E, SW, S, SE.
#[rustfmt::skip]
fn rides(rules: &RuleSet, kind: Kind) -> [u8; 8] {
    /// Without limit.
    const R: u8 = 15;
    match kind {
        Pawn             => [0, 1, 0,  0, 0,  0, 0, 0],
        Dog              => [0, 1, 0,  0, 0,  1, 0, 1],
        IronGeneral      => [1, 1, 1,  0, 0,  0, 0, 0],
        CopperGeneral    => [1, 1, 1,  0, 0,  0, 1, 0],
        SilverGeneral    => [1, 1, 1,  0, 0,  1, 0, 1],
        GoldGeneral      => [1, 1, 1,  1, 1,  0, 1, 0],
        FerociousLeopard => [1, 1, 1,  0, 0,  1, 1, 1],
        Knight           => [0; 8],
        Lance            => [0, R, 0,  0, 0,  0, 0, 0],
        ReverseChariot   => [0, R, 0,  0, 0,  0, R, 0],
        ChariotSoldier   => [R, R, R,  2, 2,  R, R, R],
        BlindTiger       => [1, 0, 1,  1, 1,  1, 1, 1],
        Kirin            => [1, 0, 1,  0, 0,  1, 0, 1],
        Phoenix          => [0, 1, 0,  1, 1,  0, 1, 0],
        Queen            => [R; 8],
        Lion             => [0; 8],
        SideMover        => [0, 1, 0,  R, R,  0, 1, 0],
        VerticalMover    => [0, R, 0,  1, 1,  0, R, 0],
        SideSoldier      => [0, 2, 0,  R, R,  0, 1, 0],
        VerticalSoldier  => [0, R, 0,  2, 2,  0, 1, 0],
        Bishop           => [R, 0, R,  0, 0,  R, 0, R],
        Rook             => [0, R, 0,  R, R,  0, R, 0],
        DragonHorse      => [R, 1, R,  1, 1,  R, 1, R],
        DragonKing       => [1, R, 1,  R, R,  1, R, 1],
        HornedFalcon     => [R, 0, R,  R, R,  R, R, R],
        SoaringEagle     => [0, R, 0,  R, R,  R, R, R],
        BishopGeneral    => [R, 0, R,  0, 0,  R, 0, R],
        RookGeneral      => [0, R, 0,  R, R,  0, R, 0],
        ViceGeneral      => [R, 0, R,  0, 0,  R, 0, R],
        GreatGeneral     => [R; 8],
        FreeEagle        => [R; 8],
        LionHawk         => [R, 0, R,  0, 0,  R, 0, R],
        WaterBuffalo     => [R, 2, R,  R, R,  R, 2, R],
        FireDemon => match rules.fire_demon_ranging {
            FireDemonRanging::Rank => [R, 0, R,  R, R,  R, 0, R],
            FireDemonRanging::File => [R, R, R,  0, 0,  R, R, R],
        },
        DrunkElephant    => [1, 1, 1,  1, 1,  1, 0, 1],
        King | Prince    => [1; 8],
        FlyingOx         => [R, R, R,  0, 0,  R, R, R],
        FlyingStag       => [1, R, 1,  1, 1,  1, R, 1],
        FreeBoar         => [R, 0, R,  R, R,  R, 0, R],
        // The rides begin on the second square.
        Tetrarch => match rules.tetrarch {
            options::Tetrarch::Historical => [R, R, R,  3, 3,  R, R, R],
            options::Tetrarch::Western    => [R, 0, R,  3, 3,  R, 0, R],
        },
        MultiGeneral     => [0, R, 0,  0, 0,  R, 0, R],
        Whale            => [0, R, 0,  0, 0,  R, R, R],
        WhiteHorse       => [R, R, R,  0, 0,  0, R, 0],
    }
}
