// From presses on the board to one of the legal moves that the server listed: one press for the piece, one for the
// square, a third for the second step of a lion-type move, and a question where it may promote.

import { Board, type Mark } from "./board";
import { ask, h } from "./dom";
import type { LegalMove, View } from "./types";

export class MoveInput {
  /** The position on the board; `null` while nobody may move. */
  view: View | null = null;
  private from: number | null = null;
  private mid: number | null = null;
  private hovered: number | null = null;
  readonly hint = h("p", { class: "hint", role: "status" });
  readonly passButton = h("button", { type: "button", class: "pass", hidden: true, onclick: () => this.pass() }, "Pass");

  constructor(
    private board: Board,
    /** The marks below those of a selection: the last move. */
    private base: () => Mark[],
    private letters: () => boolean,
    private onMove: (move: LegalMove) => void,
    /** The position shown, even if nobody may move: for hovering. */
    private shown: () => View | null,
  ) {
    board.onPress = (place) => void this.press(place);
    board.onDrop = (from, to) => void this.drag(from, to);
    board.onCancel = () => this.clear();
    board.onHover = (place) => this.hover(place);
    board.canDrag = (place) => this.movesFrom(place).length > 0;
    board.onKey = (key) => {
      if (key === "p") this.pass();
    };
  }

  /** A new position to move in, or `null`. */
  set(view: View | null): void {
    this.view = view;
    this.clear();
  }

  clear(): void {
    this.from = this.mid = null;
    this.redraw();
  }

  /** A hand place of the side to move as the move's start square. */
  private origin(place: number): number {
    const squares = this.board.squares;
    if (place < squares) return place;
    const kinds = this.board.catalogue.hands.length / 2;
    const white = place - squares >= kinds;
    if (!this.view || white !== (this.view.turn === "w")) return -1;
    return squares + ((place - squares) % kinds);
  }

  private movesFrom(place: number): LegalMove[] {
    const from = this.origin(place);
    return this.view?.moves.filter((m) => m.f === from) ?? [];
  }

  private async drag(from: number, to: number): Promise<void> {
    this.from = from;
    this.mid = null;
    await this.press(to);
  }

  private pass(): void {
    if (this.from === null) return;
    const move = this.movesFrom(this.from).find((m) => m.k.includes("pass"));
    if (move) this.done(move);
  }

  private async press(place: number): Promise<void> {
    if (!this.view) return;
    if (this.from === null) {
      this.choose(place);
      return;
    }
    const moves = this.movesFrom(this.from);
    if (this.mid !== null) {
      const mid = this.mid;
      const second =
        place === mid
          ? moves.filter((m) => m.v === undefined && m.t === mid)
          : moves.filter((m) => m.v === mid && m.t === place);
      if (second.length) await this.finish(second);
      else this.choose(place);
      return;
    }
    if (place === this.from) {
      this.clear();
      return;
    }
    const direct = moves.filter((m) => m.v === undefined && m.t === place);
    const onward = moves.filter((m) => m.v === place);
    const shot = onward.length > 0 && direct.length === 0 && onward.every((m) => m.t === m.f);
    if (shot) {
      await this.finish(onward);
    } else if (onward.length) {
      this.mid = place;
      this.redraw();
    } else if (direct.length) {
      await this.finish(direct);
    } else {
      this.choose(place);
    }
  }

  private choose(place: number): void {
    this.from = this.movesFrom(place).length ? place : null;
    this.mid = null;
    this.redraw();
  }

  private async finish(moves: LegalMove[]): Promise<void> {
    const view = this.view;
    const yes = moves.find((m) => m.p);
    const no = moves.find((m) => !m.p);
    if (yes && no) {
      const faces = this.board.catalogue.faces;
      const before = view?.board[yes.f] ?? 0;
      // Where the mover burns, its promoted face is in neither position; the promoted twin is shown by words alone.
      const code = yes.s.find(([sq]) => sq === yes.t)?.[2] ?? 0;
      const picture = (c: number, label: string) => {
        const face = faces[c];
        return h("span", { class: "choice" }, face ? Board.picture(face, this.letters()) : null, label);
      };
      const answer = await ask("Promote?", [], [
        ["yes", picture(code, "Promote (+)"), "+"],
        ["no", picture(before, "Keep (=)"), "="],
      ]);
      if (view !== this.view) return;
      if (answer === null) this.clear();
      else this.done(answer === "yes" ? yes : no);
    } else if (moves[0]) {
      this.done(moves[0]);
    }
  }

  private done(move: LegalMove): void {
    this.view = null;
    this.clear();
    this.onMove(move);
  }

  private hover(place: number | null): void {
    this.hovered = place;
    this.redraw();
  }

  private targets(): Mark[] {
    if (this.from === null) return [];
    const moves = this.movesFrom(this.from);
    const marks: Mark[] = [{ square: this.from, kind: "selected" }];
    const seen = new Set<string>();
    const add = (square: number, kind: string) => {
      const key = `${square} ${kind}`;
      if (!seen.has(key)) marks.push({ square, kind });
      seen.add(key);
    };
    if (this.mid !== null) {
      marks.push({ square: this.mid, kind: "mid" });
      for (const m of moves) {
        const stop = m.v === undefined && m.t === this.mid;
        if (m.v === this.mid || stop) for (const kind of signs(m)) add(stop ? this.mid : m.t, kind);
      }
      return marks;
    }
    for (const m of moves) {
      if (m.v !== undefined) add(m.v, m.k.includes("igui") ? "igui" : "second");
      else for (const kind of signs(m)) add(m.t, kind);
    }
    return marks;
  }

  private redraw(): void {
    const marks = [...this.base(), ...this.targets()];
    const view = this.shown();
    let text = "";
    const at = this.hovered;
    const moves = this.from === null ? [] : this.movesFrom(this.from);
    if (this.from !== null) {
      if (this.mid !== null) text = "Second step: choose a square; the same square again stops there.";
      const target = moves.find((m) => m.t === at && (this.mid === null ? m.v === undefined : m.v === this.mid));
      if (target) {
        for (const square of target.b ?? []) marks.push({ square, kind: "area" });
        text = describe(target);
      } else if (this.mid === null && at !== null && moves.some((m) => m.v === at)) {
        text = "Captures here and may go on.";
      }
    } else if (view && at !== null) {
      const face = this.board.faceAt(at);
      if (face) {
        const own = view.moves.filter((m) => m.f === at);
        const reach = view.reach.find(([sq]) => sq === at)?.[1] ?? [];
        const squares = own.length ? own.map((m) => m.v ?? m.t) : reach;
        for (const square of new Set(squares)) marks.push({ square, kind: "reach" });
        text = `${face.color ? "White" : "Black"}: ${face.name || face.letters}`;
      }
    }
    this.hint.textContent = text;
    this.passButton.hidden = !moves.some((m) => m.k.includes("pass"));
    this.board.mark(marks);
  }
}

/** The signs of a move: its danger or gain if it has one, else how it goes. */
function signs(move: LegalMove): string[] {
  const kinds = ["suicide", "burn"].filter((k) => move.k.includes(k));
  if (move.k.includes("capture")) kinds.push("capture");
  if (move.k[0] === "igui") kinds.push("igui");
  return kinds.length ? kinds : [move.k[0] === "jump" || move.k[0] === "leap" ? "jump" : (move.k[0] ?? "step")];
}

function describe(move: LegalMove): string {
  const words: Record<string, string> = {
    ride: "rides",
    step: "steps",
    jump: "jumps",
    leap: "leaps or walks",
    drop: "drops",
    pass: "passes",
    igui: "captures without moving",
    second: "captures on the way",
    capture: "captures",
    burn: `burns ${(move.b?.length ?? 0) - (move.k.includes("suicide") ? 1 : 0)}`,
    suicide: "is burned itself",
    promote: "",
    win: "wins the game",
  };
  return move.k
    .map((k) => words[k] ?? k)
    .filter(Boolean)
    .join(", ");
}
