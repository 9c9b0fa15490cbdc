import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { GridLayout, MOST_HEIGHT, ScrollScale } = await import(new URL("grid/grid-layout.js", page).href);

/** A generator of numbers from 0 to below `n`, the same for the same seed. */
function random(seed) {
  let state = seed * 2654435761 + 1;
  return (n) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * n);
  };
}

/** A layout with groups of random sizes. */
function layout(seed) {
  const next = random(seed);
  const groups = [];
  let start = 0;
  for (let at = 0; at < 1 + next(30); at += 1) {
    const count = 1 + next(40);
    groups.push({ key: String(at), name: "", start, count });
    start += count;
  }
  const isGrouped = seed % 3 !== 0;
  return new GridLayout({
    count: start, groups: isGrouped ? groups : undefined, width: 200 + next(2000),
    cell: 80 + next(240), gap: 4, header: 44,
  });
}

test("every photo is found again at its place", () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const grid = layout(seed);
    for (let index = 0; index < grid.count; index += 1) {
      const { x, y } = grid.positionOf(index);
      assert.equal(grid.indexAt(x + 1, y + 1), index);
      assert.equal(grid.indexAt(x + grid.side - 1, y + grid.side - 1), index);
    }
  }
});

test("photos fill the width without overlap", () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const grid = layout(seed);
    const places = new Set();
    for (let index = 0; index < grid.count; index += 1) {
      const { x, y } = grid.positionOf(index);
      assert.ok(x >= 0 && x <= (grid.columns - 1) * grid.row);
      assert.ok(y >= grid.header && y + grid.row <= grid.height);
      places.add(`${x},${y}`);
    }
    assert.equal(places.size, grid.count);
  }
});

test("a range holds every photo that it touches, and few others", () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const grid = layout(seed);
    const next = random(seed + 1000);
    for (let round = 0; round < 20; round += 1) {
      const top = next(Math.ceil(grid.height));
      const bottom = top + 1 + next(900);
      const { from, to } = grid.range(top, bottom);
      for (let index = 0; index < grid.count; index += 1) {
        const { y } = grid.positionOf(index);
        const isTouched = y < bottom && y + grid.row > top;
        if (isTouched) assert.ok(index >= from && index < to, `${index} in ${from}..<${to}`);
      }
      assert.ok(from >= 0 && to <= grid.count && from < to);
      assert.ok(to - from <= (Math.ceil((bottom - top) / grid.row) + 2) * grid.columns);
    }
  }
});

test("an empty grid has no photos and no range", () => {
  const grid = new GridLayout({ count: 0, width: 500, cell: 100, gap: 4, header: 44 });
  assert.equal(grid.height, 0);
  assert.equal(grid.indexAt(10, 10), -1);
  assert.deepEqual(grid.range(0, 800), { from: 0, to: 0 });
});

test("up and down keep the column, and cross groups", () => {
  const groups = [{ key: "a", name: "", start: 0, count: 5 }, { key: "b", name: "", start: 5, count: 7 }];
  const grid = new GridLayout({ count: 12, groups, width: 408, cell: 100, gap: 4, header: 40 });
  assert.equal(grid.columns, 4);
  assert.equal(grid.vertical(1, 1), 4); // The second row of the first group has one photo.
  assert.equal(grid.vertical(4, 1), 5);
  assert.equal(grid.vertical(6, 1), 10);
  assert.equal(grid.vertical(10, -1), 6);
  assert.equal(grid.vertical(7, -1), 4);
  assert.equal(grid.vertical(2, -1), 2); // Above the first row is nothing.
  assert.equal(grid.vertical(11, 1), 11);
});

test("the scroll bar reaches both ends of a grid of any height", () => {
  for (const height of [400, 10_000, MOST_HEIGHT, MOST_HEIGHT * 7]) {
    const scale = new ScrollScale(height, 800);
    assert.ok(scale.barHeight <= MOST_HEIGHT);
    assert.equal(scale.toGrid(0), 0);
    const end = Math.max(0, height - 800);
    assert.ok(Math.abs(scale.toGrid(scale.toBar(end)) - end) < 1e-3);
    assert.ok(scale.toBar(end) <= Math.max(0, scale.barHeight - 800) + 1e-6);
  }
});
