// Clicks through the served page and the report in headless Chromium. See ../e2e.sh.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const { ADDRESS, TENJIKU, RUN, SCRATCH, SHOTS } = process.env;
const address = ADDRESS.trim();
const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: flags.split(" "),
});
if (SHOTS) mkdirSync(SHOTS, { recursive: true });

const wide = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
let failed = 0;

/** Runs a test on a page of its own; script errors on the page fail it. */
async function test(name, viewport, body) {
  if (process.env.ONLY && !new RegExp(process.env.ONLY).test(name)) return;
  const begun = Date.now();
  const context = await browser.newContext({ viewport, reducedMotion: "reduce", hasTouch: viewport === phone });
  // While the page is being changed: its files from here, instead of those in the program.
  if (process.env.DIST) {
    const from = (name) => (route) => route.fulfill({ path: `${process.env.DIST}/${name}` });
    for (const name of ["app.js", "app.css", "icon.svg"]) await context.route(`**/${name}`, from(name));
    await context.route(`${address}`, from("index.html"));
  }
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const errors = [];
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("console", (m) => m.type() === "error" && !/net::ERR|Failed to load/.test(m.text()) && errors.push(m.text()));
  const foreign = [];
  page.on("request", (r) => {
    if (!r.url().startsWith(address) && !/^(file|data|blob):/.test(r.url())) foreign.push(r.url());
  });
  try {
    await body(page, context);
    assert.deepEqual(errors, [], "errors on the page");
    assert.deepEqual(foreign, [], "requests to elsewhere");
    console.log(`ok   ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}: ${error.stack ?? error}\n  page errors: ${errors.join("; ")}`);
    await page.screenshot({ path: `${SHOTS ?? SCRATCH}/failed-${failed}.png` }).catch(() => {});
  }
  await context.close();
}

async function shot(page, name) {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.jpg`, type: "jpeg", quality: 60 });
}

const FILES = 16;

/** Presses a square, such as 8h, of the board that is shown. */
async function press(page, square, root = ".mode:not([hidden])") {
  const [, file, rank] = /^(\d+)([a-p])$/.exec(square);
  const svg = page.locator(`${root} svg.board`).first();
  await svg.scrollIntoViewIfNeeded();
  const box = await svg.boundingBox();
  const unit = box.width / (FILES * 100 + 92);
  const x = box.x + unit * (46 + (FILES - Number(file) + 0.5) * 100);
  const y = box.y + unit * (46 + (rank.charCodeAt(0) - 97 + 0.5) * 100);
  await page.mouse.click(x, y);
}

/** Opens a position for two people. */
async function open(page, sfen, moves = "") {
  const query = new URLSearchParams({ g: "tenjiku", s: sfen });
  if (moves) query.set("m", moves.split(" ").join("."));
  await page.goto(`${address}#play?${query}`);
  await page.locator(".play svg.board").waitFor();
}

const moveList = (page) => page.locator(".mode:not([hidden]) .moves button").allTextContents();
const status = (page) => page.locator(".mode:not([hidden]) .status").textContent();

/** Waits until so many moves were played. */
async function moves(page, count) {
  await page.waitForFunction(
    (n) => document.querySelectorAll(".mode:not([hidden]) .moves button").length >= n,
    count,
  );
  return moveList(page);
}

/** Starts a game against a player as White from a position. */
async function against(page, spec, sfen) {
  await page.click("#new");
  await page.fill("#player-b", "person");
  await page.fill("#player-w", spec);
  await page.fill("#sfen", sfen);
  await page.click("dialog button[data-value=ok]");
  await page.locator("dialog").waitFor({ state: "detached" });
}

// Ten own moves against the engine, with every special move among them. White's pieces are few and far away, but for
// those that the moves need.
await test("ten moves against the engine: promotion, double capture, igui, burning, suicide", wide, async (page) => {
  await page.goto(address);
  await page.locator(".play svg.board").waitFor();
  assert.equal(await page.locator(".play .piece").count(), 156);
  await shot(page, "play-1280");

  // The lion takes two pawns in one move.
  await against(page, "engine:depth=1", "15k/16/16/16/16/9p6/8p7/8[LN]7/16/16/16/16/16/16/16/K15 b - 1");
  await press(page, "8h");
  await press(page, "8g");
  assert.match(await page.locator(".hint").first().textContent(), /Second step/);
  await press(page, "7f");
  let list = await moves(page, 2);
  assert.equal(list[0], "Lnx8gx7f");
  // Nine more with the lion and the king against the engine's king.
  for (let i = 0; i < 9; i++) {
    const before = (await moveList(page)).length;
    await press(page, i % 2 ? "16o" : i === 0 ? "16p" : "16p");
    await press(page, i % 2 ? "16p" : "16o");
    await moves(page, before + 2);
  }
  list = await moveList(page);
  assert.equal(list.length, 20);
  assert.match(await status(page), /Black to move/);
  // Taking back goes to before the own move.
  await page.click("#takeback");
  await page.waitForFunction(() => document.querySelectorAll(".play .moves button").length === 18);

  // A lion takes its neighbour and stays.
  await against(page, "engine:depth=1", "15k/16/16/16/16/16/8p7/8[LN]7/16/16/16/16/16/16/16/K15 b - 1");
  await press(page, "8h");
  await press(page, "8g");
  await press(page, "8h");
  list = await moves(page, 2);
  assert.equal(list[0], "Lnx!8g");

  // A pawn enters the zone and may promote.
  await against(page, "engine:depth=1", "15k/16/16/16/16/8P7/16/16/16/16/16/16/16/16/16/K15 b - 1");
  await press(page, "8f");
  await press(page, "8e");
  await page.locator("dialog").waitFor();
  await shot(page, "promotion-1280");
  await page.keyboard.press("+");
  list = await moves(page, 2);
  assert.equal(list[0], "P-8e+");

  // A fire demon burns its neighbours; they are gone, and the squares are marked.
  await against(page, "engine:depth=1", "15k/16/16/16/16/16/7ppp6/7p1p6/[FD]6p1p6/16/16/16/16/16/16/K15 b - 1");
  await press(page, "16i");
  await page.mouse.move(0, 0);
  await shot(page, "targets-1280");
  await press(page, "10i");
  list = await moves(page, 2);
  assert.equal(list[0], "FD-10ix!9h,9i");

  // A king's pawn steps next to White's demon and is burned.
  await against(page, "random", "15k/16/16/16/16/16/16/8[fd]7/16/8P7/16/16/16/16/16/K15 b - 1");
  await press(page, "8j");
  await page.locator(".play .target.suicide").waitFor();
  await press(page, "8i");
  list = await moves(page, 2);
  assert.equal(list[0], "P-8i*");
});

await test("burning on the full board, drag, keyboard, letters, take back, resign, reload", wide, async (page) => {
  await open(page, "");
  const pieces = () => page.locator(".play .piece").count();
  // The moves of the picture in the README: the demon on 3f burns.
  const start = "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q[ln][kr][bt]1[cs][cs]1[rc]/16/16/pppppppppppppppp/16/16/16/16/7[fd]8/5[WB]3PPP4/PPPPPPPPPPPPPPPP/16/16/16/8K7 b - 1";
  await open(page, start);
  await page.waitForFunction(() => document.querySelectorAll(".play .piece").length > 0);
  // Drag a pawn.
  const svg = page.locator(".play svg.board");
  const box = await svg.boundingBox();
  const at = (column, row) => [box.x + (box.width / 1692) * (46 + (column + 0.5) * 100), box.y + (box.width / 1692) * (46 + (row + 0.5) * 100)];
  await page.mouse.move(...at(0, 11));
  await page.mouse.down();
  await page.mouse.move(...at(0, 10), { steps: 5 });
  await page.mouse.up();
  assert.deepEqual(await moves(page, 1), ["P-16k"]);
  // By keyboard: White's pawn 8e to 8f, seven rows up from where the cursor is.
  await svg.focus();
  await page.keyboard.press("ArrowUp");
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowUp");
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal((await moves(page, 2)).length, 2);
  const before = await pieces();
  await page.click("#letters");
  assert.ok((await page.locator(".play .piece text.latin").count()) > 50);
  await page.click("#letters");
  await page.reload();
  assert.equal((await moves(page, 2)).length, 2);
  assert.equal(await pieces(), before);
  await page.click("#takeback");
  await page.waitForFunction(() => document.querySelectorAll(".play .moves button").length === 1);
  await page.click("#resign");
  await page.click("dialog button[data-value=yes]");
  await page.waitForFunction(() => /has won \(resignation\)/.test(document.querySelector(".play .status").textContent));
});

await test("export and import bring the game back; bad texts are told", wide, async (page) => {
  await open(page, "", "9l9k 8e8f 7l7k");
  await moves(page, 3);
  await page.click("#export");
  const text = await page.locator("dialog textarea").inputValue();
  assert.match(text, /1\. P-9k P-8f/);
  await page.click("dialog button[data-value=close]");
  await page.click("#import");
  await page.fill("dialog textarea", text);
  await page.click("dialog button[data-value=ok]");
  assert.equal((await moves(page, 3)).length, 3);
  await page.click("#import");
  await page.fill("dialog textarea", "1. K-1a");
  await page.click("dialog button[data-value=ok]");
  await page.getByText("move 1").first().waitFor();
  await page.click("dialog button[data-value=no]");
  await page.goto(`${address}#play?g=tenjiku&s=nonsense`);
  await page.reload();
  await page.getByText("bad SFEN").waitFor();
});

await test("shogi: a drop from the hand", wide, async (page) => {
  const query = new URLSearchParams({ g: "shogi", s: "4k4/9/9/9/9/9/9/9/4K4 b G 1" });
  await page.goto(`${address}#play?${query}`);
  const svg = page.locator(".play svg.board");
  await svg.waitFor();
  const box = await svg.boundingBox();
  const unit = box.width / 992;
  // Black's hand is below the board; the gold is the fifth of seven kinds.
  await page.mouse.click(box.x + unit * (46 + (4.5 * 900) / 7), box.y + unit * (112 + 46 + 900 + 46 + 56));
  await page.mouse.click(box.x + unit * (46 + 450), box.y + unit * (112 + 46 + 150));
  assert.equal((await moves(page, 1)).length, 1);
});

await test("an engine's answer survives a reload and a broken connection", wide, async (page, context) => {
  await page.goto(address);
  await page.locator(".play svg.board").waitFor();
  await against(page, "engine:movetime=1000", "");
  await press(page, "9l");
  await page.locator(".play .target").first().waitFor();
  await context.setOffline(true);
  await press(page, "9k");
  await page.locator(".lost").waitFor();
  await context.setOffline(false);
  await moves(page, 1);
  // Leaving in the middle of the engine's thinking: the question goes on, or its answer is there already.
  await page.reload();
  assert.equal((await moves(page, 2)).length, 2);
  await page.reload();
  assert.equal((await moves(page, 2)).length, 2);
});

await test("analysis: network and engine side by side, arrows, set-up editor", wide, async (page) => {
  await page.goto(`${address}#analyse`);
  await page.locator(".analyse svg.board").waitFor();
  const panels = page.locator(".analyse .panel");
  assert.equal(await panels.count(), 2);
  await panels.nth(0).locator("input[type=number]").first().fill("64");
  await panels.nth(0).locator("button.go").click();
  await panels.nth(0).locator(".lines tbody tr").first().waitFor();
  await page.locator(".analyse .arrow").first().waitFor({ state: "attached" });
  await panels.nth(1).locator("button.go").click();
  await panels.nth(1).locator(".pv").waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".analyse button.go")].every((b) => b.textContent === "Analyse"),
  );
  await shot(page, "analyse-1280");
  await page.click("#setup");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText(/has won|royal/).first().waitFor();
  await page.getByTitle("Black: king (gyokushō)").click();
  await press(page, "8p");
  await page.getByTitle("White: king (gyokushō)").click();
  await press(page, "8a");
  await page.getByTitle("Black: fire demon (kaki)", { exact: true }).click();
  await press(page, "8h");
  await page.waitForFunction(() => document.querySelector(".setup .notice").textContent === "");
  await shot(page, "setup-1280");
  await page.click("#setup-use");
  await page.locator(".analyse .moves").waitFor();
  assert.equal(await page.locator(".analyse .piece").count(), 3);
});

await test("the run view of a live run: curves, games, a replay", wide, async (page) => {
  await page.goto(`${address}#run`);
  await page.locator(".run button.game").first().waitFor();
  const games = async () => Number((await page.locator(".run .facts dd").nth(1).textContent()).replaceAll(",", ""));
  const first = await games();
  await page.locator(".run svg.chart").first().waitFor();
  await page.waitForFunction(
    (n) => Number(document.querySelectorAll(".run .facts dd")[1].textContent.replaceAll(",", "")) > n,
    first,
    { timeout: 90000 },
  );
  await shot(page, "run-1280");
  await page.locator(".run button.game").first().click();
  await page.locator(".run .replay svg.board").waitFor();
  await page.locator(".run .replay .nav .on").click();
  await page.locator(".run .replay .nav .on").click();
  assert.match(await page.locator(".run .replay .counter").textContent(), /^2 \//);
  await page.selectOption("#q-reason", "illegal_move");
  await page.getByText("No game fits.").waitFor();
});

await test("two tabs play two games", wide, async (page, context) => {
  await open(page, "", "9l9k");
  const other = await context.newPage();
  await open(other, "", "7l7k 8e8f");
  await moves(other, 2);
  await press(page, "8e");
  await press(page, "8f");
  await moves(page, 2);
  assert.deepEqual((await moveList(page))[0], "P-9k");
  assert.deepEqual((await moveList(other))[0], "P-7k");
});

const report = `${SCRATCH}/report.html`;
await test("the report: no network, a game move by move", wide, async (page) => {
  execFileSync(TENJIKU, ["report", "--run", RUN, "--out", report]);
  await page.goto(`file://${report}`);
  await page.locator("svg.chart").first().waitFor();
  await shot(page, "report-1280");
  await page.locator("button.game").first().click();
  const total = await page.locator(".replay .moves button").count();
  assert.ok(total > 5);
  const counter = page.locator(".replay .counter");
  for (let i = 1; i <= total; i++) {
    await page.locator(".replay .nav .on").click();
    assert.equal(await counter.textContent(), `${i} / ${total}`);
  }
  assert.equal(await page.locator(".replay .nav .first").click().then(() => page.locator(".replay .piece").count()), 156);
  // The opening is random; the last move was searched.
  await page.locator(".replay .nav .last").click();
  await page.locator(".replay .nav .back").click();
  await page.locator(".replay .arrow").first().waitFor({ state: "attached" });
  await page.locator(".replay").scrollIntoViewIfNeeded();
  await page.locator(".replay .wingraph").click({ position: { x: 60, y: 40 } });
  await shot(page, "report-game-1280");
});

await test("on a phone: play by touch, run view, report", phone, async (page) => {
  await open(page, "");
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok((await width()) <= 390, "nothing is wider than the screen");
  await press(page, "9l");
  await page.locator(".play .target").first().waitFor();
  await shot(page, "play-390");
  await press(page, "9k");
  await moves(page, 1);
  await page.goto(`${address}#analyse`);
  await page.locator(".analyse svg.board").waitFor();
  assert.ok((await width()) <= 390);
  await page.goto(`${address}#run`);
  await page.locator(".run button.game").first().waitFor();
  assert.ok((await width()) <= 390);
  await shot(page, "run-390");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`file://${report}`);
  await page.locator(".replay svg.board").scrollIntoViewIfNeeded();
  assert.ok((await width()) <= 390);
  await shot(page, "report-390");
});

await browser.close();
if (failed) {
  console.log(`${failed} failed`);
  process.exit(1);
}
console.log("all passed");
