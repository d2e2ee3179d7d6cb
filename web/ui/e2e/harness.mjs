// The browser, and what the tests do again and again: opening positions, pressing squares, waiting for moves.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const { ADDRESS, SCRATCH, SHOTS, DIST } = process.env;
export const address = ADDRESS.trim();
const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: flags.split(" "),
});
if (SHOTS) mkdirSync(SHOTS, { recursive: true });

export const wide = { width: 1280, height: 900 };
export const phone = { width: 390, height: 844 };
let failed = 0;

/** A window of its own, without motion. */
export async function newContext(viewport) {
  const context = await browser.newContext({ viewport, reducedMotion: "reduce", hasTouch: viewport === phone });
  // While the page is being changed: its files from here, instead of those in the program.
  if (DIST) {
    const from = (name) => (route) => route.fulfill({ path: `${DIST}/${name}` });
    for (const name of ["app.js", "app.css", "icon.svg"]) await context.route(`**/${name}`, from(name));
    await context.route(`${address}`, from("index.html"));
  }
  return context;
}

/** Runs a test on a page of its own; script errors on the page and requests to elsewhere fail it. */
export async function test(name, viewport, body) {
  if (process.env.ONLY && !new RegExp(process.env.ONLY).test(name)) return;
  const begun = Date.now();
  const context = await newContext(viewport);
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

/** Ends the browser; how many tests failed. */
export async function finish() {
  await browser.close();
  return failed;
}

/** Keeps a picture, if pictures are wanted. */
export async function shot(page, name) {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.jpg`, type: "jpeg", quality: 60 });
}

const shown = ".mode:not([hidden])";

/** The middle of a square, such as 8h, of the board that is shown, in pixels of the window. */
export async function at(page, square) {
  const [, file, rank] = /^(\d+)([a-p])$/.exec(square);
  const svg = page.locator(`${shown} svg.board`).first();
  await svg.scrollIntoViewIfNeeded();
  const box = await svg.boundingBox();
  const width = Number((await svg.getAttribute("viewBox")).split(" ")[2]);
  const files = (width - 92) / 100;
  const hand = (await page.locator(`${shown} .with-hands`).count()) ? 112 : 0;
  const unit = box.width / width;
  return [
    box.x + unit * (46 + (files - Number(file) + 0.5) * 100),
    box.y + unit * (hand + 46 + (rank.charCodeAt(0) - 97 + 0.5) * 100),
  ];
}

/** Presses squares one after the other. */
export async function press(page, ...squares) {
  for (const square of squares) await page.mouse.click(...(await at(page, square)));
}

/** Opens a position for two people, as someone does who was sent the address. */
export async function open(page, sfen, moves = "", game = "tenjiku") {
  const query = new URLSearchParams({ g: game, s: sfen });
  if (moves) query.set("m", moves.split(" ").join("."));
  // An address that differs behind the # alone would be opened without loading, at some later time.
  await page.goto("about:blank");
  await page.goto(`${address}#play?${query}`);
  await page.locator(".play svg.board").waitFor();
}

/** Starts a game by the dialogue; `choices` are values by the controls' names. */
export async function newGame(page, choices) {
  await page.click("#new");
  for (const [id, value] of Object.entries(choices)) {
    if (id === "game" || id === "handicap") await page.selectOption(`#${id}`, value);
    else await page.fill(`#${id}`, value);
  }
  await page.click("dialog button[data-value=ok]");
  // The dialogue is there until the game is.
  await page.locator("dialog").waitFor({ state: "detached" });
}

/** Starts a game against a player as White from a position. */
export function against(page, spec, sfen) {
  return newGame(page, { "player-b": "person", "player-w": spec, sfen });
}

export const moveList = (page) => page.locator(`${shown} .moves button`).allTextContents();
export const status = (page) => page.locator(`${shown} .status`).textContent();
export const pieces = (page) => page.locator(`${shown} .piece`).count();

/** Waits until so many moves are in the list, and gives them. */
export async function moves(page, count) {
  await page.waitForFunction(
    (n) => document.querySelectorAll(".mode:not([hidden]) .moves button").length === n,
    count,
  );
  return moveList(page);
}

/** Waits until the line above the moves says so. */
export async function says(page, pattern) {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector(".mode:not([hidden]) .status").textContent),
    pattern.source,
  );
}
