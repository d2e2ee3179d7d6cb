// The board: an SVG that shows any position of either game, marks, arrows, and moves as they happen. It knows squares
// and faces, and no rules: what may go where is told from outside.

import { h, s } from "./dom";
import type { Arrow, Catalogue, Change, Face } from "./types";

const UNIT = 100;
const MARGIN = 46;
const HAND = 112;
const WEDGE = "M0,-45 L27,-34 L38.5,42 Q0,44 -38.5,42 L-27,-34 Z";
const FLAME =
  "M0,36 C-25,35 -31,12 -19,-6 C-18,3 -13,6 -9,1 C-14,-15 -2,-29 6,-40 C5,-27 13,-20 17,-12 C19,-15 19,-18 19,-21 " +
  "C28,-9 31,3 27,16 C23,29 12,36 0,36 Z";
const LEG_MS = 170;

export interface Mark {
  square: number;
  /** A CSS class: what the square means. */
  kind: string;
}

export interface BoardArrow extends Arrow {
  /** 0..1: width and opacity. */
  weight: number;
  label?: string;
  kind?: string;
}

export class Board {
  readonly el: HTMLElement;
  /** Where a pressed square goes; a hand place is `squares + place`. */
  onPress: (place: number) => void = () => {};
  /** A piece was dragged from one place to a square. */
  onDrop: (from: number, to: number) => void = () => {};
  onHover: (place: number | null) => void = () => {};
  onCancel: () => void = () => {};
  onKey: (key: string) => void = () => {};
  /** Whether the piece on this place can be dragged. */
  canDrag: (place: number) => boolean = () => false;

  readonly squares: number;
  private svg: SVGSVGElement;
  private under = s("g");
  private pieces = s("g");
  private over = s("g", { class: "over" });
  private arrows = s("g", { class: "arrows" });
  private top = s("g");
  private live = h("div", { class: "unseen", "aria-live": "polite" });
  private elements = new Map<number, SVGGElement>();
  private codes: number[] = [];
  private hands: number[] = [];
  private flip = false;
  private useLetters = false;
  private cursor = 0;
  private showing = 0;
  private pending = false;
  private hasHands: boolean;
  private handKinds: number;
  private lastArrows: BoardArrow[] = [];
  private lastMarks: Mark[] = [];
  private frame = s("g");

  constructor(readonly catalogue: Catalogue) {
    const { files, ranks } = catalogue;
    this.squares = files * ranks;
    this.hasHands = catalogue.hands.length > 0;
    this.handKinds = catalogue.hands.length / 2;
    this.cursor = Math.floor(this.squares * 0.75) + Math.floor(files / 2);
    const width = files * UNIT + 2 * MARGIN;
    const height = ranks * UNIT + 2 * MARGIN + (this.hasHands ? 2 * HAND : 0);
    this.svg = s(
      "svg",
      {
        class: "board",
        viewBox: `0 0 ${width} ${height}`,
        tabindex: 0,
        role: "application",
        "aria-label": `${catalogue.game} board: arrow keys move, Enter chooses, Escape cancels`,
      },
      this.defs(),
    );
    const y = this.hasHands ? HAND : 0;
    this.svg.append(
      s("rect", { class: "wood", x: 0, y, width, height: ranks * UNIT + 2 * MARGIN, rx: 14 }),
      this.under,
      this.grid(),
      this.frame,
      this.pieces,
      this.over,
      this.arrows,
      this.top,
    );
    this.labels();
    this.el = h("div", { class: `boardbox${this.hasHands ? " with-hands" : ""}` }, this.svg, this.live);
    this.listen();
  }

  private defs(): SVGDefsElement {
    const gradient = (id: string, a: string, b: string, up: boolean) =>
      s(
        "linearGradient",
        { id, x1: 0, x2: 0, y1: up ? 1 : 0, y2: up ? 0 : 1 },
        s("stop", { offset: 0, "stop-color": a }),
        s("stop", { offset: 1, "stop-color": b }),
      );
    const head = (id: string) =>
      s(
        "marker",
        { id, viewBox: "0 0 10 10", refX: 6, refY: 5, markerWidth: 3, markerHeight: 3, orient: "auto-start-reverse" },
        s("path", { d: "M0,0 L10,5 L0,10 Z", class: id }),
      );
    return s(
      "defs",
      {},
      gradient("tzp", "#fff3d1", "#f1d69b", false),
      gradient("tzt", "#fff3d1", "#f1d69b", true),
      gradient("tzf", "#ffd95c", "#ee4d18", false),
      head("head"),
      head("head-line"),
    );
  }

  private grid(): SVGGElement {
    const { files, ranks, dots } = this.catalogue;
    const [x, y] = this.origin();
    let path = "";
    for (let c = 0; c <= files; c++) path += `M${x + c * UNIT},${y}v${ranks * UNIT}`;
    for (let r = 0; r <= ranks; r++) path += `M${x},${y + r * UNIT}h${files * UNIT}`;
    const g = s("g", {}, s("path", { class: "lines", d: path }));
    for (const dot of dots) {
      const cx = x + ((dot % files) + 1) * UNIT;
      const cy = y + (Math.floor(dot / files) + 1) * UNIT;
      g.append(s("circle", { class: "dot", cx, cy, r: 7 }));
    }
    return g;
  }

  private labels(): void {
    const { files, ranks } = this.catalogue;
    const [x, y] = this.origin();
    this.frame.replaceChildren();
    const text = (tx: number, ty: number, label: string) =>
      this.frame.append(s("text", { class: "coordinate", x: tx, y: ty }, label));
    for (let c = 0; c < files; c++) {
      const [cx] = this.center(c);
      text(cx, y - 14, String(files - c));
      text(cx, y + ranks * UNIT + 34, String(files - c));
    }
    for (let r = 0; r < ranks; r++) {
      const [, cy] = this.center(r * files);
      const letter = String.fromCharCode(97 + r);
      text(x - 23, cy + 10, letter);
      text(x + files * UNIT + 23, cy + 10, letter);
    }
  }

  private origin(): [number, number] {
    return [MARGIN, MARGIN + (this.hasHands ? HAND : 0)];
  }

  /** The middle of a square or hand place. */
  private center(place: number): [number, number] {
    const { files, ranks } = this.catalogue;
    const [x, y] = this.origin();
    if (place >= this.squares) {
      const at = place - this.squares;
      const white = at >= this.handKinds;
      const bottom = white === this.flip;
      const kind = at % this.handKinds;
      const step = (files * UNIT) / this.handKinds;
      const px = x + (kind + 0.5) * step;
      return [px, bottom ? y + ranks * UNIT + MARGIN + HAND / 2 : HAND / 2];
    }
    const sq = this.flip ? this.squares - 1 - place : place;
    return [x + ((sq % files) + 0.5) * UNIT, y + (Math.floor(sq / files) + 0.5) * UNIT];
  }

  /** The place at a point of the screen. */
  private placeAt(event: PointerEvent): number | null {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return null;
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const { files, ranks } = this.catalogue;
    const [x, y] = this.origin();
    const column = Math.floor((p.x - x) / UNIT);
    const row = Math.floor((p.y - y) / UNIT);
    if (column >= 0 && column < files && row >= 0 && row < ranks) {
      const sq = row * files + column;
      return this.flip ? this.squares - 1 - sq : sq;
    }
    for (let place = this.squares; place < this.squares + 2 * this.handKinds; place++) {
      const [cx, cy] = this.center(place);
      if (Math.abs(p.x - cx) < 55 && Math.abs(p.y - cy) < 55) return place;
    }
    return null;
  }

  private listen(): void {
    let from: number | null = null;
    let ghost: SVGGElement | null = null;
    let startX = 0;
    let startY = 0;
    let hovered: number | null = null;
    this.svg.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      from = this.placeAt(e);
      startX = e.clientX;
      startY = e.clientY;
    });
    this.svg.addEventListener("pointermove", (e) => {
      const at = this.placeAt(e);
      if (at !== hovered) {
        hovered = at;
        if (e.pointerType !== "touch") this.onHover(at);
      }
      const far = Math.hypot(e.clientX - startX, e.clientY - startY) > 8;
      if (from !== null && e.buttons & 1 && far && !ghost && this.canDrag(from)) {
        const face = this.faceAt(from);
        if (face) {
          ghost = this.draw(face);
          ghost.classList.add("ghost");
          this.top.append(ghost);
          this.svg.setPointerCapture(e.pointerId);
          this.svg.classList.add("dragging");
        }
      }
      if (ghost) {
        const matrix = this.svg.getScreenCTM();
        if (matrix) {
          const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(matrix.inverse());
          this.place(ghost, p.x, p.y);
        }
      }
    });
    const end = (e: PointerEvent, cancelled: boolean) => {
      const at = this.placeAt(e);
      if (ghost) {
        ghost.remove();
        ghost = null;
        this.svg.classList.remove("dragging");
        if (!cancelled && from !== null && at !== null && at !== from) this.onDrop(from, at);
        else this.onCancel();
      } else if (!cancelled && at !== null && at === from) {
        this.cursorTo(at, false);
        this.onPress(at);
      }
      from = null;
    };
    this.svg.addEventListener("pointerup", (e) => end(e, false));
    this.svg.addEventListener("pointercancel", (e) => end(e, true));
    this.svg.addEventListener("pointerleave", () => {
      hovered = null;
      this.onHover(null);
    });
    this.svg.addEventListener("keydown", (e) => this.key(e));
    this.svg.addEventListener("focus", () => this.cursorTo(this.cursor, this.svg.matches(":focus-visible")));
    this.svg.addEventListener("blur", () => this.top.querySelector(".cursor")?.remove());
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const { files } = this.catalogue;
    const turn = this.flip ? -1 : 1;
    const steps: Record<string, number> = { ArrowUp: -files, ArrowDown: files, ArrowLeft: -1, ArrowRight: 1 };
    const step = steps[e.key];
    if (step !== undefined) {
      e.preventDefault();
      e.stopPropagation();
      const next = this.cursor + step * turn;
      const sameRow = Math.floor(next / files) === Math.floor(this.cursor / files);
      const fits = next >= 0 && next < this.squares && (Math.abs(step) > 1 || sameRow);
      if (fits) {
        this.cursorTo(next, true);
        this.onHover(next);
      }
    } else if (e.key === "Enter" || e.key === " ") {
      e.preventDefault();
      this.onPress(this.cursor);
    } else if (e.key === "Escape") {
      this.onCancel();
    } else {
      this.onKey(e.key);
    }
  }

  private cursorTo(place: number, visible: boolean): void {
    this.cursor = Math.min(place, this.squares - 1);
    this.top.querySelector(".cursor")?.remove();
    if (!visible) return;
    const [x, y] = this.center(this.cursor);
    this.top.append(s("rect", { class: "cursor", x: x - 47, y: y - 47, width: 94, height: 94, rx: 8 }));
    const face = this.faceAt(this.cursor);
    const whose = face ? `${face.color ? "White" : "Black"}'s ${face.name || face.letters}` : "empty";
    this.live.textContent = `${this.name(this.cursor)}: ${whose}`;
  }

  /** The name of a square, such as 7g. */
  name(place: number): string {
    const { files } = this.catalogue;
    if (place >= this.squares) return "hand";
    return `${files - (place % files)}${String.fromCharCode(97 + Math.floor(place / files))}`;
  }

  faceAt(place: number): Face | null {
    if (place >= this.squares) {
      const at = place - this.squares;
      return (this.hands[at] ?? 0) > 0 ? (this.catalogue.hands[at] ?? null) : null;
    }
    return this.catalogue.faces[this.codes[place] ?? 0] ?? null;
  }

  get flipped(): boolean {
    return this.flip;
  }

  set flipped(flip: boolean) {
    this.flip = flip;
    this.labels();
    this.show(this.codes, this.hands);
    this.mark(this.lastMarks);
    this.point(this.lastArrows);
  }

  set letters(letters: boolean) {
    this.useLetters = letters;
    this.show(this.codes, this.hands);
  }

  /** A piece by itself, for dialogues and palettes. */
  static picture(face: Face, letters: boolean): SVGSVGElement {
    const el = s("svg", { class: "face", viewBox: "-50 -50 100 100" });
    el.append(drawFace(face, false, letters));
    return el;
  }

  private draw(face: Face): SVGGElement {
    return drawFace(face, (face.color === 1) !== this.flip, this.useLetters);
  }

  private place(g: SVGGElement, x: number, y: number): void {
    g.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }

  /** Shows a position at once; a move that is being shown ends. */
  show(codes: number[], hands: number[]): void {
    this.showing++;
    this.pending = false;
    this.codes = codes.slice();
    this.hands = hands.slice();
    this.pieces.replaceChildren();
    this.elements.clear();
    codes.forEach((code, square) => {
      const face = this.catalogue.faces[code];
      if (code && face) this.put(square, face);
    });
    hands.forEach((count, at) => {
      const face = this.catalogue.hands[at];
      if (!count || !face) return;
      const g = this.put(this.squares + at, face);
      if (count > 1) g.append(s("text", { class: "count", x: 44, y: 42 }, String(count)));
    });
  }

  private put(place: number, face: Face): SVGGElement {
    const g = this.draw(face);
    this.place(g, ...this.center(place));
    this.pieces.append(g);
    this.elements.set(place, g);
    return g;
  }

  /** Shows a move from the position on the board; resolves when it is done or overtaken. */
  async play(change: Change): Promise<void> {
    // A move that is still being shown has happened.
    if (this.pending) this.show(this.codes, this.hands);
    const after = this.codes.slice();
    for (const [at, , code] of change.s) after[at] = code;
    const hands = this.hands.slice();
    for (const [at, , count] of change.h ?? []) hands[at] = count;
    const token = ++this.showing;
    this.codes = after;
    this.hands = hands;
    this.pending = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const mover = this.elements.get(this.handPlace(change.f));
    if (!still && mover) {
      this.pieces.append(mover);
      const path = [this.handPlace(change.f), ...(change.v !== undefined ? [change.v] : []), change.t];
      for (let i = 1; i < path.length; i++) {
        await this.slide(mover, path[i - 1] as number, path[i] as number, token);
        if (token !== this.showing) return;
        const taken = this.elements.get(path[i] as number);
        if (taken && taken !== mover) {
          taken.classList.add("taken");
          this.elements.delete(path[i] as number);
        }
      }
      // Where the mover stands now it may burn itself.
      this.elements.delete(path[0] as number);
      this.elements.set(change.t, mover);
      if (change.b?.length) {
        this.burn(change.b);
        await new Promise((r) => setTimeout(r, 350));
        if (token !== this.showing) return;
      }
    }
    this.show(after, hands);
    this.mark(this.lastMarks);
  }

  /** The hand place of a drop: the kind is told, the side is whose turn it was; both have the same kinds. */
  private handPlace(from: number): number {
    if (from < this.squares) return from;
    const kind = from - this.squares;
    return this.dropSide === 1 ? from + this.handKinds : this.squares + kind;
  }

  /** Whose drops the next moves are. */
  dropSide: 0 | 1 = 0;

  private slide(g: SVGGElement, a: number, b: number, token: number): Promise<void> {
    const [ax, ay] = this.center(a);
    const [bx, by] = this.center(b);
    const begun = performance.now();
    return new Promise((resolve) => {
      const step = (now: number) => {
        const t = Math.min(1, Math.max(0, (now - begun) / LEG_MS));
        const eased = t < 0.5 ? 2 * t * t : 1 - (2 - 2 * t) ** 2 / 2;
        this.place(g, ax + (bx - ax) * eased, ay + (by - ay) * eased);
        if (t < 1 && token === this.showing) requestAnimationFrame(step);
        else resolve();
      };
      requestAnimationFrame(step);
    });
  }

  private burn(squares: number[]): void {
    for (const square of squares) {
      this.elements.get(square)?.classList.add("burning");
      const [x, y] = this.center(square);
      const g = s("g", { transform: `translate(${x} ${y})` }, s("path", { class: "flame rising", d: FLAME }));
      this.top.append(g);
      setTimeout(() => g.remove(), 900);
    }
  }

  /** Marks squares; each kind has its own look, see app.css. */
  mark(marks: Mark[]): void {
    this.lastMarks = marks;
    this.under.replaceChildren();
    this.over.replaceChildren();
    for (const { square, kind } of marks) {
      const [x, y] = this.center(square);
      if (SHADES.has(kind)) {
        this.under.append(s("rect", { class: `shade ${kind}`, x: x - 50, y: y - 50, width: 100, height: 100 }));
        if (kind === "burned" && !this.codes[square]) {
          this.under.append(
            s("g", { transform: `translate(${x} ${y})` }, s("path", { class: "flame", d: FLAME })),
          );
        }
      } else {
        const g = s("g", { class: `target ${kind}`, transform: `translate(${x} ${y})` });
        for (const part of sign(kind)) g.append(part);
        this.over.append(g);
      }
    }
  }

  /** Draws arrows, the first on top. */
  point(arrows: BoardArrow[]): void {
    this.lastArrows = arrows;
    this.arrows.replaceChildren();
    for (const arrow of arrows.slice().reverse()) {
      const kind = arrow.kind ?? "policy";
      const from = arrow.f >= this.squares ? this.handPlace(arrow.f) : arrow.f;
      const places = [from, ...(arrow.v != null ? [arrow.v] : []), arrow.t];
      const points = places.map((p) => this.center(p));
      const weight = Math.max(0.05, Math.min(1, arrow.weight));
      const g = s("g", { class: `arrow ${kind}`, opacity: (0.35 + 0.6 * weight).toFixed(2) });
      const [tx, ty] = points[points.length - 1] as [number, number];
      if (from === arrow.t && arrow.v == null) {
        g.append(s("circle", { cx: tx, cy: ty, r: 40, "stroke-width": 6 + 12 * weight }));
      } else {
        const d = points.map(([px, py], i) => `${i ? "L" : "M"}${px},${py}`).join(" ");
        const head = kind === "line" ? "head-line" : "head";
        g.append(s("path", { d, "stroke-width": 7 + 15 * weight, "marker-end": `url(#${head})` }));
      }
      if (arrow.label) {
        const [ax, ay] = points[points.length - 2] as [number, number];
        const [lx, ly] = [tx + (ax - tx) * 0.3, ty + (ay - ty) * 0.3];
        g.append(s("text", { class: "arrowlabel", x: lx, y: ly + 11 }, arrow.label));
      }
      this.arrows.append(g);
    }
  }

  focus(): void {
    this.svg.focus({ preventScroll: true });
  }
}

/** Marks that colour a square; the others are signs on it. */
const SHADES = new Set(["from", "to", "taken", "burned", "selected", "area", "mid", "check"]);

/** The sign of a kind of move. */
function sign(kind: string): Element[] {
  switch (kind) {
    case "capture":
      return [s("circle", { r: 43 })];
    case "jump":
    case "leap":
      return [s("path", { d: "M0,-19 L19,0 L0,19 L-19,0 Z" })];
    case "burn":
      return [s("path", { class: "flame", d: FLAME, transform: "scale(0.62)" })];
    case "suicide":
      return [s("path", { class: "cross", d: "M-22,-22 L22,22 M22,-22 L-22,22" })];
    case "igui":
      return [s("circle", { r: 43 }), s("path", { d: "M-16,-6 A17,17 0 1 1 -10,14 M-24,-12 L-16,-4 L-6,-13" })];
    case "second":
      return [s("circle", { r: 43 }), s("circle", { r: 7, cx: -13, cy: 30 }), s("circle", { r: 7, cx: 13, cy: 30 })];
    case "pass":
      return [s("path", { d: "M-16,-6 A17,17 0 1 1 -10,14 M-24,-12 L-16,-4 L-6,-13" })];
    case "reach":
      return [s("circle", { r: 10 })];
    default:
      return [s("circle", { r: 15 })];
  }
}

function drawFace(face: Face, turned: boolean, letters: boolean): SVGGElement {
  const scale = (face.size / 100).toFixed(2);
  const inner = s("g", { transform: `${turned ? "rotate(180) " : ""}scale(${scale})` });
  const shift = turned ? "translate(-3 -4)" : "translate(3 4)";
  inner.append(
    s("path", { class: "shadow", d: WEDGE, transform: shift }),
    s("path", { class: "wedge", d: WEDGE, fill: turned ? "url(#tzt)" : "url(#tzp)" }),
  );
  const red = face.promoted ? " red" : "";
  if (letters) {
    const size = [44, 44, 34, 27, 22][Math.min(4, face.letters.length)] as number;
    inner.append(s("text", { class: `latin${red}`, y: 9 + size / 3, "font-size": size }, face.letters));
  } else {
    inner.append(s("text", { class: `kanji${red}`, y: 27, "font-size": 56 }, face.kanji));
  }
  return s("g", { class: "piece" }, inner);
}
