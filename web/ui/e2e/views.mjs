// Analysis, set-up, the run view, the report, the phone.

import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { address, moves, open, phone, press, shot, test, wide } from "./harness.mjs";

const { TENJIKU, RUN, SCRATCH } = process.env;

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

await test("the set-up editor knows the rules of each game", wide, async (page) => {
  await page.goto(`${address}#analyse`);
  await page.locator(".analyse svg.board").waitFor();
  await page.selectOption("#analyse-game", "shogi");
  await page.locator(".analyse .with-hands").waitFor();
  await page.click("#setup");
  const notice = page.locator(".setup .notice");
  const use = page.locator("#setup-use");
  await page.getByTitle("Black: pawn", { exact: true }).click();
  await press(page, "5e");
  await notice.filter({ hasText: /19 pawns/ }).waitFor();
  assert.ok(await use.isDisabled());
  // One taken off, and there are two on one file.
  await press(page, "4g");
  await notice.filter({ hasText: /file 5/ }).waitFor();
  await press(page, "5e");
  await notice.filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  assert.ok(await use.isEnabled());
  // More in hand than there are.
  await page.locator(".hands input").first().fill("18");
  await page.locator(".hands input").first().press("Tab");
  await notice.filter({ hasText: /pawn/ }).waitFor();
  assert.ok(await use.isDisabled());
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
  // The opening is random, and a fast search records no policy: the last move that has one, seen from the end.
  await page.locator(".replay .nav .last").click();
  const arrows = () => page.locator(".replay .arrow").count();
  for (let i = total; i > 0 && (await arrows()) === 0; i--) await page.locator(".replay .nav .back").click();
  assert.ok((await arrows()) > 0, "a searched move shows the policy");
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

