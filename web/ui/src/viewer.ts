// A board with a line of play: stepping through it, its move list. Play, analysis and replay are made of it.

import { Board, type Mark } from "./board";
import { h } from "./dom";
import { Line, lastMoveMarks } from "./line";
import type { Catalogue, Ply, Side } from "./types";

export interface Settings {
  letters: boolean;
}

export class Viewer {
  readonly board: Board;
  readonly list = h("ol", { class: "moves", "aria-label": "Moves" });
  readonly nav: HTMLElement;
  readonly counter = h("span", { class: "counter" });
  line: Line<Ply>;
  ply = 0;
  /** The position on the board has changed. */
  onPly: (ply: number) => void = () => {};
  private startTurn: Side = "b";
  private items: HTMLButtonElement[] = [];

  constructor(
    readonly catalogue: Catalogue,
    readonly settings: Settings,
  ) {
    this.board = new Board(catalogue);
    this.board.letters = settings.letters;
    this.line = new Line([], []);
    const button = (label: string, title: string, go: () => void, id: string) =>
      h("button", { type: "button", title, "aria-label": title, class: id, onclick: go }, label);
    this.nav = h(
      "div",
      { class: "nav" },
      button("|◀", "First position", () => this.go(0), "first"),
      button("◀", "One move back (,)", () => this.go(this.ply - 1), "back"),
      this.counter,
      button("▶", "One move on (.)", () => this.go(this.ply + 1), "on"),
      button("▶|", "Last position", () => this.go(this.line.plies.length), "last"),
      button("⇅", "Turn the board (f)", () => this.turn(), "flip"),
    );
  }

  /** Shows another line, at its end or start. */
  set(line: Line<Ply>, startTurn: Side, ply: number): void {
    this.line = line;
    this.startTurn = startTurn;
    this.list.replaceChildren();
    this.items = [];
    this.listMoves();
    this.go(ply, false);
  }

  turn(): void {
    this.board.flipped = !this.board.flipped;
  }

  key(key: string): boolean {
    switch (key) {
      case ",":
      case "ArrowLeft":
        this.go(this.ply - 1);
        return true;
      case ".":
      case "ArrowRight":
        this.go(this.ply + 1);
        return true;
      case "Home":
        this.go(0);
        return true;
      case "End":
        this.go(this.line.plies.length);
        return true;
      case "f":
        this.turn();
        return true;
      default:
        return false;
    }
  }

  marks(): Mark[] {
    return lastMoveMarks(this.line.plies[this.ply - 1], this.board.squares);
  }

  /** Goes to a ply; one ply on is shown as a move. */
  go(ply: number, animate = true): void {
    const to = Math.max(0, Math.min(ply, this.line.plies.length));
    const change = this.line.plies[to - 1];
    const one = animate && to === this.ply + 1 && change;
    const black = (this.startTurn === "b") === ((to - 1) % 2 === 0);
    this.ply = to;
    this.board.point([]);
    if (one) {
      this.board.dropSide = black ? 0 : 1;
      this.board.mark([]);
      void this.board.play(change);
    } else {
      const { board, hands } = this.line.position(to);
      this.board.show(board, hands);
    }
    this.board.dropSide = black ? 1 : 0;
    if (to === 0) this.board.dropSide = this.startTurn === "b" ? 0 : 1;
    this.counter.textContent = `${to} / ${this.line.plies.length}`;
    this.items.forEach((item, i) => item.classList.toggle("current", i === to - 1));
    const current = this.items[to - 1];
    if (current) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
    else this.list.scrollTop = 0;
    this.onPly(to);
  }

  /** Adds what was played since to the list, and takes away what was taken back. */
  listMoves(): void {
    const { plies } = this.line;
    const offset = this.startTurn === "w" ? 1 : 0;
    while (this.items.length > plies.length) {
      this.items.pop();
      const rows = this.list.children;
      const row = rows[rows.length - 1] as HTMLElement;
      row.lastElementChild?.remove();
      if (row.children.length < 2) row.remove();
    }
    for (let i = this.items.length; i < plies.length; i++) {
      const ply = plies[i] as Ply;
      const pair = Math.floor((i + offset) / 2);
      let row = this.list.children[pair] as HTMLElement | undefined;
      if (!row) {
        row = h("li", {}, h("span", { class: "number" }, `${pair + 1}.`));
        if (i === 0 && offset) row.append(h("span", { class: "ellipsis" }, "…"));
        this.list.append(row);
      }
      const item = h("button", { type: "button", title: ply.m, onclick: () => this.go(i + 1, false) }, ply.n);
      row.append(item);
      this.items.push(item);
    }
    this.counter.textContent = `${this.ply} / ${plies.length}`;
  }
}
