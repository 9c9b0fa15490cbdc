import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { decodePoints, inReadingOrder, nearest, paintPoints, PlaneCamera, PointFilter, within } =
  await import(new URL("similarity/similarity-plane.js", page).href);

/** Four points: index, x, y, class, confirmed. */
const points = decodePoints([[3, 0.1, 0.1, 0, 1], [5, 0.9, 0.1, 1, 0], [7, 0.5, 0.5, -1, 0], [9, 0.9, 0.9, 0, 0]]);

function camera(values = {}) {
  const own = new PlaneCamera();
  own.resize(1000, 500);
  return Object.assign(own, values);
}

/** A filter that shows only one class. */
const only = (/** @type {number|null} */ number) => Object.assign(new PointFilter(), { only: number });

test("the points of the server are kept by column", () => {
  assert.equal(points.count, 4);
  assert.deepEqual([...points.index], [3, 5, 7, 9]);
  assert.deepEqual([...points.group], [0, 1, -1, 0]);
  assert.deepEqual([...points.confirmed], [1, 0, 0, 0]);
  assert.equal(decodePoints([]).count, 0);
});

test("the camera shows the whole plane, and places agree in both directions", () => {
  const own = camera();
  assert.deepEqual(own.project({ x: 0.5, y: 0.5 }), { x: 500, y: 250 });
  assert.ok(own.project({ x: 0, y: 0 }).y > 0 && own.project({ x: 1, y: 1 }).y < 500);
  const there = own.unproject(640, 120);
  const back = own.project(there);
  assert.ok(Math.hypot(back.x - 640, back.y - 120) < 1e-9);
});

test("zooming keeps what is under the pointer, within limits", () => {
  const own = camera();
  const before = own.unproject(700, 200);
  own.zoomAt(3, 700, 200);
  const after = own.project(before);
  assert.ok(Math.hypot(after.x - 700, after.y - 200) < 1e-6);
  own.zoomAt(99);
  assert.equal(own.zoom, 12);
  own.zoomAt(-5);
  assert.equal(own.zoom, 0);
  own.panBy(1e6, -1e6);
  assert.deepEqual([own.x, own.y], [0, 1]);
  own.fit();
  assert.deepEqual([own.x, own.y, own.zoom], [0.5, 0.5, 0]);
});

test("the nearest point is found within reach, and only of the class that is shown", () => {
  const own = camera();
  const { x, y } = own.project({ x: 0.9, y: 0.1 });
  assert.equal(nearest(points, own, { x: x + 5, y }, 8, only(null)), 1);
  assert.equal(nearest(points, own, { x: x + 9, y }, 8, only(null)), -1);
  assert.equal(nearest(points, own, { x, y }, 8, only(0)), -1);
  assert.equal(nearest(points, own, { x, y }, 1000, only(0)), 3);
});

test("an area has the points in it", () => {
  const own = camera();
  const view = { x: 0, y: 0, width: 1000, height: 500 };
  assert.deepEqual(within(points, own, view, only(null)), [0, 1, 2, 3]);
  assert.deepEqual(within(points, own, view, only(0)), [0, 3]);
  assert.deepEqual(within(points, own, { x: 500, y: 0, width: 500, height: 249 }, only(null)), [1]);
  own.zoomAt(8);
  assert.deepEqual(within(points, own, view, only(null)), [2]);
});

test("the reading order goes line by line", () => {
  assert.deepEqual(inReadingOrder(points, [3, 2, 1, 0], 0.2), [0, 1, 2, 3]);
  assert.deepEqual(inReadingOrder(points, [1, 3, 2], 2), [2, 1, 3]);
});

test("confirmed points are filled, predicted ones outlined, and selected ones have an edge", () => {
  const own = camera();
  own.resize(100, 100);
  const paint = { classes: [10, 11], none: 12, faded: 13, selected: 14 };
  /** Returns the colors of a row of pixels through the middle of a point. */
  const row = (/** @type {number} */ at, options = {}) => {
    const data = new Uint32Array(100 * 100);
    paintPoints({ data, width: 100, height: 100 }, points, own,
      { ratio: 1, paint, filter: only(null), selected: null, ...options });
    const { x, y } = own.project({ x: points.x[at], y: points.y[at] });
    const start = Math.round(y) * 100 + Math.round(x);
    return [...data.subarray(start - 5, start + 5)];
  };
  assert.deepEqual(row(0).filter(Boolean), [10, 10, 10, 10]);
  assert.deepEqual(row(1).filter(Boolean), [11, 11]);
  assert.deepEqual(row(2).filter(Boolean), [12, 12, 12, 12]);
  assert.deepEqual(row(1, { filter: only(0) }).filter(Boolean), [13, 13]);
  assert.deepEqual(row(0, { selected: Uint8Array.of(1, 0, 0, 0) }).filter(Boolean), [14, 14, 10, 10, 10, 10, 14, 14]);
});

test("nothing is drawn outside of the image", () => {
  const own = camera();
  own.zoomAt(12);
  own.panBy(1e7, 1e7);
  const data = new Uint32Array(1000 * 500);
  paintPoints({ data, width: 1000, height: 500 }, points, own, {
    ratio: 1, paint: { classes: [10, 11], none: 12, faded: 13, selected: 14 }, filter: only(null), selected: null,
  });
  assert.ok(data.every((color) => color === 0));
});
