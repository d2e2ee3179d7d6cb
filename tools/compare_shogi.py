"""Compares our shogi rules with two other programs on random positions.

Tried with cshogi==1.1.0 and python-shogi==1.1.1 on Python 3.11:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install cshogi==1.1.0 python-shogi==1.1.1
    cargo build --release --bin tenjiku
    /tmp/venv/bin/python tools/compare_shogi.py target/release/tenjiku --positions 20000

Compared are the position after the moves, the legal moves, check, the right to declare (cshogi), the fourth
occurrence (python-shogi) and, where there is no move, that the game is over. Prints what differs; exit status 1
if anything does.
"""

import argparse
import json
import random
import subprocess
import sys

import cshogi
import shogi

STARTS = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
    "4k4/9/9/9/9/9/9/9/4K4 w 2G2S9Pr2b2g2s9p 1",
    "8k/9/9/9/9/9/9/9/K8 b R 1",
    "K1+P+P+P4/3RB4/+P+P+P+P+P4/9/9/9/4+p+p+p+p+p/4br3/4+p+p+p1k b 4G4S 1",
]

# Where a declaration is near: few moves from here.
DECLARABLE = [
    "K+P+P+P5/4RB3/+P+P+P+P+P4/9/9/9/9/8r/8k b BG3S2N8P2gs2nl 1",
    "K8/R8/9/9/9/9/4+p+p+p+p+p/3br4/5+p+p+pk w 2GS2NLbg3s2n8p 1",
]


def random_positions(count, rng):
    """Pairs of a start and moves: places in random games, one in four of them with much going back and forth."""
    found = []
    while len(found) < count:
        declarable = rng.random() < 0.2
        start = rng.choice(DECLARABLE if declarable else STARTS + 5 * STARTS[:1])
        board = cshogi.Board(start)
        shuffling = rng.random() < 0.25
        seen = {board.zobrist_hash(): 1}
        moves = []
        for _ in range(rng.randrange(1, 12 if declarable else 200)):
            legal = list(board.legal_moves)
            if not legal:
                break
            move = rng.choice(legal)
            if shuffling:
                back = []
                for candidate in legal:
                    board.push(candidate)
                    if board.zobrist_hash() in seen:
                        back.append(candidate)
                    board.pop()
                move = rng.choice(back or legal)
            board.push(move)
            moves.append(cshogi.move_to_usi(move))
            key = board.zobrist_hash()
            seen[key] = seen.get(key, 0) + 1
            if rng.random() < (0.5 if declarable else 0.1) or seen[key] >= 4:
                found.append((start, list(moves)))
            if seen[key] >= 4:
                break
        else:
            continue
        found.append((start, list(moves)))
    return found[:count]


def mates_by_pawn(board, move):
    """Whether a move is a mating pawn drop by python-shogi's own judgement.

    It lists some as legal: where a pinned piece seems to be able to take the pawn.
    """
    if not move.startswith("P*"):
        return False
    board.push_usi(move)
    mate = board.is_checkmate()
    board.pop()
    return mate


def compare(start, moves, ours):
    """Lists what differs."""
    if "error" in ours:
        return [ours["error"]]
    differences = []

    def check(what, mine, other):
        if mine != other:
            differences.append(f"{what}: ours {mine}, theirs {other}")

    theirs = cshogi.Board(start)
    for move in moves:
        theirs.push_usi(move)
    legal = sorted(cshogi.move_to_usi(move) for move in theirs.legal_moves)
    check("cshogi position", ours["sfen"], theirs.sfen())
    check("cshogi check", ours["check"], theirs.is_check())

    other = shogi.Board(start)
    for move in moves:
        other.push_usi(move)
    other_legal = sorted(move.usi() for move in other.legal_moves)
    check("python-shogi position", ours["sfen"], other.sfen())
    check("python-shogi check", ours["check"], other.is_check())

    fourth = ours["reason"] in ("repetition", "perpetual_check")
    check("python-shogi fourth occurrence", fourth, other.is_fourfold_repetition())
    if not fourth:
        check("cshogi moves", ours["legal"], legal)
        extra = [move for move in other_legal if move not in ours["legal"] and mates_by_pawn(other, move)]
        check("python-shogi moves", sorted(ours["legal"] + extra), other_legal)
        check("cshogi declaration", ours["declare"], theirs.is_nyugyoku())
        check("no moves", ours["reason"] == "no_moves", not legal)
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the built command tenjiku")
    parser.add_argument("--positions", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    positions = random_positions(options.positions, random.Random(options.seed))
    lines = "".join(json.dumps({"game": "shogi", "sfen": start, "moves": moves}) + "\n" for start, moves in positions)
    result = subprocess.run([options.program, "moves", "--batch", "-"], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(positions), "one answer a position"

    bad = 0
    reasons = {}
    declarations = 0
    moves_compared = 0
    for (start, moves), ours in zip(positions, answers):
        differences = compare(start, moves, ours)
        if differences:
            bad += 1
            print(f"position sfen {start} moves {' '.join(moves)}", *differences, sep="\n  ")
            continue
        reasons[ours["reason"]] = reasons.get(ours["reason"], 0) + 1
        declarations += ours["declare"]
        moves_compared += len(ours["legal"])
    print(f"{len(positions)} positions, {moves_compared} moves, {bad} positions differ; "
          f"ends {reasons}, declarations {declarations}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
