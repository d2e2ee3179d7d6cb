// Playing: people and engines on either side, clocks, taking back, resigning.

import { connection, follow, fresh, Refused } from "./api";
import { ask, field, h, overText, select, sideName } from "./dom";
import { MoveInput } from "./input";
import { Session, type Start } from "./session";
import { exportGame, importGame } from "./texts";
import type { Catalogue, Info, Job, LegalMove, Over, Side, Thought } from "./types";
import { type Settings, Viewer } from "./viewer";

const PERSON = "person";

interface Saved extends Start {
  game: string;
  players: Record<Side, string>;
  clock: [number, number] | null;
  left: Record<Side, number>;
  times: Record<Side, number>[];
  /** When this was saved, in milliseconds since 1970. */
  at: number;
  result: Over | null;
  name: string;
  /** The question that an engine is thinking about. */
  question: string | null;
}

export class Play {
  readonly el = h("section", { class: "mode play" });
  private session: Session;
  private viewer!: Viewer;
  private input!: MoveInput;
  private players: Record<Side, string> = { b: PERSON, w: "engine:movetime=500" };
  private clock: [number, number] | null = null;
  /** Milliseconds left. */
  private left: Record<Side, number> = { b: 0, w: 0 };
  /** What was left at each position of the game: taking back gives the time back. */
  private times: Record<Side, number>[] = [];
  private result: Over | null = null;
  private name = fresh();
  private question: string | null = null;
  private thinking: AbortController | null = null;
  /** The timer of the clock that runs; 0 while it stands. */
  private ticking = 0;
  private ticked = 0;
  /** While all engines are busy: how many questions are before ours. */
  private queued: number | null = null;
  private opening = 0;
  private status = h("p", { class: "status", role: "status" });
  private notice = h("p", { class: "notice", role: "alert" });
  private faces: Record<Side, HTMLElement> = {
    b: h("div", { class: "player" }),
    w: h("div", { class: "player" }),
  };

  constructor(
    private info: Info,
    private settings: Settings,
    private onShare: (hash: string) => void,
    private analyse: (session: Session) => void,
  ) {
    this.session = new Session(info.games[0] as Catalogue);
    window.addEventListener("pagehide", () => this.viewer && this.store());
  }

  /** Opens a game: a shared one, the one of this tab, or a new one. */
  async open(game: string | null, start: Start | null): Promise<void> {
    const saved = this.saved();
    if (start && game) {
      // The tab's own game goes on if the address is its own.
      const same =
        saved && saved.game === game && saved.sfen === start.sfen && saved.moves.join(".") === start.moves.join(".");
      if (!same) {
        await this.begin(game, start, { b: PERSON, w: PERSON }, null);
        return;
      }
    }
    if (saved) {
      try {
        await this.restore(saved);
        return;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
    await this.begin(this.session.catalogue.game, { rules: "", sfen: "", handicap: "", moves: [] }, this.players, null);
  }

  private saved(): Saved | null {
    try {
      return JSON.parse(sessionStorage.getItem("tenjiku.play") ?? "null") as Saved | null;
    } catch {
      return null;
    }
  }

  private save(): void {
    this.store();
    this.onShare(this.session.hash("play"));
  }

  /** Keeps the game for this tab, as it stands. */
  private store(): void {
    this.charge();
    const { rules, sfen, handicap, moves } = this.session;
    const saved: Saved = {
      game: this.session.catalogue.game,
      rules,
      sfen,
      handicap,
      moves,
      players: this.players,
      clock: this.clock,
      left: this.left,
      times: this.times,
      at: Date.now(),
      result: this.result,
      name: this.name,
      question: this.question,
    };
    sessionStorage.setItem("tenjiku.play", JSON.stringify(saved));
  }

  private async restore(saved: Saved): Promise<void> {
    if (!(await this.start(saved.game, saved))) return;
    this.players = saved.players;
    this.clock = saved.clock;
    this.left = saved.left;
    this.times = saved.times ?? [];
    // The clock went on while the page was away.
    if (this.clock && !saved.result) this.left[this.turn()] -= Math.max(0, Date.now() - (saved.at ?? Date.now()));
    this.result = saved.result;
    this.name = saved.name;
    this.question = saved.question;
    this.build();
    this.refresh();
  }

  private catalogue(game: string): Catalogue {
    const found = this.info.games.find((g) => g.game === game);
    if (!found) throw new Refused(400, `unknown game ${game}`);
    return found;
  }

  /** Loads a game; false if another was chosen meanwhile. */
  private async start(game: string, start: Start): Promise<boolean> {
    const opening = ++this.opening;
    const session = new Session(this.catalogue(game));
    const { rules, sfen, handicap, moves } = start;
    await session.load({ rules, sfen, handicap, moves });
    if (opening !== this.opening) return false;
    this.stop();
    this.session = session;
    return true;
  }

  /** Begins a game; what is wrong with it is thrown. */
  async begin(game: string, start: Start, players: Record<Side, string>, clock: [number, number] | null): Promise<void> {
    if (!(await this.start(game, start))) return;
    this.players = players;
    this.clock = clock;
    this.left = { b: (clock?.[0] ?? 0) * 1000, w: (clock?.[0] ?? 0) * 1000 };
    this.times = [];
    this.times[this.session.moves.length] = { ...this.left };
    this.result = null;
    this.name = fresh();
    this.question = null;
    this.build();
    this.refresh();
  }

  private build(): void {
    const { catalogue } = this.session;
    this.viewer = new Viewer(catalogue, this.settings);
    this.input = new MoveInput(
      this.viewer.board,
      () => this.viewer.marks(),
      () => this.settings.letters,
      (move) => void this.moved(move),
      () => (this.atEnd() ? this.session.view : null),
    );
    const bottom: Side = this.players.b !== PERSON && this.players.w === PERSON ? "w" : "b";
    this.viewer.board.flipped = bottom === "w";
    this.viewer.set(this.session.line, this.session.view?.start_turn ?? "b", this.session.moves.length);
    this.viewer.onPly = () => this.settle();
    const button = (label: string, act: () => void, id: string) =>
      h("button", { type: "button", id, onclick: act }, label);
    const top: Side = bottom === "b" ? "w" : "b";
    this.el.replaceChildren(
      h(
        "div",
        { class: "table" },
        h("div", { class: "boardside" }, this.faces[top], this.viewer.board.el, this.faces[bottom], this.viewer.nav),
        h(
          "div",
          { class: "side" },
          this.status,
          this.notice,
          h("div", { class: "row hints" }, this.input.hint, this.input.passButton),
          h(
            "div",
            { class: "row" },
            button("New game", () => void this.ask(), "new"),
            button("Take back", () => void this.takeBack(), "takeback"),
            button("Resign", () => void this.resign(), "resign"),
            button("Declare", () => this.declare(), "declare"),
          ),
          h(
            "div",
            { class: "row" },
            button("Analyse", () => this.analyse(this.session), "to-analysis"),
            button("Export", () => void this.export(), "export"),
            button("Import", () => void this.import(), "import"),
          ),
          this.viewer.list,
          legend(),
        ),
      ),
    );
  }

  key(key: string): boolean {
    return this.viewer?.key(key) ?? false;
  }

  /** Letters or kanji have changed. */
  redraw(): void {
    if (this.viewer) this.viewer.board.letters = this.settings.letters;
  }

  private atEnd(): boolean {
    return this.viewer.ply === this.session.moves.length;
  }

  /** How the game stands, by the rules or by what was decided here. */
  private over(): Over | null {
    return this.session.view?.over ?? this.result;
  }

  private turn(): Side {
    return this.session.view?.turn ?? "b";
  }

  private isPerson(side: Side): boolean {
    return this.players[side] === PERSON;
  }

  /** The position has changed: shows it, and lets whoever is to move move. */
  private refresh(): void {
    this.save();
    this.settle();
    this.tick();
    if (!this.over() && !this.isPerson(this.turn())) void this.think();
  }

  /** What can be done on the position that is on the board. */
  private settle(): void {
    const view = this.session.view;
    const over = this.over();
    const mine = view && !over && this.atEnd() && this.isPerson(view.turn) && !this.thinking && !this.session.busy;
    this.input.set(mine ? view : null);
    const declare = this.el.querySelector<HTMLElement>("#declare");
    if (declare) declare.hidden = !(mine && view?.declare);
    this.showStatus();
    this.showPlayers();
  }

  private showStatus(): void {
    const view = this.session.view;
    const over = this.over();
    const check = view?.check && !over ? ", in check" : "";
    this.status.textContent = over ? overText(over) : `${sideName(this.turn())} to move${check}`;
    if (!this.atEnd()) this.status.textContent += " (earlier position shown)";
    if (this.thinking && !over) {
      const before = this.queued ? ` (${this.queued} before it)` : "";
      const what = this.queued === null ? "is thinking …" : `waits for a free engine${before}`;
      this.status.textContent = `${sideName(this.turn())} ${what}`;
    }
    this.status.dataset["over"] = String(Boolean(over));
  }

  private showPlayers(): void {
    for (const side of ["b", "w"] as Side[]) {
      const name = this.isPerson(side) ? "person" : shortName(this.players[side]);
      const ms = Math.max(0, this.left[side]);
      const time = `${Math.floor(Math.ceil(ms / 1000) / 60)}:${String(Math.ceil(ms / 1000) % 60).padStart(2, "0")}`;
      this.faces[side].replaceChildren(
        h("span", { class: `stone ${side}` }, side === "b" ? "☗" : "☖"),
        h("span", { class: "name", title: this.players[side] }, `${sideName(side)}: ${name}`),
        this.clock ? h("span", { class: ms < 20000 ? "time low" : "time" }, time) : "",
      );
      this.faces[side].classList.toggle("turn", !this.over() && this.turn() === side);
    }
  }

  /** Lets the clock of the side to move run. */
  private tick(): void {
    this.halt();
    if (!this.clock || this.over()) return;
    this.ticked = performance.now();
    this.ticking = window.setInterval(() => {
      this.charge();
      if (!this.flagFell()) this.showPlayers();
    }, 200);
  }

  /**
   * Takes the time since the last look off the clock that runs. Nobody pays for a server that does not answer, or for
   * waiting until an engine is free.
   */
  private charge(): void {
    const now = performance.now();
    if (this.ticking && !connection.gone && this.queued === null) this.left[this.turn()] -= now - this.ticked;
    this.ticked = now;
  }

  /** Stops the clock. */
  private halt(): void {
    this.charge();
    clearInterval(this.ticking);
    this.ticking = 0;
  }

  /** Ends the game if the side to move has used up its time. */
  private flagFell(): boolean {
    if (!this.clock || this.left[this.turn()] > 0) return false;
    this.end({ winner: this.turn() === "b" ? "w" : "b", reason: "time" });
    return true;
  }

  private end(result: Over): void {
    this.stop();
    this.result = result;
    this.save();
    this.settle();
  }

  /** Ends thinking and clock; a move that is on its way to the server counts for nothing. */
  private stop(): void {
    this.halt();
    this.session.drop();
    this.thinking?.abort();
    this.thinking = null;
    this.question = null;
    this.queued = null;
  }

  private async moved(move: LegalMove | string): Promise<void> {
    const side = this.turn();
    const text = typeof move === "string" ? move : move.m;
    this.notice.textContent = "";
    this.halt();
    if (this.flagFell()) return;
    try {
      if (!(await this.session.play(text))) return;
    } catch (error) {
      this.notice.textContent = (error as Error).message;
      this.tick();
      this.settle();
      return;
    }
    if (this.clock) this.left[side] += this.clock[1] * 1000;
    this.times[this.session.moves.length] = { ...this.left };
    const follow = this.viewer.ply === this.session.moves.length - 1;
    this.viewer.listMoves();
    if (follow) this.viewer.go(this.session.moves.length);
    this.refresh();
  }

  private async think(): Promise<void> {
    if (this.thinking) return;
    const control = new AbortController();
    this.thinking = control;
    // A question that was under way when the page was left is asked again by its name.
    this.question ??= fresh();
    this.save();
    this.settle();
    const body = {
      game: this.session.request(),
      player: this.players[this.turn()],
      session: this.name,
      key: this.question,
    };
    delete (body.game as { known?: number }).known;
    try {
      const seen = (job: Job<Thought>) => {
        if (control.signal.aborted) return;
        this.charge();
        this.queued = job.state === "waiting" ? job.ahead : null;
        this.showStatus();
      };
      const thought = await follow<Thought>("/api/think", body, seen, control.signal);
      if (control.signal.aborted) return;
      this.charge();
      this.thinking = null;
      this.question = null;
      this.queued = null;
      await this.moved(thought.move);
    } catch (error) {
      if (control.signal.aborted) return;
      this.halt();
      this.thinking = null;
      this.question = null;
      this.queued = null;
      this.notice.replaceChildren(
        `The engine gave no move: ${(error as Error).message} `,
        h("button", { type: "button", onclick: () => this.again() }, "Ask again"),
      );
      this.settle();
    }
  }

  private again(): void {
    this.notice.textContent = "";
    this.refresh();
  }

  private async takeBack(): Promise<void> {
    // A move that is on its way is the last one.
    const count = this.session.moves.length + (this.session.busy ? 1 : 0);
    if (!count) return;
    this.stop();
    this.result = null;
    // Back to where a person is to move, if one plays.
    const people = (["b", "w"] as Side[]).filter((side) => this.isPerson(side));
    const mover = (ply: number): Side => ((ply % 2 === 0) === (this.session.view?.start_turn === "b") ? "b" : "w");
    let to = count - 1;
    while (to > 0 && people.length && !people.includes(mover(to))) to--;
    try {
      if (!(await this.session.cut(to))) return;
    } catch (error) {
      this.notice.textContent = (error as Error).message;
      this.refresh();
      return;
    }
    const then = this.times[to];
    if (then) this.left = { ...then };
    this.times.length = Math.min(this.times.length, to + 1);
    this.notice.textContent = "";
    this.viewer.listMoves();
    this.viewer.go(to, false);
    this.refresh();
  }

  private async resign(): Promise<void> {
    if (this.over()) return;
    const people = (["b", "w"] as Side[]).filter((side) => this.isPerson(side));
    const loser = people.length === 1 ? (people[0] as Side) : this.turn();
    const answer = await ask(`${sideName(loser)} resigns?`, [], [
      ["yes", "Resign"],
      ["no", "Play on"],
    ]);
    if (answer === "yes" && !this.over()) this.end({ winner: loser === "b" ? "w" : "b", reason: "resignation" });
  }

  private declare(): void {
    const declared = this.session.view?.declare;
    if (declared && !this.over()) this.end(declared);
  }

  private async export(): Promise<void> {
    const over = this.over();
    const results: Record<string, string> = { b: "1-0", w: "0-1", draw: "1/2-1/2" };
    const name = (side: Side) => (this.isPerson(side) ? "person" : this.players[side]);
    const tags: [string, string][] = [
      ["Black", name("b")],
      ["White", name("w")],
    ];
    await exportGame(this.session, tags, over ? (results[over.winner] ?? "*") : null);
  }

  private async import(): Promise<void> {
    try {
      const start = await importGame(this.session.catalogue.game, this.session.rules);
      if (start) await this.begin(this.session.catalogue.game, start, { b: PERSON, w: PERSON }, null);
    } catch (error) {
      this.notice.textContent = (error as Error).message;
    }
  }

  /** Asks what to play. */
  private async ask(): Promise<void> {
    const current = this.session.catalogue.game;
    const game = select("game", this.info.games.map((g) => [g.game, g.game]), current);
    const rules = h("input", { id: "rules", list: "presets", placeholder: "default", autocomplete: "off" });
    const presets = h("datalist", { id: "presets" });
    const handicap = h("select", { id: "handicap" });
    const fill = () => {
      const catalogue = this.catalogue(game.value);
      presets.replaceChildren(...catalogue.presets.map((p) => h("option", { value: p })));
      handicap.disabled = catalogue.handicaps.length === 0;
      handicap.replaceChildren(
        h("option", { value: "" }, "none"),
        ...catalogue.handicaps.map(([name, what]) => h("option", { value: name }, `${name}: ${what}`)),
      );
    };
    fill();
    game.addEventListener("change", fill);
    const specs = h("datalist", { id: "specs" });
    for (const offer of this.info.players) specs.append(h("option", { value: offer.spec }));
    const player = (side: Side) => {
      const box = h("input", { id: `player-${side}`, list: "specs", value: this.players[side], autocomplete: "off" });
      return box;
    };
    const black = player("b");
    const white = player("w");
    specs.prepend(h("option", { value: PERSON }));
    const sfen = h("input", { id: "sfen", placeholder: "start position", autocomplete: "off", class: "sfen" });
    const minutes = h("input", { id: "minutes", type: "number", min: 0, max: 600, step: "any", value: this.clock ? this.clock[0] / 60 : "", placeholder: "no clock" });
    const increment = h("input", { id: "increment", type: "number", min: 0, max: 600, value: this.clock?.[1] ?? 0 });
    const wrong = h("p", { class: "notice", role: "alert" });
    const accept = async (): Promise<boolean> => {
      const seconds = Number(minutes.value) * 60;
      const clock: [number, number] | null = seconds > 0 ? [seconds, Number(increment.value) || 0] : null;
      const start = { rules: rules.value.trim(), sfen: sfen.value.trim(), handicap: handicap.value, moves: [] };
      const players = { b: black.value.trim() || PERSON, w: white.value.trim() || PERSON };
      try {
        await this.begin(game.value, start, players, clock);
        this.notice.textContent = "";
        return true;
      } catch (error) {
        wrong.textContent = (error as Error).message;
        return false;
      }
    };
    // The dialogue is there until the game is: nothing can be pressed on the board that is about to go.
    const answer = await ask(
      "New game",
      [
        wrong,
        h(
          "div",
          { class: "form" },
          field("Game", game),
          field("Rules", rules),
          field("Black", black),
          field("White", white),
          field("Handicap (White gives)", handicap),
          field("Start", sfen),
          field("Minutes a side", minutes),
          field("Seconds added a move", increment),
        ),
        specs,
        presets,
      ],
      [
        ["ok", "Start"],
        ["no", "Cancel"],
      ],
      accept,
    );
    if (answer !== "ok") this.opening++;
  }
}

/** The end of a path, and the options. */
function shortName(spec: string): string {
  const match = /^(\w+):(.*[/\\])([^/\\]+)$/.exec(spec);
  return match ? `${match[1]}:${match[3]}` : spec;
}

/** What the signs on the board mean. */
export function legend(): HTMLElement {
  const key = (kind: string, text: string) => h("span", { class: `sample ${kind}` }, text);
  return h(
    "details",
    { class: "legend-box" },
    h("summary", {}, "Signs and keys"),
    h(
      "div",
      { class: "samples" },
      key("step", "may go here"),
      key("jump", "jumps or walks here"),
      key("capture", "captures"),
      key("second", "captures and may go on"),
      key("igui", "captures without moving"),
      key("burn", "burns neighbours"),
      key("suicide", "burns itself"),
    ),
    h(
      "p",
      { class: "small" },
      "Board: arrow keys, Enter, Escape, p passes. Everywhere: , and . step through the game, f turns the board.",
    ),
  );
}
