// The set-up editor: pieces from a palette onto the board; the server says what is wrong with the position.

import { post } from "./api";
import { Board } from "./board";
import { field, h, select } from "./dom";
import type { Start } from "./session";
import type { Catalogue, View } from "./types";
import type { Settings } from "./viewer";

interface Checked {
  sfen: string | null;
  problems: string[];
  playable: boolean;
}

export class Setup {
  readonly el = h("div", { class: "table setup" });
  private board: Board;
  private codes: number[];
  private hands: number[];
  private chosen = 0;
  private turn: HTMLSelectElement;
  private sfen = h("input", { class: "sfen", "aria-label": "Position string", autocomplete: "off" });
  private problems = h("p", { class: "notice", role: "alert" });
  private use = h("button", { type: "button", id: "setup-use" }, "Use this position");
  private palette = h("div", { class: "palette", role: "listbox", "aria-label": "Pieces" });
  private checked: Checked | null = null;
  private asked = 0;

  constructor(
    private catalogue: Catalogue,
    private settings: Settings,
    private view: View,
    done: (start: Start | null) => void,
  ) {
    this.board = new Board(catalogue);
    this.board.letters = settings.letters;
    this.codes = view.board.slice();
    this.hands = view.hands.slice();
    this.turn = select("setup-turn", [["b", "Black to move"], ["w", "White to move"]], view.turn);
    this.turn.addEventListener("change", () => void this.check());
    this.board.onPress = (place) => this.put(place);
    this.board.canDrag = (place) => place < this.codes.length;
    this.board.onDrop = (from, to) => {
      if (from >= this.codes.length || to >= this.codes.length) return;
      this.codes[to] = this.codes[from] ?? 0;
      this.codes[from] = 0;
      void this.check();
    };
    this.use.addEventListener("click", () => {
      const sfen = this.checked?.sfen;
      if (sfen) done({ rules: this.view.rules, sfen, handicap: "", moves: [] });
    });
    this.sfen.addEventListener("change", () => void this.read());
    const button = (label: string, act: () => void) => h("button", { type: "button", onclick: act }, label);
    this.el.append(
      h("div", { class: "boardside" }, this.board.el, this.handEditor()),
      h(
        "div",
        { class: "side" },
        h("h3", {}, "Set up a position"),
        this.palette,
        h(
          "div",
          { class: "row" },
          this.turn,
          button("Clear", () => this.fill([])),
          button("Start", () => void this.read(this.catalogue.start)),
        ),
        field("Position", this.sfen),
        this.problems,
        h("div", { class: "row" }, this.use, button("Cancel", () => done(null))),
      ),
    );
    this.redraw();
    void this.check();
  }

  redraw(): void {
    this.board.letters = this.settings.letters;
    this.palette.replaceChildren();
    const add = (code: number, content: Node, name: string) => {
      const item = h(
        "button",
        { type: "button", title: name, "aria-label": name, "data-code": code, class: code === this.chosen ? "chosen" : "" },
        content,
      );
      item.addEventListener("click", () => {
        this.chosen = code;
        this.palette.querySelector(".chosen")?.classList.remove("chosen");
        item.classList.add("chosen");
      });
      this.palette.append(item);
    };
    add(0, document.createTextNode("⌫"), "Take pieces off");
    this.catalogue.faces.forEach((face, code) => {
      if (!face || !code) return;
      const name = `${face.color ? "White" : "Black"}: ${face.name || face.letters}`;
      const picture = Board.picture(face, this.settings.letters);
      if (face.color) picture.classList.add("turned");
      add(code, picture, name);
    });
  }

  private handEditor(): HTMLElement | null {
    if (!this.catalogue.hands.length) return null;
    const row = h("div", { class: "row hands" });
    this.catalogue.hands.forEach((face, at) => {
      const count = h("input", { type: "number", min: 0, max: 18, value: this.hands[at] ?? 0, class: "short" });
      count.addEventListener("change", () => {
        this.hands[at] = Math.max(0, Math.min(18, Number(count.value) || 0));
        void this.check();
      });
      row.append(field(`${face.color ? "White" : "Black"} ${face.letters}`, count));
    });
    return row;
  }

  private put(place: number): void {
    if (place >= this.codes.length) return;
    this.codes[place] = this.codes[place] === this.chosen ? 0 : this.chosen;
    void this.check();
  }

  private fill(codes: number[]): void {
    this.codes = this.codes.map((_, i) => codes[i] ?? 0);
    this.hands = this.hands.map(() => 0);
    void this.check();
  }

  /** Takes over a position string. */
  private async read(sfen = this.sfen.value.trim()): Promise<void> {
    try {
      const body = { game: this.catalogue.game, rules: this.view.rules, sfen };
      const view = await post<View>("/api/position", body);
      this.codes = view.board;
      this.hands = view.hands;
      this.turn.value = view.turn;
      await this.check();
    } catch (error) {
      this.problems.textContent = (error as Error).message;
    }
  }

  private async check(): Promise<void> {
    this.board.show(this.codes, this.hands);
    const asked = ++this.asked;
    const turn = this.turn.value === "b" ? "black" : "white";
    const body = { game: this.catalogue.game, rules: this.view.rules, board: this.codes, hands: this.hands, turn };
    try {
      const checked = await post<Checked>("/api/setup", body);
      if (asked !== this.asked) return;
      this.checked = checked;
      this.sfen.value = checked.sfen ?? "";
      this.problems.textContent = checked.problems.join("; ");
      this.use.disabled = !checked.sfen;
    } catch (error) {
      this.problems.textContent = (error as Error).message;
    }
  }
}
