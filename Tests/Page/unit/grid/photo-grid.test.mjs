import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

globalThis.ResizeObserver = class { observe() {} };
const { PhotoGrid } = await import(new URL("grid/photo-grid.js", page).href);
const { emit } = await import(new URL("data/store.js", page).href);

/** Returns a grid of one photo whose row was forgotten, and how often its rows were asked for. */
function grid(height = 600) {
  const grid = new PhotoGrid();
  grid.build("Photos");
  Object.assign(grid.scroller, { clientHeight: height });
  const asked = { times: 0 };
  grid.pages = { at: () => null, idAt: () => null, count: 1, need: () => { asked.times += 1; } };
  grid.cells.set(0, { id: "photo0" });
  return { grid, asked };
}

test("a visible cell whose row was forgotten has it read again", () => {
  const { grid: shown, asked } = grid();
  emit("rows", { ids: ["another"] });
  assert.equal(asked.times, 1);
  shown.stop.abort();
});

test("when the server answers again, a visible grid reads what is missing", () => {
  const { grid: shown, asked } = grid();
  const { grid: hidden, asked: hiddenAsked } = grid(0);
  emit("connection", { online: false });
  assert.equal(asked.times, 0);
  emit("connection", { online: true });
  assert.deepEqual([asked.times, hiddenAsked.times], [1, 0]);
  shown.stop.abort();
  hidden.stop.abort();
});
