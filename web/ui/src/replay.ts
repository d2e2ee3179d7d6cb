// A recorded game on the board, with the search's value and policy before each move. Served and in the report.

import { WinGraph, wdlBar } from "./chart";
import { h, overText } from "./dom";
import { Line } from "./line";
import type { Catalogue, Replay, ReplayPly } from "./types";
import { type Settings, Viewer } from "./viewer";

function score(q: [number, number] | undefined): number | null {
  return q ? (q[0] + q[1] / 2) / 1000 : null;
}

function wdl(q: [number, number] | undefined): number[] | null {
  return q ? [q[0] / 1000, q[1] / 1000, (1000 - q[0] - q[1]) / 1000] : null;
}

export class ReplayView {
  readonly el: HTMLElement;
  readonly viewer: Viewer;
  private title = h("h3", {});
  private details = h("div", { class: "details" });
  private graph = new WinGraph((ply) => this.viewer.go(ply, false));
  private arrows = h("input", { type: "checkbox", checked: true });
  private game: Replay | null = null;

  constructor(catalogue: Catalogue, settings: Settings) {
    this.viewer = new Viewer(catalogue, settings);
    this.viewer.onPly = (ply) => this.tell(ply);
    this.arrows.addEventListener("change", () => this.tell(this.viewer.ply));
    this.el = h(
      "div",
      { class: "table replay" },
      h("div", { class: "boardside" }, this.viewer.board.el, this.viewer.nav),
      h(
        "div",
        { class: "side" },
        this.title,
        this.graph.el,
        this.details,
        h("label", { class: "check" }, this.arrows, " policy arrows"),
        this.viewer.list,
      ),
    );
  }

  show(game: Replay, ply = 0): void {
    this.game = game;
    this.title.textContent = `${game.id}: ${overText(game.over)}, ${game.plies.length} plies`;
    this.title.title = `${game.black} against ${game.white}, ${game.rules}`;
    const last = game.over.winner === "b" ? 1 : game.over.winner === "w" ? 0 : 0.5;
    const known = game.plies.some((p) => p.q);
    this.graph.show(
      [...game.plies.map((p) => score(p.q)), known ? last : null],
      game.plies.map((p) => score(p.nq)),
    );
    this.graph.el.classList.toggle("gone", !known);
    const line = new Line<ReplayPly>(game.start_board, game.start_hands, game.plies);
    this.viewer.set(line, game.start_turn, ply);
  }

  private tell(ply: number): void {
    const { viewer } = this;
    viewer.board.mark(viewer.marks());
    this.graph.at(ply);
    const next = this.game?.plies[ply];
    this.details.replaceChildren();
    viewer.board.point([]);
    if (!next) {
      if (this.game) this.details.append(h("p", {}, overText(this.game.over)));
      return;
    }
    if (next.q) this.details.append(h("div", { class: "pair" }, h("span", {}, "search"), wdlBar(wdl(next.q))));
    if (next.nq) this.details.append(h("div", { class: "pair" }, h("span", {}, "network"), wdlBar(wdl(next.nq))));
    const pol = next.pol ?? [];
    const search = next.search === "none" ? "not searched" : `${next.search} search, ${next.vis} playouts`;
    this.details.append(h("p", { class: "small" }, `Next: ${next.n} (${search})`));
    if (pol.length) {
      const list = h("p", { class: "small policy" });
      for (const move of pol) {
        const played = move.m === next.m;
        list.append(h("span", { class: played ? "played" : "" }, `${move.m} ${(move.w / 10).toFixed(1)} %`));
      }
      this.details.append(list);
    }
    if (this.arrows.checked) {
      const most = pol[0]?.w ?? 1;
      const arrows = pol.filter((m) => m.w >= 10).map((m) => ({ ...m, weight: m.w / most }));
      viewer.board.point(arrows);
    }
  }
}
