//! Rows in few bytes: what the replay window and the journal keep.
//!
//! A game is a sequence of blocks of up to [`BLOCK`] plies that can be decoded on their own:
//!
//! ```text
//! block:  board and hands of its first ply, then the plies
//! ply:    [changed places: count, then (place, value) ...]      not for the first of the block
//!         flags, move number, repetitions, legal moves, visits, played
//!         [root win, draw] [net win, draw]                      u16 little-endian
//!         [policy: bytes that follow, then (code step, units) ...]
//! ```
//! Numbers are LEB128, 7 bits a byte, unless a width is given. A change needs a new version of the journal.

use rules::{Color, Snapshot};

use crate::check::{Problem, policy_units, wdl_of, wdl_units};
use crate::quantise::share;
use crate::record::{Policy, PositionRecord, SearchKind, Wdl};
use crate::schema::Shape;

/// Plies a block: a trade of memory (one whole board a block) against time (half a block is skipped on average).
pub(crate) const BLOCK: usize = 16;

const WHITE: u8 = 1;
const IN_CHECK: u8 = 2;
const POLICY: u8 = 4;
const ROOT: u8 = 8;
const NET: u8 = 16;
const SEARCH_SHIFT: u8 = 5;

/// Appends the blocks of a game to `out`, and the offset of each to `blocks`.
pub(crate) fn pack(
    rows: &[PositionRecord],
    out: &mut Vec<u8>,
    blocks: &mut Vec<usize>,
) -> Result<(), Problem> {
    let mut body = Vec::new();
    for block in rows.chunks(BLOCK) {
        blocks.push(out.len());
        let mut places: Vec<u8> = places(&block[0].snapshot).collect();
        out.extend_from_slice(&places);
        for (i, row) in block.iter().enumerate() {
            if i > 0 {
                pack_changes(&mut places, &row.snapshot, out);
            }
            pack_row(row, out, &mut body)?;
        }
    }
    Ok(())
}

fn places(snapshot: &Snapshot) -> impl Iterator<Item = u8> + '_ {
    snapshot.board.iter().chain(&snapshot.hands).copied()
}

fn pack_changes(places_before: &mut [u8], snapshot: &Snapshot, out: &mut Vec<u8>) {
    let changed = |before: &[u8]| {
        before
            .iter()
            .zip(places(snapshot))
            .filter(|(a, b)| **a != *b)
            .count()
    };
    put(out, changed(places_before) as u32);
    for (place, (before, now)) in places_before.iter_mut().zip(places(snapshot)).enumerate() {
        if *before != now {
            put(out, place as u32);
            out.push(now);
            *before = now;
        }
    }
}

fn pack_row(row: &PositionRecord, out: &mut Vec<u8>, body: &mut Vec<u8>) -> Result<(), Problem> {
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    out.push(
        flag(row.snapshot.turn == Color::White, WHITE)
            | flag(row.in_check, IN_CHECK)
            | flag(row.policy.is_some(), POLICY)
            | flag(row.root.is_some(), ROOT)
            | flag(row.net.is_some(), NET)
            | (row.search as u8) << SEARCH_SHIFT,
    );
    put(out, row.snapshot.move_number);
    out.push(row.snapshot.repetitions);
    put(out, row.legal_moves);
    put(out, row.visits);
    put(out, row.played);
    for (column, wdl) in [("root_win_stm", row.root), ("net_win_stm", row.net)] {
        if let Some(wdl) = wdl {
            for units in wdl_units(wdl).map_err(|e| (column, e))? {
                out.extend_from_slice(&units.to_le_bytes());
            }
        }
    }
    if let Some(policy) = &row.policy {
        body.clear();
        let mut last = 0;
        for (code, units) in policy_units(policy)? {
            put(body, code - last);
            put(body, u32::from(units));
            last = code;
        }
        put(out, body.len() as u32);
        out.extend_from_slice(body);
    }
    Ok(())
}

/// All rows of a packed game of `plies` plies, or none if nothing was packed. `None` if the bytes are none of ours.
pub(crate) fn unpack(mut bytes: &[u8], plies: usize, shape: &Shape) -> Option<Vec<PositionRecord>> {
    let mut rows = Vec::new();
    if bytes.is_empty() {
        return Some(rows);
    }
    while rows.len() < plies {
        let mut block = Unpacker::new(bytes, shape)?;
        for _ in 0..BLOCK.min(plies - rows.len()) {
            rows.push(block.row()?);
        }
        bytes = block.bytes;
    }
    bytes.is_empty().then_some(rows)
}

/// The rows of a block, one after the other.
pub(crate) struct Unpacker<'a> {
    bytes: &'a [u8],
    places: Vec<u8>,
    squares: usize,
    first: bool,
}

impl<'a> Unpacker<'a> {
    /// Begins a block; bytes after its end are not looked at.
    pub(crate) fn new(block: &'a [u8], shape: &Shape) -> Option<Unpacker<'a>> {
        let (places, bytes) = block.split_at_checked(shape.squares + shape.hands)?;
        Some(Unpacker {
            bytes,
            places: places.to_vec(),
            squares: shape.squares,
            first: true,
        })
    }

    /// Skips a row.
    pub(crate) fn skip(&mut self) -> Option<()> {
        self.step(false).map(|_| ())
    }

    /// Decodes a row. `None` if the bytes are none of ours.
    pub(crate) fn row(&mut self) -> Option<PositionRecord> {
        self.step(true)?
    }

    fn step(&mut self, wanted: bool) -> Option<Option<PositionRecord>> {
        if !std::mem::take(&mut self.first) {
            for _ in 0..self.number()? {
                let place = self.number()? as usize;
                *self.places.get_mut(place)? = self.byte()?;
            }
        }
        let flags = self.byte()?;
        let move_number = self.number()?;
        let repetitions = self.byte()?;
        let (legal_moves, visits, played) = (self.number()?, self.number()?, self.number()?);
        let root = if flags & ROOT != 0 {
            Some(self.wdl()?)
        } else {
            None
        };
        let net = if flags & NET != 0 {
            Some(self.wdl()?)
        } else {
            None
        };
        let policy = if flags & POLICY != 0 {
            let length = self.number()? as usize;
            let (body, rest) = self.bytes.split_at_checked(length)?;
            self.bytes = rest;
            if wanted {
                Some(unpack_policy(body)?)
            } else {
                None
            }
        } else {
            None
        };
        if !wanted {
            return Some(None);
        }
        let (board, hands) = self.places.split_at(self.squares);
        Some(Some(PositionRecord {
            snapshot: Snapshot {
                board: board.to_vec(),
                hands: hands.to_vec(),
                turn: if flags & WHITE != 0 {
                    Color::White
                } else {
                    Color::Black
                },
                move_number,
                repetitions,
            },
            in_check: flags & IN_CHECK != 0,
            legal_moves,
            search: *SearchKind::ALL.get(usize::from(flags >> SEARCH_SHIFT))?,
            visits,
            policy,
            played,
            root,
            net,
        }))
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    fn number(&mut self) -> Option<u32> {
        get(&mut self.bytes)
    }

    fn wdl(&mut self) -> Option<Wdl> {
        let (units, rest) = self.bytes.split_at_checked(4)?;
        self.bytes = rest;
        wdl_of([
            u16::from_le_bytes([units[0], units[1]]),
            u16::from_le_bytes([units[2], units[3]]),
        ])
    }
}

fn unpack_policy(mut body: &[u8]) -> Option<Policy> {
    // A move takes two bytes or more.
    let most = body.len() / 2;
    let mut policy = Policy {
        moves: Vec::with_capacity(most),
        weights: Vec::with_capacity(most),
    };
    let mut code = 0u32;
    while !body.is_empty() {
        code = code.checked_add(get(&mut body)?)?;
        policy.moves.push(code);
        policy
            .weights
            .push(share(u16::try_from(get(&mut body)?).ok()?));
    }
    Some(policy)
}

fn put(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[inline]
fn get(bytes: &mut &[u8]) -> Option<u32> {
    match bytes.split_first() {
        Some((&byte, rest)) if byte < 0x80 => {
            *bytes = rest;
            Some(byte.into())
        }
        _ => get_long(bytes),
    }
}

fn get_long(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
