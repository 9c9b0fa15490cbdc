import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { resizeWithPinch } = await import(new URL("grid/pinch.js", page).href);

/** A grid of cells of 160 pixels under two fingers. */
function scene() {
  const surface = new EventTarget();
  const grid = { sizes: [] };
  resizeWithPinch(surface, { size: () => 160, resize: (size) => grid.sizes.push(size) });
  grid.send = (name, pointerId, clientX, pointerType = "touch") => surface.dispatchEvent(
    Object.assign(new Event(name), { pointerId, clientX, clientY: 0, pointerType }));
  return grid;
}

test("fingers that move apart make the photos larger, and closer together smaller", () => {
  const grid = scene();
  grid.send("pointerdown", 1, 100);
  grid.send("pointerdown", 2, 200);
  grid.send("pointermove", 2, 250);
  grid.send("pointermove", 1, 200);
  assert.deepEqual(grid.sizes, [240, 80]);
});

test("one finger scrolls, also after another one was lifted", () => {
  const grid = scene();
  grid.send("pointerdown", 1, 100);
  grid.send("pointermove", 1, 300);
  grid.send("pointerdown", 2, 200);
  grid.send("pointerup", 2, 200);
  grid.send("pointermove", 1, 500);
  assert.deepEqual(grid.sizes, []);
});

test("a mouse does not pinch", () => {
  const grid = scene();
  grid.send("pointerdown", 1, 100, "mouse");
  grid.send("pointerdown", 2, 200, "touch");
  grid.send("pointermove", 1, 0, "mouse");
  assert.deepEqual(grid.sizes, []);
});
