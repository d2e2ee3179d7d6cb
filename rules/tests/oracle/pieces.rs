//! Section 2 of the rules: the pieces, what they promote to, and their simple lines.

use Kind::*;

/// A kind of movement; the first 36 are base types as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[rustfmt::skip]
pub enum Kind {
    P, D, I, C, S, G, FL, N, L, RC, CS, BT, Kr, Ph, Q, Ln, SM, VM, SS, VS, B, R, DH, DK, HF, SE, BG, RG, VG, GG,
    FE, LH, WB, FD, DE, K,
    CP, FO, FSt, FBo, HT, MG, W, WH,
}

/// The base types with their abbreviations, in the order of the table.
#[rustfmt::skip]
pub const BASE: [(Kind, &str); 36] = [
    (P, "P"), (D, "D"), (I, "I"), (C, "C"), (S, "S"), (G, "G"), (FL, "FL"), (N, "N"), (L, "L"), (RC, "RC"),
    (CS, "CS"), (BT, "BT"), (Kr, "KR"), (Ph, "PH"), (Q, "Q"), (Ln, "LN"), (SM, "SM"), (VM, "VM"), (SS, "SS"),
    (VS, "VS"), (B, "B"), (R, "R"), (DH, "DH"), (DK, "DK"), (HF, "HF"), (SE, "SE"), (BG, "BG"), (RG, "RG"),
    (VG, "VG"), (GG, "GG"), (FE, "FE"), (LH, "LH"), (WB, "WB"), (FD, "FD"), (DE, "DE"), (K, "K"),
];

/// What a base type promotes to.
pub fn promotes_to(base: Kind) -> Option<Kind> {
    Some(match base {
        P => G,
        D => MG,
        I => VS,
        C => SM,
        S => VM,
        G => R,
        FL => B,
        N => SS,
        L => WH,
        RC => W,
        CS => HT,
        BT => FSt,
        Kr => Ln,
        Ph => Q,
        Q => FE,
        Ln => LH,
        SM => FBo,
        VM => FO,
        SS => WB,
        VS => CS,
        B => DH,
        R => DK,
        DH => HF,
        DK => SE,
        HF => BG,
        SE => RG,
        BG => VG,
        RG => GG,
        WB => FD,
        DE => CP,
        VG | GG | FE | LH | FD | K => return None,
        CP | FO | FSt | FBo | HT | MG | W | WH => unreachable!("not a base type"),
    })
}

/// Farther than the board.
const ANY: usize = 99;

/// How many squares a kind moves over empty squares, in the five kinds of direction:
/// forward, diagonally forward, sideways, diagonally backward, backward.
///
/// Leaps, lion moves, area moves, general's jumps, the tetrarch and the demon's straight line are elsewhere.
#[rustfmt::skip]
pub fn lines(kind: Kind) -> [usize; 5] {
    match kind {
        //       f    fd   side bd   b
        P   => [  1,   0,   0,   0,   0],
        D   => [  1,   0,   0,   1,   0],
        I   => [  1,   1,   0,   0,   0],
        C   => [  1,   1,   0,   0,   1],
        S   => [  1,   1,   0,   1,   0],
        G   => [  1,   1,   1,   0,   1],
        FL  => [  1,   1,   0,   1,   1],
        N   => [  0,   0,   0,   0,   0],
        L   => [ANY,   0,   0,   0,   0],
        RC  => [ANY,   0,   0,   0, ANY],
        CS  => [ANY, ANY,   2, ANY, ANY],
        BT  => [  0,   1,   1,   1,   1],
        Kr  => [  0,   1,   0,   1,   0],
        Ph  => [  1,   0,   1,   0,   1],
        Q   => [ANY, ANY, ANY, ANY, ANY],
        Ln  => [  0,   0,   0,   0,   0],
        SM  => [  1,   0, ANY,   0,   1],
        VM  => [ANY,   0,   1,   0, ANY],
        SS  => [  2,   0, ANY,   0,   1],
        VS  => [ANY,   0,   2,   0,   1],
        B   => [  0, ANY,   0, ANY,   0],
        R   => [ANY,   0, ANY,   0, ANY],
        DH  => [  1, ANY,   1, ANY,   1],
        DK  => [ANY,   1, ANY,   1, ANY],
        HF  => [  0, ANY, ANY, ANY, ANY],
        SE  => [ANY,   0, ANY, ANY, ANY],
        BG  => [  0, ANY,   0, ANY,   0],
        RG  => [ANY,   0, ANY,   0, ANY],
        VG  => [  0, ANY,   0, ANY,   0],
        GG  => [ANY, ANY, ANY, ANY, ANY],
        FE  => [ANY, ANY, ANY, ANY, ANY],
        LH  => [  0, ANY,   0, ANY,   0],
        WB  => [  2, ANY, ANY, ANY,   2],
        FD  => [  0, ANY,   0, ANY,   0],
        DE  => [  1,   1,   1,   1,   0],
        K   => [  1,   1,   1,   1,   1],
        CP  => [  1,   1,   1,   1,   1],
        FO  => [ANY, ANY,   0, ANY, ANY],
        FSt => [ANY,   1,   1,   1, ANY],
        FBo => [  0, ANY, ANY, ANY,   0],
        HT  => [  0,   0,   0,   0,   0],
        MG  => [ANY,   0,   0, ANY,   0],
        W   => [ANY,   0,   0, ANY, ANY],
        WH  => [ANY, ANY,   0,   0, ANY],
    }
}

/// Section 5: rank among the range-jumping generals.
pub fn rank(kind: Kind) -> usize {
    match kind {
        K | CP => 4,
        GG => 3,
        VG => 2,
        RG | BG => 1,
        _ => 0,
    }
}

/// A piece on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    pub white: bool,
    pub base: Kind,
    pub promoted: bool,
}

impl Piece {
    /// The kind it moves as.
    pub fn kind(self) -> Kind {
        match self.promoted {
            true => promotes_to(self.base).expect("checked when it was set up"),
            false => self.base,
        }
    }

    pub fn is_royal(self) -> bool {
        matches!(self.kind(), K | CP)
    }

    pub fn is_demon(self) -> bool {
        self.kind() == FD
    }
}
