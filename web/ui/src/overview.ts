// A run in pictures and tables: what the run view and the report have in common.

import { lineChart, number, type Series } from "./chart";
import { h } from "./dom";
import type { Generation, Overview, Table } from "./types";

function series(table: Table, columns: [string, string][], suffix = ""): Series[] {
  return columns.map(([column, name]) => ({
    name: name + suffix,
    x: table.step,
    y: table.columns[column] ?? table.step.map(() => null),
  }));
}

/** The curves that the metrics have; only those that are there. */
export function curves(run: Overview): HTMLElement {
  const { train, validation } = run.curves;
  const both = (title: string, column: string) =>
    lineChart(title, "step", [
      ...series(train, [[column, "training"]]),
      ...series(validation, [[column, "validation"]]).map((one) => ({ ...one, dots: true })),
    ]);
  const one = (title: string, column: string, zero = false) => lineChart(title, "step", series(train, [[column, title]]), zero);
  const charts = [
    one("Loss", "loss"),
    both("Policy loss (cross-entropy, nats)", "policy"),
    both("Policy divergence (KL, nats)", "policy_kl"),
    both("Policy accuracy", "policy_accuracy"),
    both("Value loss (cross-entropy, nats)", "wdl"),
    both("Moves-left loss", "moves_left"),
    one("Learning rate", "learning_rate", true),
    one("Gradient norm", "gradient_norm", true),
    one("Age of the data (generations)", "data_age", true),
    one("Training speed (positions/s)", "positions_per_second", true),
    one("Share of time waiting for data", "wait_share", true),
  ].filter((c): c is HTMLElement => c !== null);
  // Columns that a later trainer adds are shown under their own name.
  const known = new Set(
    "loss policy policy_kl policy_accuracy wdl moves_left learning_rate gradient_norm data_age skipped positions_per_second wait_share".split(" "),
  );
  for (const column of Object.keys(train.columns)) {
    if (known.has(column)) continue;
    const chart = lineChart(column.replaceAll("_", " "), "step", series(train, [[column, column]]));
    if (chart) charts.push(chart);
  }
  if (!charts.length) return h("p", { class: "empty" }, "No training metrics yet.");
  return h("div", { class: "charts" }, ...charts);
}

function speed(g: Generation): string {
  return g.selfplay_s > 0 ? number(g.plies / g.selfplay_s) : "-";
}

function duration(seconds: number | null): string {
  if (seconds === null) return "-";
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  return seconds < 6000 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function table(headings: string[], rows: (string | Node)[][]): HTMLElement {
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...headings.map((t) => h("th", {}, t)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell))))),
    ),
  );
}

/** The share of time that the stages of a generation took. */
function shares(g: Generation): HTMLElement {
  const parts: [string, number][] = [
    ["self-play", g.selfplay_s],
    ["training", g.train_s ?? 0],
    ["matches", g.rest_s ?? 0],
  ];
  const bar = h("div", { class: "shares" });
  const all = parts.reduce((sum, [, s]) => sum + s, 0);
  for (const [name, seconds] of parts) {
    if (!seconds) continue;
    const part = h("span", { class: name, title: `${name} ${duration(seconds)}, ${((100 * seconds) / all).toFixed(0)} %` });
    part.style.flexGrow = String(seconds);
    bar.append(part);
  }
  return bar;
}

export function generations(run: Overview): HTMLElement {
  if (!run.generations.length) return h("p", { class: "empty" }, "No games yet.");
  const x = run.generations.map((g) => g.generation);
  const share = (key: string) => run.generations.map((g) => (g.winners[key] ?? 0) / g.games);
  const charts = [
    lineChart("Plies a game", "generation", [{ name: "mean", x, y: run.generations.map((g) => g.mean_plies), dots: true }], true),
    lineChart(
      "Results of self-play",
      "generation",
      [
        { name: "Black wins", x, y: share("b"), dots: true },
        { name: "White wins", x, y: share("w"), dots: true },
        { name: "nobody wins", x, y: share("draw"), dots: true },
      ],
      true,
    ),
    lineChart(
      "Self-play speed (positions/s)",
      "generation",
      [{ name: "positions/s", x, y: run.generations.map((g) => (g.selfplay_s > 0 ? g.plies / g.selfplay_s : null)), dots: true }],
      true,
    ),
  ].filter((c): c is HTMLElement => c !== null);
  const rows = run.generations.slice(-60).map((g) => [
    String(g.generation),
    number(g.games),
    number(g.plies),
    g.mean_plies.toFixed(1),
    `${g.winners["b"] ?? 0} / ${g.winners["draw"] ?? 0} / ${g.winners["w"] ?? 0}`,
    Object.entries(g.reasons)
      .map(([reason, n]) => `${reason.replaceAll("_", " ")} ${n}`)
      .join(", "),
    duration(g.selfplay_s),
    duration(g.train_s),
    duration(g.rest_s),
    speed(g),
    shares(g),
  ]);
  const headings = ["generation", "games", "positions", "plies a game", "Black / none / White", "ends", "self-play", "training", "matches", "positions/s", "time"];
  return h("div", {}, h("div", { class: "charts" }, ...charts), table(headings, rows));
}

type Loose = Record<string, unknown>;

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numeric(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

interface Rating {
  name: string;
  generation: number | null;
  elo: number;
  low: number | null;
  high: number | null;
  games: number | null;
}

/** Ratings, whatever the lists and fields are called that hold them: a name, an Elo figure, its interval. */
export function ratingsOf(value: unknown): Rating[] {
  const found: Rating[] = [];
  const visit = (node: unknown, key: string, depth: number) => {
    if (depth > 5) return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item, "", depth + 1);
    } else if (isObject(node)) {
      const nested = isObject(node["elo"]) ? node["elo"] : isObject(node["rating"]) ? node["rating"] : node;
      const elo = numeric(nested["elo"]) ?? numeric(nested["rating"]) ?? numeric(nested["value"]);
      const name = node["name"] ?? node["player"] ?? node["spec"] ?? (key || node["generation"]);
      if (elo !== null && name !== undefined) {
        const pair = Array.isArray(nested["interval"]) ? nested["interval"] : [];
        const generation = numeric(node["generation"]) ?? Number(/(\d{6})/.exec(String(name))?.[1] ?? Number.NaN);
        found.push({
          name: typeof name === "number" ? `generation ${name}` : String(name),
          generation: Number.isFinite(generation) ? generation : null,
          elo,
          low: numeric(nested["low"]) ?? numeric(nested["lower"]) ?? numeric(pair[0]),
          high: numeric(nested["high"]) ?? numeric(nested["upper"]) ?? numeric(pair[1]),
          games: numeric(node["games"]),
        });
      } else {
        for (const [name, item] of Object.entries(node)) visit(item, name, depth + 1);
      }
    }
  };
  visit(value, "", 0);
  return found;
}

export function ratings(run: Overview): HTMLElement {
  const list = ratingsOf(run.ratings);
  if (!list.length) return matches(run, "No ratings yet; the matches so far:");
  const ordered = list.filter((r) => r.generation !== null).sort((a, b) => (a.generation ?? 0) - (b.generation ?? 0));
  const chart =
    ordered.length > 1
      ? lineChart("Rating (Elo, 95 % intervals)", "generation", [
          {
            name: "Elo",
            x: ordered.map((r) => r.generation as number),
            y: ordered.map((r) => r.elo),
            low: ordered.map((r) => r.low),
            high: ordered.map((r) => r.high),
            dots: true,
          },
        ])
      : null;
  const rows = list
    .slice()
    .sort((a, b) => b.elo - a.elo)
    .map((r) => [
      r.name,
      r.elo.toFixed(0),
      r.low === null && r.high === null ? "-" : `${r.low?.toFixed(0) ?? "-∞"} to ${r.high?.toFixed(0) ?? "∞"}`,
      r.games === null ? "-" : number(r.games),
    ]);
  return h("div", {}, chart ? h("div", { class: "charts" }, chart) : null, table(["player", "Elo", "95 % interval", "games"], rows));
}

function short(spec: unknown): string {
  return String(spec).replace(/^(\w+:).*[/\\]/, "$1");
}

export function matches(run: Overview, title = "Matches"): HTMLElement {
  const rows: string[][] = [];
  for (const [name, value] of run.matches) {
    if (!isObject(value) || !Array.isArray(value["players"])) continue;
    const tally = isObject(value["tally"]) ? value["tally"] : {};
    const score = Array.isArray(value["score"]) ? (value["score"] as unknown[]).map(numeric) : [];
    const elo = isObject(value["elo"]) ? value["elo"] : {};
    const percent = (v: number | null | undefined) => (v == null ? "-" : `${(100 * v).toFixed(1)} %`);
    const end = (v: unknown, open: string) => numeric(v)?.toFixed(0) ?? open;
    rows.push([
      name,
      short(value["players"][0]),
      short(value["players"][1]),
      `${tally["wins"] ?? "?"} / ${tally["draws"] ?? "?"} / ${tally["losses"] ?? "?"}`,
      score.length === 3 ? `${percent(score[0])} (${percent(score[1])} to ${percent(score[2])})` : "-",
      `${end(elo["value"], "∞")} (${end(elo["low"], "-∞")} to ${end(elo["high"], "∞")})`,
      value["complete"] === false ? "stopped" : "",
    ]);
  }
  if (!rows.length) return h("p", { class: "empty" }, "No matches yet.");
  return h(
    "div",
    {},
    h("p", {}, title),
    table(["match", "player", "against", "won / drawn / lost", "score (95 %)", "Elo (95 %)", ""], rows),
  );
}

/** The run's own words about itself. */
export function facts(run: Overview): HTMLElement {
  const list = h("dl", { class: "facts" });
  const add = (name: string, value: string) => list.append(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  add("game", `${run.game}, ${run.rules}`);
  add("games", number(run.games));
  add("positions", number(run.plies));
  add("generations", String(run.generations.length));
  add("started", new Date(run.created * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC");
  add("code", run.code_version);
  add("seed", String(run.seed));
  return list;
}

export function problems(run: Overview): HTMLElement | null {
  if (!run.problems.length) return null;
  return h("details", { class: "problems" }, h("summary", {}, `${run.problems.length} files were not read`), h("ul", {}, ...run.problems.map((p) => h("li", {}, p))));
}
