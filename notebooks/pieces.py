"""Piece codes of the `board` column for tenjiku, and the classic piece values.

Codes: 0 is empty, else `1 + state + 72 * colour` (colour 0 is Black). States: the 36 pieces in the order of the rules'
list, then the same ones promoted, here with a `+`.
"""

import numpy as np

_PIECES = (
    "P D I C S G FL N L RC CS BT Kr Ph Q Ln SM VM SS VS B R DH DK HF SE BG RG VG GG FE LH WB FD DE K".split()
)
TENJIKU = _PIECES + ["+" + piece for piece in _PIECES]
STATES = len(TENJIKU)

# German Chu Shogi Association, pawn = 1; unpromoted pieces.
CLASSIC = dict(
    P=1, D=1, N=1, I=2, C=2, S=2, G=3, FL=3, BT=3, Kr=3, Ph=3, DE=3, L=6, RC=6, SM=7, VM=7, SS=7, VS=8, B=10, R=12,
    DH=12, DK=14, WB=17, SE=18, CS=18, Ln=18, HF=19, BG=21, Q=22, FE=22, RG=23, LH=25, VG=39, GG=45, FD=83,
)


def decode(board):
    """16 rows of 16 piece names from the bytes of a board; Black's as in `TENJIKU`, White's in lower case, `.` is empty."""
    names = ["."] + TENJIKU + [name.lower() for name in TENJIKU]
    return np.array([names[code] for code in board]).reshape(16, 16).tolist()


def counts(board, turn):
    """Own pieces minus the enemy's, by state, for the side to move: 72 numbers."""
    found = np.bincount(np.frombuffer(board, np.uint8), minlength=1 + 2 * STATES)
    black, white = found[1 : 1 + STATES], found[1 + STATES :]
    return (black - white).astype(int) * (1 if turn == "b" else -1)
