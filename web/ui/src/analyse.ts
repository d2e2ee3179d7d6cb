// Analysis: free moves for both sides, networks and engines side by side, and the set-up editor.

import { follow, fresh, Refused } from "./api";
import { WinGraph, wdlBar } from "./chart";
import { field, h, overText, select, sideName } from "./dom";
import type { BoardArrow } from "./board";
import { MoveInput } from "./input";
import { legend } from "./play";
import { Session, type Start } from "./session";
import { Setup } from "./setup";
import { exportGame, importGame } from "./texts";
import type { Analysis, Catalogue, Info, Job, LegalMove, View } from "./types";
import { type Settings, Viewer } from "./viewer";

/** One analysing player: a panel, and what it has found. */
class Panel {
  readonly el = h("div", { class: "panel" });
  found: Analysis | null = null;
  private running: AbortController | null = null;
  private player: HTMLInputElement;
  private visits = h("input", { type: "number", min: 1, value: 800, class: "short" });
  private lines = h("input", { type: "number", min: 1, max: 30, value: 6, class: "short" });
  private out = h("div", { class: "found" });
  private go = h("button", { type: "button", class: "go", onclick: () => this.toggle() }, "Analyse");
  private auto = h("input", { type: "checkbox" });

  constructor(
    readonly name: string,
    player: string,
    private limits: Record<string, number>,
    private request: () => object,
    private changed: () => void,
  ) {
    this.player = h("input", { list: "analysts", value: player, autocomplete: "off", class: "spec" });
    this.visits.max = String(limits["visits"]);
    this.auto.addEventListener("change", () => this.auto.checked && this.moved());
    this.el.append(
      h("div", { class: "row" }, h("strong", {}, name), this.player),
      h(
        "div",
        { class: "row" },
        field("playouts", this.visits),
        field("lines", this.lines),
        h("label", { class: "check" }, this.auto, " each position"),
        this.go,
      ),
      this.out,
    );
  }

  /** The position has changed. */
  moved(): void {
    this.stop();
    this.found = null;
    this.out.replaceChildren();
    if (this.auto.checked) void this.run();
  }

  stop(): void {
    this.running?.abort();
    this.running = null;
    this.go.textContent = "Analyse";
  }

  private toggle(): void {
    if (this.running) this.stop();
    else void this.run();
  }

  private spec(): string {
    const spec = this.player.value.trim();
    if (!/^(onnx|net):/.test(spec)) return spec;
    const visits = Math.max(1, Math.min(Number(this.visits.value) || 1, this.limits["visits"] ?? 1));
    return /:visits=\d+/.test(spec) ? spec.replace(/:visits=\d+/, `:visits=${visits}`) : `${spec}:visits=${visits}`;
  }

  private async run(): Promise<void> {
    this.stop();
    const control = new AbortController();
    this.running = control;
    this.go.textContent = "Stop";
    const body = { game: this.request(), player: this.spec(), lines: Number(this.lines.value) || 1, key: fresh() };
    try {
      const seen = (job: Job<Analysis>) => {
        if (control.signal.aborted) return;
        if (job.value) this.show(job.value);
        else if (job.state === "waiting") this.out.replaceChildren(h("p", { class: "small" }, "waits for a free engine"));
      };
      const found = await follow<Analysis>("/api/analyse", body, seen, control.signal);
      if (!control.signal.aborted) this.show(found);
    } catch (error) {
      if (control.signal.aborted) return;
      this.out.replaceChildren(h("p", { class: "notice" }, (error as Error).message));
    }
    if (this.running === control) this.stop();
  }

  private show(found: Analysis): void {
    this.found = found;
    const parts: Node[] = [wdlBar(found.wdl)];
    const facts = [
      found.playouts !== undefined ? `${found.playouts.toLocaleString("en")}${found.wanted ? ` of ${found.wanted.toLocaleString("en")}` : ""} nodes` : "",
      found.moves_left ? `about ${Math.round(found.moves_left)} plies left` : "",
      found.proof ? `proven: ${found.proof}` : "",
    ];
    parts.push(h("p", { class: "small" }, facts.filter(Boolean).join(", ")));
    parts.push(h("p", { class: "small pv" }, "line: ", found.pv.join(" ")));
    if (found.moves.some((m) => m.visits !== undefined)) {
      const rows = found.moves.map((m) =>
        h(
          "tr",
          {},
          h("td", {}, m.m),
          h("td", {}, String(m.visits ?? "")),
          h("td", {}, m.prior === undefined ? "" : `${(100 * m.prior).toFixed(1)} %`),
          h("td", {}, m.policy === undefined ? "" : `${(100 * m.policy).toFixed(1)} %`),
          h("td", {}, m.wdl ? `${(100 * (m.wdl[0] + m.wdl[1] / 2)).toFixed(1)} %` : "-"),
        ),
      );
      parts.push(
        h(
          "table",
          { class: "lines" },
          h("thead", {}, h("tr", {}, ...["move", "visits", "prior", "policy", "Black"].map((t) => h("th", {}, t)))),
          h("tbody", {}, ...rows),
        ),
      );
    }
    this.out.replaceChildren(...parts);
    this.changed();
  }
}

export class Analyse {
  readonly el = h("section", { class: "mode analyse" });
  private session: Session;
  private viewer!: Viewer;
  private input!: MoveInput;
  private panels: Panel[] = [];
  private status = h("p", { class: "status", role: "status" });
  private notice = h("p", { class: "notice", role: "alert" });
  private arrowsOf = select(
    "arrows",
    [
      ["policy", "policy arrows"],
      ["line", "main line"],
      ["none", "no arrows"],
    ],
    "policy",
  );
  private graph = new WinGraph((ply) => this.viewer.go(ply, false));
  private scores: (number | null)[] = [];
  /** The position that is shown, if it is not the last of the line. */
  private earlier: View | null = null;
  private asked = 0;
  private opening = 0;
  private setup: Setup | null = null;

  constructor(
    private info: Info,
    private settings: Settings,
    private onShare: (hash: string) => void,
    private playFrom: (game: string, start: Start) => void,
  ) {
    this.session = new Session(info.games[0] as Catalogue);
    this.arrowsOf.addEventListener("change", () => this.draw());
    const networks = info.players.filter((p) => p.network).map((p) => p.spec);
    const first = networks[0] ?? "engine:movetime=500";
    const second = networks[0] ? "engine:movetime=500" : "engine:depth=2";
    for (const [name, spec] of [
      ["A", first],
      ["B", second],
    ] as const) {
      this.panels.push(new Panel(name, spec, info.limits, () => this.request(), () => this.found()));
    }
  }

  /** Opens a line; what is wrong with it is thrown. */
  async open(game: string | null, start: Start | null): Promise<void> {
    const catalogue = this.info.games.find((g) => g.game === (game ?? this.session.catalogue.game));
    if (!catalogue) throw new Refused(400, `unknown game ${game}`);
    const session = new Session(catalogue);
    const opening = ++this.opening;
    await session.load(start ?? { rules: "", sfen: "", handicap: "", moves: [] });
    // Another was chosen meanwhile.
    if (opening !== this.opening) return;
    this.session.drop();
    this.session = session;
    this.scores = [];
    this.build();
  }

  get opened(): boolean {
    return this.viewer !== undefined;
  }

  key(key: string): boolean {
    return this.viewer?.key(key) ?? false;
  }

  redraw(): void {
    if (this.viewer) this.viewer.board.letters = this.settings.letters;
    this.setup?.redraw();
  }

  private request(): object {
    const { rules, sfen, handicap, moves } = this.session;
    return { game: this.session.catalogue.game, rules, sfen, handicap, moves: moves.slice(0, this.viewer.ply) };
  }

  private build(): void {
    const { catalogue } = this.session;
    this.setup = null;
    this.viewer = new Viewer(catalogue, this.settings);
    this.input = new MoveInput(
      this.viewer.board,
      () => this.viewer.marks(),
      () => this.settings.letters,
      (move) => void this.moved(move),
      () => this.shown(),
    );
    const button = (label: string, act: () => void, id: string) => h("button", { type: "button", id, onclick: act }, label);
    const game = select("analyse-game", this.info.games.map((g) => [g.game, g.game]), catalogue.game);
    game.addEventListener("change", () => void this.open(game.value, null));
    const analysts = h("datalist", { id: "analysts" });
    for (const offer of this.info.players) analysts.append(h("option", { value: offer.spec }));
    this.el.replaceChildren(
      h(
        "div",
        { class: "table" },
        h("div", { class: "boardside" }, this.viewer.board.el, this.viewer.nav, this.graph.el),
        h(
          "div",
          { class: "side" },
          this.status,
          this.notice,
          h("div", { class: "row hints" }, this.input.hint, this.input.passButton),
          h(
            "div",
            { class: "row" },
            game,
            button("Set up", () => this.edit(), "setup"),
            button("Play from here", () => this.leave(), "play-here"),
            button("Cut", () => void this.cut(), "cut"),
            button("Export", () => void exportGame(this.session, [], null).catch((e) => this.fail(e)), "export-line"),
            button("Import", () => void this.import(), "import-line"),
          ),
          h("div", { class: "row" }, this.arrowsOf),
          ...this.panels.map((p) => p.el),
          this.viewer.list,
          legend(),
          analysts,
        ),
      ),
    );
    this.viewer.onPly = () => void this.settle();
    this.viewer.set(this.session.line, this.session.view?.start_turn ?? "b", this.session.moves.length);
  }

  private fail(error: unknown): void {
    this.notice.textContent = (error as Error).message;
  }

  private shown(): View | null {
    return this.viewer.ply === this.session.moves.length ? this.session.view : this.earlier;
  }

  /** The position on the board has changed. */
  private async settle(): Promise<void> {
    const asked = ++this.asked;
    const { ply } = this.viewer;
    this.graph.at(ply);
    this.panels.forEach((p) => p.moved());
    this.onShare(this.session.hash("analyse"));
    this.input.set(null);
    if (ply !== this.session.moves.length) {
      const session = new Session(this.session.catalogue);
      const { rules, sfen, handicap, moves } = this.session;
      try {
        await session.load({ rules, sfen, handicap, moves: moves.slice(0, ply) });
      } catch (error) {
        this.fail(error);
        return;
      }
      if (asked !== this.asked) return;
      this.earlier = session.view;
    }
    const view = this.shown();
    if (!view) return;
    this.status.textContent = view.over ? overText(view.over) : `${sideName(view.turn)} to move${view.check ? ", in check" : ""}, ${view.moves.length} moves`;
    this.input.set(view.over ? null : view);
  }

  private async moved(move: LegalMove): Promise<void> {
    this.notice.textContent = "";
    try {
      if (this.viewer.ply < this.session.moves.length) {
        // Another move than the line's begins a new line.
        if (this.session.moves[this.viewer.ply] === move.m) {
          this.viewer.go(this.viewer.ply + 1);
          return;
        }
        if (!(await this.cut())) return;
      }
      if (!(await this.session.play(move.m))) return;
      this.viewer.listMoves();
      this.viewer.go(this.session.moves.length);
    } catch (error) {
      this.fail(error);
      void this.settle();
    }
  }

  /** Forgets what comes after the position shown; false if that was overtaken. */
  private async cut(): Promise<boolean> {
    const { ply } = this.viewer;
    if (ply === this.session.moves.length) return true;
    if (!(await this.session.cut(ply))) return false;
    this.scores.length = Math.min(this.scores.length, ply + 1);
    this.viewer.listMoves();
    await this.settle();
    return true;
  }

  /** A panel has found something. */
  private found(): void {
    const best = this.panels.find((p) => p.found?.wdl)?.found?.wdl;
    if (best) {
      while (this.scores.length <= this.session.moves.length) this.scores.push(null);
      this.scores[this.viewer.ply] = best[0] + best[1] / 2;
      this.graph.show(this.scores);
      this.graph.at(this.viewer.ply);
    }
    this.draw();
  }

  private draw(): void {
    const panel = this.panels.find((p) => p.found?.moves.length);
    const found = panel?.found;
    if (!found || this.arrowsOf.value === "none") {
      this.viewer.board.point([]);
      return;
    }
    if (this.arrowsOf.value === "line") {
      this.viewer.board.point(this.lineArrows(found.pv));
      return;
    }
    const weight = (m: Analysis["moves"][number]) => m.policy ?? 1;
    const most = Math.max(...found.moves.map(weight), 1e-9);
    const arrows = found.moves
      .filter((m) => weight(m) > 0.01 * most)
      .slice(0, 8)
      .map((m) => ({ ...m, weight: weight(m) / most }));
    this.viewer.board.point(arrows);
  }

  /** The first plies of a line as numbered arrows; squares are read from the move strings. */
  private lineArrows(pv: string[]): BoardArrow[] {
    const { files } = this.session.catalogue;
    const square = (text: string) => {
      const [, file = "1", rank = "a"] = /^(\d+)([a-p])$/.exec(text) ?? [];
      return (rank.charCodeAt(0) - 97) * files + files - Number(file);
    };
    const arrows: BoardArrow[] = [];
    pv.slice(0, 5).forEach((text, i) => {
      const squares = (text.match(/\d+[a-p]/g) ?? []).map(square);
      const [f, second, third] = squares;
      if (f === undefined || second === undefined || text.includes("*")) return;
      const t = third ?? second;
      arrows.push({ m: text, f, v: third === undefined ? null : second, t, weight: 1 - i * 0.18, label: String(i + 1), kind: "line" });
    });
    return arrows;
  }

  private leave(): void {
    const { rules, sfen, handicap, moves } = this.session;
    const start = { rules, sfen, handicap, moves: moves.slice(0, this.viewer.ply) };
    this.playFrom(this.session.catalogue.game, start);
  }

  private async import(): Promise<void> {
    try {
      const start = await importGame(this.session.catalogue.game, this.session.rules);
      if (start) await this.open(this.session.catalogue.game, start);
    } catch (error) {
      this.fail(error);
    }
  }

  private edit(): void {
    const view = this.shown();
    if (!view) return;
    this.panels.forEach((p) => p.stop());
    const done = (start: Start | null) => {
      if (start) {
        this.open(this.session.catalogue.game, start).catch((e) => this.fail(e));
      } else {
        this.build();
      }
    };
    this.setup = new Setup(this.session.catalogue, this.settings, view, done);
    this.el.replaceChildren(this.setup.el);
  }
}
