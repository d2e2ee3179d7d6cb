// The page and its server: broken connections, restarts, several tabs.

import { spawn } from "node:child_process";
import assert from "node:assert/strict";
import { address, against, moveList, moves, open, press, says, status, test, wide } from "./harness.mjs";

const { TENJIKU, RUN, SERVER } = process.env;

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


await test("a refused player is told and can be asked again", wide, async (page) => {
  await page.goto(address);
  await page.locator(".play svg.board").waitFor();
  await against(page, 'usi:"no such program"', "");
  await press(page, "9l", "9k");
  await page.locator(".play .notice", { hasText: "was not listed" }).waitFor();
  await page.getByRole("button", { name: "Ask again" }).click();
  await page.locator(".play .notice", { hasText: "was not listed" }).waitFor();
  // The game can still be taken back.
  await page.click("#takeback");
  await moves(page, 0);
});

await test("taking back while the engine thinks, and while its move is on its way", wide, async (page) => {
  await page.goto(address);
  await page.locator(".play svg.board").waitFor();
  await against(page, "engine:movetime=1000", "");
  await press(page, "9l", "9k");
  await says(page, /White/);
  await page.click("#takeback");
  await moves(page, 0);
  await says(page, /Black to move/);
  // Positions come late: the move that is taken back must not come after all.
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  let late = 0;
  await page.route("**/api/position", async (route) => {
    if (late++ === 0) await gate;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/position");
  await press(page, "9l", "9k");
  await asked;
  await page.click("#takeback");
  release();
  // The board is free again as soon as the answer is there.
  for (let i = 0; i < 100 && !(await page.locator(".play .shade.selected").count()); i++) await press(page, "7l");
  assert.deepEqual(await moveList(page), []);
  await press(page, "7k");
  assert.equal((await moves(page, 2))[0], "P-7k");
});

await test("a server that is killed and started again goes on", wide, async (page) => {
  await page.goto(address);
  await page.locator(".play svg.board").waitFor();
  await against(page, "engine:movetime=2000", "");
  await press(page, "9l", "9k");
  await says(page, /White is thinking/);
  process.kill(Number(SERVER), "SIGKILL");
  await page.locator(".lost").waitFor();
  const port = new URL(address).port;
  const next = spawn(TENJIKU, ["serve", "--run", RUN, "--port", port], { stdio: "ignore" });
  process.on("exit", () => next.kill());
  assert.equal((await moves(page, 2))[0], "P-9k");
  await page.locator(".lost").waitFor({ state: "hidden" });
});
