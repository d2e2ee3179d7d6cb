// The served page: three modes behind an address, and the settings.

import { Analyse } from "./analyse";
import { connection, get } from "./api";
import { h } from "./dom";
import { Play } from "./play";
import { RunView } from "./run";
import { readHash, type Session, type Start } from "./session";
import type { Info } from "./types";
import type { Settings } from "./viewer";

type Mode = "play" | "analyse" | "run";

async function main(): Promise<void> {
  const root = document.getElementById("app") as HTMLElement;
  const lost = h("p", { class: "lost", role: "alert", hidden: true }, "The server does not answer; trying again …");
  root.append(lost);
  connection.changed = (is) => {
    lost.hidden = !is;
  };
  const info = await get<Info>("/api/info");

  const settings: Settings = { letters: localStorage.getItem("tenjiku.letters") === "1" };
  const theme = localStorage.getItem("tenjiku.theme");
  if (theme) document.documentElement.dataset["theme"] = theme;

  let mode: Mode = "play";
  let own = "";
  const share = (from: Mode) => (hash: string) => {
    if (mode !== from) return;
    own = hash;
    history.replaceState(null, "", hash);
  };
  const notice = h("p", { class: "notice", role: "alert" });
  const play: Play = new Play(info, settings, share("play"), (session: Session) => {
    const { rules, sfen, handicap, moves } = session;
    void show("analyse", session.catalogue.game, { rules, sfen, handicap, moves: moves.slice() });
  });
  const analyse = new Analyse(info, settings, share("analyse"), (game, start) => void show("play", game, start));
  const run = info.run ? new RunView(info, settings) : null;

  const tab = (to: Mode, label: string) =>
    h("button", { type: "button", class: "tab", "data-mode": to, onclick: () => void show(to, null, null) }, label);
  const letters = h("button", { type: "button", id: "letters", "aria-pressed": settings.letters, title: "Letters instead of kanji" }, "字/A");
  letters.addEventListener("click", () => {
    settings.letters = !settings.letters;
    localStorage.setItem("tenjiku.letters", settings.letters ? "1" : "0");
    letters.setAttribute("aria-pressed", String(settings.letters));
    for (const one of [play, analyse, run]) one?.redraw();
  });
  const dark = h("button", { type: "button", id: "theme", title: "Light or dark" }, "◐");
  dark.addEventListener("click", () => {
    const is = document.documentElement.dataset["theme"];
    const now = is ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    localStorage.setItem("tenjiku.theme", next);
  });
  const tabs = h("nav", { class: "tabs" }, tab("play", "Play"), tab("analyse", "Analyse"), run ? tab("run", "Run") : null);
  root.append(
    h("header", {}, h("span", { class: "brand" }, "天竺 Tenjiku Zero"), tabs, h("span", { class: "tools" }, letters, dark)),
    notice,
    play.el,
    analyse.el,
    run ? run.el : "",
  );

  async function show(to: Mode, game: string | null, start: Start | null): Promise<void> {
    mode = to;
    notice.textContent = "";
    for (const [name, el] of [["play", play.el], ["analyse", analyse.el], ["run", run?.el]] as const) {
      if (el) el.hidden = name !== to;
    }
    for (const button of tabs.children) {
      const current = (button as HTMLElement).dataset["mode"] === to;
      button.setAttribute("aria-current", current ? "page" : "false");
    }
    run?.show(to === "run");
    try {
      if (to === "play" && (start || !play.el.firstChild)) await play.open(game, start);
      else if (to === "analyse" && (start || !analyse.opened)) await analyse.open(game, start);
      else if (to === "run") history.replaceState(null, "", "#run");
    } catch (error) {
      notice.textContent = (error as Error).message;
      // A bad address still leaves a board to play on.
      if (start && to === "play" && !play.el.firstChild) await play.open(null, null);
      if (start && to === "analyse" && !analyse.opened) await analyse.open(null, null);
    }
  }

  document.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.altKey || e.metaKey || document.querySelector("dialog[open]")) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
    const current = mode === "play" ? play : mode === "analyse" ? analyse : run;
    if (current?.key(e.key)) e.preventDefault();
  });

  const route = async () => {
    if (location.hash === own && own) return;
    const { mode: wanted, game, start } = readHash(location.hash);
    const to: Mode = wanted === "analyse" || (wanted === "run" && run) ? (wanted as Mode) : "play";
    const shared = game !== null;
    await show(to, game, shared ? start : null);
  };
  window.addEventListener("hashchange", () => void route());
  await route();
}

main().catch((error) => {
  document.getElementById("app")?.append(h("p", { class: "notice" }, String(error)));
});
