// The run view: what is going on, curves, ratings, and the games, kept up to date.

import { get, Refused } from "./api";
import { number } from "./chart";
import { field, h, overText, select } from "./dom";
import { curves, facts, generations, problems, ratings } from "./overview";
import { ReplayView } from "./replay";
import type { Catalogue, Info, Overview, Replay, Summary } from "./types";
import type { Settings } from "./viewer";

const EVERY_MS = 3000;
const REASONS = "royal_captured no_moves repetition perpetual_check declaration resignation ply_cap adjudication illegal_move time engine_failure".split(" ");

export class RunView {
  readonly el = h("section", { class: "mode run" });
  private replay: ReplayView;
  private status = h("div", { class: "live", role: "status" });
  private facts = h("div", {});
  private sections = { curves: h("div", {}), generations: h("div", {}), ratings: h("div", {}) };
  private problems = h("div", {});
  private list = h("div", { class: "scroll" });
  private found = h("p", { class: "small" });
  private replayBox: HTMLElement;
  private query: Record<string, HTMLInputElement | HTMLSelectElement>;
  private offset = 0;
  private drawn = "";
  private drawnGames = -1;
  private timer = 0;
  private visible = false;

  constructor(info: Info, settings: Settings) {
    const catalogue = info.games.find((g) => g.game === info.run) as Catalogue;
    this.replay = new ReplayView(catalogue, settings);
    this.replayBox = h("div", { class: "replaybox", hidden: true }, this.replay.el);
    this.query = {
      winner: select("q-winner", [["", "any result"], ["b", "Black wins"], ["w", "White wins"], ["draw", "nobody wins"]], ""),
      reason: select("q-reason", [["", "any end"], ...REASONS.map((r) => [r, r.replaceAll("_", " ")] as [string, string])], ""),
      generation: h("input", { type: "number", min: 0, class: "short", placeholder: "any" }),
      min_plies: h("input", { type: "number", min: 1, class: "short", placeholder: "any" }),
      max_plies: h("input", { type: "number", min: 1, class: "short", placeholder: "any" }),
      opening: h("input", { placeholder: "first moves, such as 9l9k", autocomplete: "off" }),
    };
    for (const control of Object.values(this.query)) {
      control.addEventListener("change", () => {
        this.offset = 0;
        void this.search();
      });
    }
    const page = (step: number) => () => {
      this.offset = Math.max(0, this.offset + step);
      void this.search();
    };
    const q = this.query as Record<string, HTMLElement>;
    this.el.append(
      this.status,
      this.facts,
      this.problems,
      h("h2", {}, "Curves"),
      this.sections.curves,
      h("h2", {}, "Generations"),
      this.sections.generations,
      h("h2", {}, "Ratings and matches"),
      this.sections.ratings,
      h("h2", { id: "games" }, "Games"),
      h(
        "div",
        { class: "form" },
        field("Result", q["winner"] as HTMLElement),
        field("End", q["reason"] as HTMLElement),
        field("Generation", q["generation"] as HTMLElement),
        field("Plies from", q["min_plies"] as HTMLElement),
        field("Plies to", q["max_plies"] as HTMLElement),
        field("Opening", q["opening"] as HTMLElement),
      ),
      this.found,
      this.list,
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", onclick: page(-20) }, "Newer"),
        h("button", { type: "button", onclick: page(20) }, "Older"),
      ),
      this.replayBox,
    );
  }

  key(key: string): boolean {
    return !this.replayBox.hidden && this.replay.viewer.key(key);
  }

  redraw(): void {
    this.replay.viewer.board.letters = this.replay.viewer.settings.letters;
  }

  /** Keeps up to date while it is looked at. */
  show(visible: boolean): void {
    if (visible === this.visible) return;
    this.visible = visible;
    clearTimeout(this.timer);
    if (visible) void this.update();
  }

  private async update(): Promise<void> {
    try {
      const run = await get<Overview>("/api/run");
      this.draw(run);
      if (this.drawnGames !== run.games) {
        this.drawnGames = run.games;
        await this.search();
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.status.replaceChildren(h("p", { class: "notice" }, error.message));
    }
    if (this.visible) this.timer = window.setTimeout(() => void this.update(), EVERY_MS);
  }

  private draw(run: Overview): void {
    this.status.replaceChildren(h("h1", {}, run.name), live(run));
    // Charts are drawn again only when there is something new, so that the pointer keeps its place.
    const { now_ms: _now, status: _status, status_age_s: _age, ...rest } = run;
    const drawn = JSON.stringify(rest);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.facts.replaceChildren(facts(run));
    this.problems.replaceChildren(...[problems(run)].filter((p): p is HTMLElement => p !== null));
    this.sections.curves.replaceChildren(curves(run));
    this.sections.generations.replaceChildren(generations(run));
    this.sections.ratings.replaceChildren(ratings(run));
  }

  private async search(): Promise<void> {
    const parts = new URLSearchParams({ offset: String(this.offset), limit: "20" });
    for (const [name, control] of Object.entries(this.query)) {
      if (control.value) parts.set(name, control.value);
    }
    try {
      const { total, games } = await get<{ total: number; games: Summary[] }>(`/api/run/games?${parts}`);
      const last = Math.min(this.offset + games.length, total);
      this.found.textContent = total ? `${this.offset + 1} to ${last} of ${number(total)}` : "No game fits.";
      this.list.replaceChildren(...games.map((game) => this.item(game)));
    } catch (error) {
      this.found.textContent = (error as Error).message;
    }
  }

  private item(game: Summary): HTMLElement {
    return h(
      "button",
      { type: "button", class: "game", "data-id": game.id, onclick: () => void this.open(game.id) },
      h("strong", {}, game.id),
      h("span", {}, overText(game.over)),
      h("span", {}, `${game.plies} plies`),
      h("span", { class: "opening" }, game.opening.split(" ").slice(0, 6).join(" ")),
    );
  }

  private async open(id: string): Promise<void> {
    try {
      const game = await get<Replay>(`/api/run/game?id=${encodeURIComponent(id)}`);
      this.replayBox.hidden = false;
      this.replay.show(game);
      this.replayBox.scrollIntoView({ behavior: "smooth", block: "start" });
    } catch (error) {
      this.found.textContent = (error as Error).message;
    }
  }
}

/** What the running stage says of itself; every field may be missing. */
function live(run: Overview): HTMLElement {
  const { status, status_age_s: age } = run;
  if (!status) return h("p", { class: "small" }, "No stage has left a status.");
  const box = h("div", { class: "cards" });
  const fresh = age !== null && age < 60;
  const text = (value: unknown): string => {
    if (typeof value === "number") return number(value);
    if (value === null || value === undefined) return "-";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  for (const [name, value] of Object.entries(status)) {
    if (name === "updated" || name === "pid") continue;
    box.append(h("div", { class: "card" }, h("span", {}, name.replaceAll("_", " ")), h("strong", {}, text(value))));
  }
  const when = age === null ? "" : fresh ? `updated ${age.toFixed(0)} s ago` : `last word ${(age / 60).toFixed(0)} min ago: nothing is running`;
  return h("div", { class: fresh ? "now" : "now stale" }, box, h("p", { class: "small" }, when));
}
