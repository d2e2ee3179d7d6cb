// Playing at one board: how moves are entered, clocks, handicaps, ends, texts.

import assert from "node:assert/strict";
import { address, at, moveList, moves, newContext, newGame, open, pieces, press, says, status, test, wide } from "./harness.mjs";

await test("burning on the full board, drag, keyboard, letters, take back, resign, reload", wide, async (page) => {
  // The moves of the picture in the README: the demon on 3f burns.
  const start = "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q[ln][kr][bt]1[cs][cs]1[rc]/16/16/pppppppppppppppp/16/16/16/16/7[fd]8/5[WB]3PPP4/PPPPPPPPPPPPPPPP/16/16/16/8K7 b - 1";
  await open(page, start);
  await page.waitForFunction(() => document.querySelectorAll(".play .piece").length > 0);
  // Drag a pawn.
  await page.mouse.move(...(await at(page, "16l")));
  await page.mouse.down();
  await page.mouse.move(...(await at(page, "16k")), { steps: 5 });
  await page.mouse.up();
  assert.deepEqual(await moves(page, 1), ["P-16k"]);
  // By keyboard: White's pawn 8e to 8f, seven rows up from where the cursor is.
  await page.locator(".play svg.board").focus();
  await page.keyboard.press("ArrowUp");
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowUp");
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal((await moves(page, 2)).length, 2);
  // Through the game and back, and the board turned: the board's own keys are arrows, the page's are these.
  await page.locator("#new").focus();
  const counter = page.locator(".play .counter");
  await page.keyboard.press(",");
  assert.equal(await counter.textContent(), "1 / 2");
  assert.match(await status(page), /earlier position/);
  await page.keyboard.press(".");
  assert.equal(await counter.textContent(), "2 / 2");
  const first = () => page.locator(".play .piece").first().getAttribute("transform");
  const upright = await first();
  await page.keyboard.press("f");
  assert.notEqual(await first(), upright);
  await page.keyboard.press("f");
  assert.equal(await first(), upright);
  const before = await pieces(page);
  await page.click("#letters");
  assert.ok((await page.locator(".play .piece text.latin").count()) > 50);
  await page.click("#letters");
  await page.reload();
  assert.equal((await moves(page, 2)).length, 2);
  assert.equal(await pieces(page), before);
  await page.click("#takeback");
  await moves(page, 1);
  await page.click("#resign");
  await page.click("dialog button[data-value=yes]");
  await says(page, /Black has won \(resignation\)/);
});

await test("export and import bring the game back; bad texts are told", wide, async (page) => {
  await open(page, "", "9l9k 8e8f 7l7k");
  await moves(page, 3);
  await page.click("#export");
  const text = await page.locator("dialog textarea").inputValue();
  assert.match(text, /1\. P-9k P-8f/);
  await page.click("dialog button[data-value=close]");
  await page.click("#takeback");
  await moves(page, 2);
  await page.click("#import");
  await page.fill("dialog textarea", text);
  await page.click("dialog button[data-value=ok]");
  assert.equal((await moves(page, 3)).length, 3);
  await page.click("#import");
  await page.fill("dialog textarea", "1. K-1a");
  await page.click("dialog button[data-value=ok]");
  await page.getByText("move 1").first().waitFor();
  await page.click("dialog button[data-value=no]");
  await open(page, "nonsense");
  await page.getByText("bad SFEN").waitFor();
});

await test("shogi: a drop from the hand", wide, async (page) => {
  await open(page, "4k4/9/9/9/9/9/9/9/4K4 b G 1", "", "shogi");
  const box = await page.locator(".play svg.board").boundingBox();
  const unit = box.width / 992;
  // Black's hand is below the board; the gold is the fifth of seven kinds.
  await page.mouse.click(box.x + unit * (46 + (4.5 * 900) / 7), box.y + unit * (112 + 46 + 900 + 46 + 56));
  await press(page, "5b");
  assert.deepEqual(await moves(page, 1), ["G*5b"]);
});


const people = { "player-b": "person", "player-w": "person" };

await test("clocks: they run, gain, come back with a move, go on while away, and end the game", wide, async (page) => {
  // The page's time is the test's: it passes only where that says so.
  await page.clock.install({ time: 0 });
  await page.goto(address);
  await page.locator(".play svg.board").waitFor();
  await page.clock.pauseAt(3_600_000);
  await newGame(page, { ...people, minutes: "1", increment: "10" });
  // White's time is above the board, Black's below.
  const times = () => page.locator(".play .time").allTextContents();
  assert.deepEqual(await times(), ["1:00", "1:00"]);
  await page.clock.runFor(5000);
  assert.deepEqual(await times(), ["1:00", "0:55"]);
  await press(page, "9l", "9k");
  await moves(page, 1);
  assert.deepEqual(await times(), ["1:00", "1:05"]);
  await page.clock.runFor(20000);
  assert.deepEqual(await times(), ["0:40", "1:05"]);
  await page.goto("about:blank");
  await page.clock.runFor(15000);
  await page.goto(address);
  await moves(page, 1);
  assert.deepEqual(await times(), ["0:25", "1:05"]);
  await page.click("#takeback");
  await moves(page, 0);
  assert.deepEqual(await times(), ["1:00", "1:00"]);
  await page.clock.runFor(61000);
  await says(page, /White has won \(time\)/);
  await press(page, "9l");
  assert.equal(await page.locator(".play .target:not(.reach)").count(), 0);
});

await test("handicaps and rules are chosen; what is wrong is told and the old game stays", wide, async (page) => {
  await open(page, "", "9l9k");
  await moves(page, 1);
  await page.click("#new");
  await page.fill("#rules", "nonsense");
  await page.click("dialog button[data-value=ok]");
  await page.locator("dialog .notice", { hasText: "unknown preset `nonsense`" }).waitFor();
  await page.click("dialog button[data-value=no]");
  assert.deepEqual(await moveList(page), ["P-9k"]);
  // White gives both fire demons and begins.
  await newGame(page, { ...people, rules: "western", handicap: "2fd" });
  assert.equal(await pieces(page), 154);
  assert.match(await status(page), /White to move/);
  assert.ok(page.url().includes("r=western"));
  // Rook and bishop, in a game with other handicaps.
  await newGame(page, { ...people, game: "shogi", rules: "", handicap: "2" });
  assert.equal(await pieces(page), 38);
  assert.match(await status(page), /White to move/);
});

await test("shogi: a declaration where the points are there", wide, async (page) => {
  const board = "9/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 b";
  await open(page, `${board} 9P 1`, "", "shogi");
  assert.ok(await page.locator("#declare").isHidden());
  await open(page, `${board} 10P 1`, "", "shogi");
  await page.click("#declare");
  await says(page, /Black has won \(declaration\)/);
});

await test("the address shares the game; dark stays dark", wide, async (page) => {
  await open(page, "", "9l9k 8e8f");
  await press(page, "7l", "7k");
  const list = await moves(page, 3);
  const context = await newContext(wide);
  const other = await context.newPage();
  await other.goto(page.url());
  assert.deepEqual(await moves(other, 3), list);
  await context.close();

  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click("#theme");
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  await moves(page, 3);
  assert.equal(await ground(), dark);
  await page.click("#theme");
  assert.equal(await ground(), light);
});
