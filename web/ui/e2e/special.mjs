// The special moves of tenjiku against the engine, and how they are shown.

import assert from "node:assert/strict";
import { address, against, moveList, moves, open, pieces, press, shot, status, test, wide } from "./harness.mjs";

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
    await press(page, ...(i % 2 ? ["16o", "16p"] : ["16p", "16o"]));
    await moves(page, before + 2);
  }
  list = await moveList(page);
  assert.equal(list.length, 20);
  assert.match(await status(page), /Black to move/);
  // Taking back goes to before the own move.
  await page.click("#takeback");
  await moves(page, 18);

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


await test("signs tell how a square is reached; the pass by key", wide, async (page) => {
  await open(page, "15k/16/16/16/16/9p6/8p7/8[LN]7/16/16/16/16/16/16/16/K15 b - 1");
  await press(page, "8h");
  for (const kind of ["step", "jump", "second", "pass"]) {
    assert.ok((await page.locator(`.play .target.${kind}`).count()) > 0, kind);
  }
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".play .target:not(.reach)").count(), 0);
  await press(page, "8h");
  await page.keyboard.press("p");
  assert.equal((await moves(page, 1)).length, 1);
  assert.match(await status(page), /White to move/);
  assert.equal(await pieces(page), 5);
});

/** Counts what moves, burns and is taken on the board from now on. */
async function watch(page) {
  await page.evaluate(() => {
    window.seen = { moved: new Set(), burning: new Set(), taken: new Set(), flames: 0 };
    const look = (records) => {
      for (const { target, addedNodes, attributeName } of records) {
        for (const node of addedNodes) if (node.querySelector?.(".flame.rising")) window.seen.flames++;
        if (attributeName === "transform") window.seen.moved.add(target);
        for (const kind of ["burning", "taken"]) if (target.classList.contains(kind)) window.seen[kind].add(target);
      }
    };
    const options = { subtree: true, childList: true, attributes: true, attributeFilter: ["class", "transform"] };
    new MutationObserver(look).observe(document.querySelector(".play svg.board"), options);
  });
  return () =>
    page.evaluate(() => {
      const { moved, burning, taken, flames } = window.seen;
      return { moved: moved.size, burning: burning.size, taken: taken.size, flames };
    });
}

await test("burning, a clash and a double capture are seen, but for those who want no motion", wide, async (page) => {
  const cases = [
    // A demon takes one pawn and burns the one above.
    ["15k/16/16/16/16/16/7ppp6/7p1p6/[FD]6p1p6/16/16/16/16/16/16/K15 b - 1", ["16i", "9i"], { burning: 1, taken: 1 }],
    // A demon that lands beside the other side's demon burns itself, and nothing else.
    ["15k/16/16/16/16/16/16/8[fd]7/[FD]15/16/16/16/16/16/16/K15 b - 1", ["16i", "9i"], { burning: 1, taken: 0 }],
    // The lion takes two.
    ["15k/16/16/16/16/9p6/8p7/8[LN]7/16/16/16/16/16/16/16/K15 b - 1", ["8h", "8g", "7f"], { burning: 0, taken: 2 }],
  ];
  for (const motion of ["no-preference", "reduce"]) {
    await page.emulateMedia({ reducedMotion: motion });
    for (const [sfen, squares, { burning, taken }] of cases) {
      await open(page, sfen);
      const before = await pieces(page);
      const seen = await watch(page);
      await press(page, ...squares);
      await moves(page, 1);
      // The animation's end is the position as it is now.
      await page.waitForFunction((n) => document.querySelectorAll(".play .piece").length === n, before - burning - taken);
      const expected =
        motion === "reduce"
          ? { moved: 0, burning: 0, taken: 0, flames: 0 }
          : { moved: 1, burning, taken, flames: burning };
      assert.deepEqual(await seen(), expected, `${sfen}, ${motion}`);
    }
  }
});
