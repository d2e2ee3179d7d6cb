// Export and import dialogues, and sharing an address.

import { get, post } from "./api";
import { ask, h } from "./dom";
import type { Session, Start } from "./session";

interface Imported {
  line: number;
  rules: string;
  sfen: string;
  moves: string[];
  result: string | null;
  error: string | null;
  remarks: string[];
}

function area(value: string, label: string, readonly: boolean): HTMLTextAreaElement {
  const el = h("textarea", { rows: 8, spellcheck: "false", "aria-label": label, readonly });
  el.value = value;
  return el;
}

/** Shows the game as text, USI line and address, to copy or save. */
export async function exportGame(session: Session, tags: [string, string][], result: string | null): Promise<void> {
  const body = { game: session.request(), tags, result };
  const { text, usi } = await post<{ text: string; usi: string }>("/api/export", body);
  const link = `${location.origin}${location.pathname}${session.hash("analyse")}`;
  const sfen = session.view?.sfen ?? "";
  const whole = area(text, "Game text", true);
  const file = new Blob([text], { type: "text/plain" });
  const url = URL.createObjectURL(file);
  const copy = (label: string, value: string) =>
    h("button", { type: "button", onclick: () => void navigator.clipboard.writeText(value) }, label);
  await ask(
    "Export",
    [
      whole,
      h("label", { class: "field" }, h("span", {}, "Position"), h("input", { readonly: true, value: sfen, class: "sfen" })),
      h(
        "div",
        { class: "row" },
        copy("Copy text", text),
        copy("Copy position", sfen),
        copy("Copy USI line", usi),
        copy("Copy link", link),
        h("a", { href: url, download: `${session.catalogue.game}.txt`, class: "button" }, "Save file"),
      ),
    ],
    [["close", "Close"]],
  );
  URL.revokeObjectURL(url);
}

/** Asks for a position string or game text; `null` if none is chosen. */
export async function importGame(game: string, rules: string): Promise<Start | null> {
  const text = area("", "Game text or position", false);
  text.placeholder = "A position string, a USI line, a game in human notation, KIF or CSA";
  const file = h("input", { type: "file", accept: ".txt,.kif,.kifu,.csa,.pgn,text/plain" });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (chosen) text.value = await chosen.text();
  });
  const answer = await ask("Import", [text, file], [
    ["ok", "Import"],
    ["no", "Cancel"],
  ]);
  if (answer !== "ok" || !text.value.trim()) return null;
  const one = text.value.trim();
  // A position string is one line with a board in front.
  if (!one.includes("\n") && /^[^\s]+\/[^\s]+ [bw]\b/.test(one)) return { rules, sfen: one, handicap: "", moves: [] };
  const games = await post<Imported[]>("/api/import", { game, rules, text: text.value });
  const chosen = games.length === 1 ? games[0] : await choose(games);
  if (!chosen) return null;
  if (chosen.error || chosen.remarks.length) {
    const body = h("ul", {}, ...[chosen.error, ...chosen.remarks].filter(Boolean).map((t) => h("li", {}, t as string)));
    const go = await ask("Odd places in this game", [body], [
      ["ok", `Take its ${chosen.moves.length} moves`],
      ["no", "Cancel"],
    ]);
    if (go !== "ok") return null;
  }
  return { rules: chosen.rules, sfen: chosen.sfen, handicap: "", moves: chosen.moves };
}

async function choose(games: Imported[]): Promise<Imported | undefined> {
  const list = h("select", { size: 8, "aria-label": "Games" });
  games.forEach((game, i) => {
    const label = `line ${game.line}: ${game.moves.length} moves ${game.result ?? ""} ${game.error ? "(broken)" : ""}`;
    list.append(h("option", { value: i, selected: i === 0 }, label));
  });
  const answer = await ask(`${games.length} games`, [list], [
    ["ok", "Open"],
    ["no", "Cancel"],
  ]);
  return answer === "ok" ? games[Number(list.value)] : undefined;
}

/** The first answer of the server. */
export function info<T>(): Promise<T> {
  return get<T>("/api/info");
}
