// Line charts and small bars, drawn as SVG: axes with units, a legend, and the values under the pointer.

import { h, s } from "./dom";

export interface Series {
  name: string;
  x: number[];
  y: (number | null)[];
  /** Intervals, if there are any. */
  low?: (number | null)[];
  high?: (number | null)[];
  dots?: boolean;
}

const W = 420;
const H = 230;
const LEFT = 52;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 34;

export function number(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const abs = Math.abs(value);
  if (abs !== 0 && (abs >= 1e6 || abs < 1e-3)) return value.toExponential(1).replace("e+", "e");
  if (abs >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

/** Round numbers that cover a range, 3 to 7 of them. */
export function ticks(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const raw = span / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const unit = [1, 2, 5, 10].map((m) => m * power).find((u) => u >= raw) ?? raw;
  const list = [];
  for (let i = Math.ceil(low / unit - 1e-9); i * unit <= high + unit * 1e-9; i++) list.push(i * unit);
  return list;
}

/** A chart; `null` if there is nothing to draw. */
export function lineChart(title: string, xLabel: string, series: Series[], zero = false): HTMLElement | null {
  const there = series.filter((one) => one.y.some((v) => v !== null));
  if (!there.length) return null;
  const xs = there.flatMap((one) => one.x);
  const ys = there
    .flatMap((one) => [...one.y, ...(one.low ?? []), ...(one.high ?? [])])
    .filter((v): v is number => v !== null);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  let [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  if (zero) y0 = Math.min(0, y0);
  const pad = (y1 - y0 || Math.abs(y1) || 1) * 0.06;
  [y0, y1] = [zero && y0 === 0 ? 0 : y0 - pad, y1 + pad];
  const px = (x: number) => LEFT + ((x - x0) / (x1 - x0 || 1)) * (W - LEFT - RIGHT);
  const py = (y: number) => H - BOTTOM - ((y - y0) / (y1 - y0 || 1)) * (H - TOP - BOTTOM);
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${title} over ${xLabel}` });
  for (const y of ticks(y0, y1)) {
    svg.append(s("path", { class: "gridline", d: `M${LEFT},${py(y)}H${W - RIGHT}` }));
    svg.append(s("text", { class: "tick", x: LEFT - 6, y: py(y) + 4, "text-anchor": "end" }, number(y)));
  }
  for (const x of ticks(x0, x1)) {
    svg.append(s("text", { class: "tick", x: px(x), y: H - BOTTOM + 16, "text-anchor": "middle" }, number(x)));
  }
  svg.append(s("text", { class: "tick", x: (W + LEFT) / 2, y: H - 3, "text-anchor": "middle" }, xLabel));
  there.forEach((one, i) => {
    let d = "";
    let pen = false;
    one.y.forEach((y, k) => {
      if (y === null) pen = false;
      else {
        d += `${pen ? "L" : "M"}${px(one.x[k] as number).toFixed(1)},${py(y).toFixed(1)}`;
        pen = true;
      }
      const low = one.low?.[k];
      const high = one.high?.[k];
      if (low != null && high != null) {
        const x = px(one.x[k] as number);
        svg.append(s("path", { class: `interval c${i}`, d: `M${x},${py(low)}V${py(high)}` }));
      }
      if (y !== null && (one.dots || one.y.length < 3)) {
        svg.append(s("circle", { class: `dot c${i}`, cx: px(one.x[k] as number), cy: py(y), r: 3.5 }));
      }
    });
    svg.append(s("path", { class: `curve c${i}`, d }));
  });
  const readout = h("span", { class: "readout" });
  const bar = s("path", { class: "bar", d: "" });
  svg.append(bar);
  svg.addEventListener("pointermove", (e) => {
    const matrix = svg.getScreenCTM();
    if (!matrix) return;
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(matrix.inverse());
    const wanted = x0 + ((p.x - LEFT) / (W - LEFT - RIGHT)) * (x1 - x0);
    const all = new Set(xs);
    let best = x0;
    for (const x of all) if (Math.abs(x - wanted) < Math.abs(best - wanted)) best = x;
    const values = there.map((one) => {
      const y = one.y[one.x.indexOf(best)];
      return y == null ? null : `${one.name} ${number(y)}`;
    });
    readout.textContent = `${xLabel} ${number(best)}: ${values.filter(Boolean).join(", ")}`;
    bar.setAttribute("d", `M${px(best)},${TOP}V${H - BOTTOM}`);
  });
  svg.addEventListener("pointerleave", () => {
    readout.textContent = "";
    bar.setAttribute("d", "");
  });
  const legend = h("span", { class: "legend" });
  if (there.length > 1) there.forEach((one, i) => legend.append(h("span", { class: `key c${i}` }, one.name)));
  return h("figure", { class: "chartbox" }, h("figcaption", {}, h("strong", {}, title), legend), svg, readout);
}

/** Win, draw, loss of Black as one bar. */
export function wdlBar(wdl: readonly number[] | null | undefined): HTMLElement {
  const el = h("div", { class: "wdl", role: "img" });
  if (!wdl) {
    el.classList.add("none");
    return el;
  }
  const [win = 0, draw = 0, loss = 0] = wdl;
  const percent = (v: number) => `${(100 * v).toFixed(v > 0.1 && v < 0.9 ? 0 : 1)} %`;
  el.setAttribute("aria-label", `Black wins ${percent(win)}, draw ${percent(draw)}, White wins ${percent(loss)}`);
  el.title = el.getAttribute("aria-label") ?? "";
  for (const [share, kind] of [
    [win, "black"],
    [draw, "draw"],
    [loss, "white"],
  ] as const) {
    const part = h("span", { class: kind }, share > 0.12 ? percent(share) : "");
    part.style.flexGrow = String(Math.max(share, 0.001));
    el.append(part);
  }
  return el;
}

/** Black's expected score over the plies of a game; pressing it goes to a ply. */
export class WinGraph {
  readonly el = s("svg", { class: "wingraph", viewBox: "0 0 400 90", preserveAspectRatio: "none", role: "img" });
  private mark = s("path", { class: "bar", d: "" });
  private length = 1;

  constructor(onPly: (ply: number) => void) {
    this.el.addEventListener("click", (e) => {
      const box = this.el.getBoundingClientRect();
      onPly(Math.round(((e.clientX - box.left) / box.width) * this.length));
    });
  }

  /** `scores[i]` is Black's expected score before ply `i`, 0 to 1. */
  show(scores: (number | null)[], other: (number | null)[] = []): void {
    this.length = Math.max(1, scores.length - 1);
    this.el.setAttribute("aria-label", "Black's expected score over the game; press to go there");
    const path = (list: (number | null)[]) => {
      let d = "";
      let pen = false;
      list.forEach((v, i) => {
        if (v === null) pen = false;
        else {
          d += `${pen ? "L" : "M"}${((i / this.length) * 400).toFixed(1)},${(88 - 86 * v).toFixed(1)}`;
          pen = true;
        }
      });
      return d;
    };
    this.el.replaceChildren(
      s("rect", { class: "ground", width: 400, height: 90 }),
      s("path", { class: "middle", d: "M0,45H400" }),
      s("path", { class: "curve thin", d: path(other) }),
      s("path", { class: "curve", d: path(scores) }),
      this.mark,
    );
  }

  at(ply: number): void {
    const x = (ply / this.length) * 400;
    this.mark.setAttribute("d", `M${x.toFixed(1)},0V90`);
  }
}
