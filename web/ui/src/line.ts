// A line of play: where it starts, what was played, and the position after any ply. Pure data; the server made it.

import type { Mark } from "./board";
import type { Change } from "./types";

export class Line<P extends Change> {
  plies: P[] = [];
  private board: number[];
  private hands: number[];
  private at = 0;

  constructor(
    readonly startBoard: number[],
    readonly startHands: number[],
    plies: P[] = [],
  ) {
    this.board = startBoard.slice();
    this.hands = startHands.slice();
    this.plies = plies;
  }

  /** The position after `ply` plies. */
  position(ply: number): { board: number[]; hands: number[] } {
    while (this.at < ply) {
      const change = this.plies[this.at++] as P;
      for (const [sq, , after] of change.s) this.board[sq] = after;
      for (const [place, , after] of change.h ?? []) this.hands[place] = after;
    }
    while (this.at > ply) {
      const change = this.plies[--this.at] as P;
      for (const [sq, before] of change.s) this.board[sq] = before;
      for (const [place, before] of change.h ?? []) this.hands[place] = before;
    }
    return { board: this.board.slice(), hands: this.hands.slice() };
  }

  /** Forgets the plies from `ply` on. */
  cut(ply: number): void {
    this.position(Math.min(this.at, ply));
    this.plies.length = Math.min(this.plies.length, ply);
  }
}

/** The marks of the last move: where from, where to, what was taken on the way and what burned. */
export function lastMoveMarks(change: Change | undefined, squares: number): Mark[] {
  if (!change) return [];
  const marks: Mark[] = [];
  if (change.f < squares) marks.push({ square: change.f, kind: "from" });
  if (change.v !== undefined) marks.push({ square: change.v, kind: "taken" });
  marks.push({ square: change.t, kind: "to" });
  for (const square of change.b ?? []) marks.push({ square, kind: "burned" });
  return marks;
}
