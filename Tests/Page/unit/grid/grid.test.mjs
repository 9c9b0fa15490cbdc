import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

globalThis.ResizeObserver = class { observe() {} };
window.innerWidth = 1280;
const { CairnGrid } = await import(new URL("grid/grid.js", page).href);
const { rows } = await import(new URL("data/rows.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

/** @type {number[]} */
let focused;

/** Returns a grid of a set with these photos on the server, whose own focus is at an index. */
function grid(ids, index) {
  const grid = new CairnGrid();
  focused = [];
  Object.assign(grid, { index, relayout() {}, focusIndex: (at) => focused.push(at) });
  rows.find = async (id) => ids.indexOf(id);
  return grid;
}

beforeEach(() => { location.hash = "#/grid"; });

test("the grid goes to the photo that another view gave the focus", async () => {
  store.update({ focus: "c" });
  await grid(["a", "b", "c"], 0).show({});
  assert.deepEqual(focused, [2]);
});

test("after a photo outside of the set, the keys are about the marked photo again", async () => {
  store.update({ focus: "similar" });
  await grid(["a", "b", "c"], 1).show({});
  assert.deepEqual(focused, [1]);
});

test("after a photo outside of the set, the keys are about none if none is marked", async () => {
  store.update({ focus: "similar" });
  await grid(["a", "b", "c"], -1).show({});
  assert.deepEqual([focused, store.focus], [[], null]);
});

test("a photo keeps the focus while it is not known whether it is in the set", async () => {
  store.update({ focus: "c" });
  const unmarked = grid(["a", "b", "c"], -1);
  rows.find = async () => null;
  await unmarked.show({});
  assert.deepEqual([focused, store.focus], [[], "c"]);
  const marked = grid(["a", "b", "c"], 1);
  rows.find = async () => null;
  await marked.show({});
  assert.deepEqual(focused, [1]);
});

test("a photo that was opened meanwhile keeps the focus", async () => {
  store.update({ focus: "c" });
  const shown = grid(["a", "b", "c"], 0).show({});
  location.hash = "#/photo/c";
  await shown;
  assert.deepEqual([focused, store.focus], [[], "c"]);
});
