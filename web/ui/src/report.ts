// The report: the run's overview and sample games out of the page itself.

import { h, overText } from "./dom";
import { curves, facts, generations, matches, problems, ratings, ratingsOf } from "./overview";
import { ReplayView } from "./replay";
import type { Catalogue, Overview, Replay } from "./types";

interface Data {
  catalogue: Catalogue;
  run: Overview;
  games: Replay[];
}

const data = JSON.parse(document.getElementById("data")?.textContent ?? "") as Data;
const root = document.getElementById("report") as HTMLElement;
document.title = `${data.run.name}: Tenjiku Zero report`;

const settings = { letters: false };
const replay = new ReplayView(data.catalogue, settings);
const list = h("div", { class: "scroll", id: "sample-games" });
const open = (game: Replay) => {
  for (const item of list.children) item.setAttribute("aria-pressed", String((item as HTMLElement).dataset["id"] === game.id));
  replay.show(game);
};
for (const game of data.games) {
  list.append(
    h(
      "button",
      { type: "button", class: "game", "data-id": game.id, onclick: () => open(game) },
      h("strong", {}, `generation ${game.generation}`),
      h("span", {}, overText(game.over)),
      h("span", {}, `${game.plies.length} plies`),
      h("span", { class: "opening" }, game.plies.slice(0, 4).map((p) => p.n).join(" ")),
    ),
  );
}
const letters = h("button", { type: "button", "aria-pressed": false }, "Letters instead of kanji");
letters.addEventListener("click", () => {
  settings.letters = !settings.letters;
  letters.setAttribute("aria-pressed", String(settings.letters));
  replay.viewer.board.letters = settings.letters;
});
root.append(
  h("h1", {}, data.run.name),
  facts(data.run),
  problems(data.run) ?? "",
  h("h2", {}, "Curves"),
  curves(data.run),
  h("h2", {}, "Generations and speed"),
  generations(data.run),
  h("h2", {}, "Ratings"),
  ratings(data.run),
  ratingsOf(data.run.ratings).length ? matches(data.run) : "",
  h("h2", {}, "Games"),
  data.games.length ? list : h("p", { class: "empty" }, "No games yet."),
  data.games.length ? h("div", { class: "row" }, letters) : "",
  data.games.length ? replay.el : "",
);
const last = data.games[data.games.length - 1];
if (last) open(last);
document.addEventListener("keydown", (e) => {
  if (!e.ctrlKey && !e.altKey && !e.metaKey && replay.viewer.key(e.key)) e.preventDefault();
});
