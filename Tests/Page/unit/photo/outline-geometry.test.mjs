import assert from "node:assert/strict";
import { test } from "node:test";
import {
  boundsOf, cornerAt, cornerCount, dotPath, fitOutline, insertCorner, moveCorner, nearestCorner, nearestSide,
  outlinePath, removeCorner, ringOf, WHOLE,
} from "../../../../Sources/CairnServer/Page/photo/outline-geometry.js";

const square = [0.2, 0.2, 0.6, 0.2, 0.6, 0.6, 0.2, 0.6];
const hole = [0.3, 0.3, 0.4, 0.3, 0.4, 0.4];
const triangle = [0.8, 0.8, 0.9, 0.8, 0.9, 0.9];
/** A square with a hole, and a triangle: ten corners. */
const outline = [[square, hole], [triangle]];
const size = { width: 1000, height: 500 };

test("corners are numbered through all rings", () => {
  assert.equal(cornerCount(outline), 10);
  assert.deepEqual(cornerAt(outline, 0), { x: 0.2, y: 0.2 });
  assert.deepEqual(cornerAt(outline, 4), { x: 0.3, y: 0.3 });
  assert.deepEqual(cornerAt(outline, 9), { x: 0.9, y: 0.9 });
  assert.equal(cornerAt(outline, 10), null);
  assert.equal(cornerAt(outline, -1), null);
});

test("a corner moves alone, inside the photo, and leaves the outline before as it was", () => {
  const moved = moveCorner(outline, 8, { x: 1.4, y: -2 });
  assert.deepEqual(moved, [[square, hole], [[0.8, 0.8, 1, 0, 0.9, 0.9]]]);
  assert.deepEqual(triangle, [0.8, 0.8, 0.9, 0.8, 0.9, 0.9]);
  assert.equal(moveCorner(outline, 10, { x: 0, y: 0 }), outline);
});

test("a corner is inserted after another one, halfway to the next or at a point", () => {
  assert.deepEqual(insertCorner(outline, 7)[1][0], [0.8, 0.8, 0.85, 0.8, 0.9, 0.8, 0.9, 0.9]);
  assert.deepEqual(insertCorner(outline, 3)[0][0], [...square, 0.2, 0.4], "the last one is joined to the first");
  assert.deepEqual(insertCorner(outline, 4, { x: 0.35, y: 0.25 })[0][1], [0.3, 0.3, 0.35, 0.25, 0.4, 0.3, 0.4, 0.4]);
});

test("removing corners ends at three, and takes a hole of three as a whole", () => {
  assert.deepEqual(removeCorner(outline, 1)?.[0][0], [0.2, 0.2, 0.6, 0.6, 0.2, 0.6]);
  assert.deepEqual(removeCorner(outline, 5), [[square], [triangle]]);
  assert.equal(removeCorner(outline, 7), null);
});

test("every corner that is inserted can be removed again", () => {
  for (let corner = 0; corner < cornerCount(outline); corner += 1) {
    assert.deepEqual(removeCorner(insertCorner(outline, corner), corner + 1), outline, String(corner));
  }
});

test("the box around an outline is that of its outer rings", () => {
  assert.deepEqual(boundsOf(outline), { x: 0.2, y: 0.2, width: 0.7, height: 0.7 });
});

test("an outline moves and scales with its box", () => {
  const to = { x: 0, y: 0.5, width: 0.5, height: 0.25 };
  const fitted = fitOutline([[square]], boundsOf([[square]]), to);
  assert.deepEqual(fitted, [[[0, 0.5, 0.5, 0.5, 0.5, 0.75, 0, 0.75]]]);
  assert.deepEqual(boundsOf(fitted), to);
});

test("points make a ring without repeated ones, if it encloses something", () => {
  const points = [[0.1, 0.1], [0.1, 0.1], [0.5, 0.1], [0.5, 2], [0.1, 0.1]].map(([x, y]) => ({ x, y }));
  assert.deepEqual(ringOf(points), [0.1, 0.1, 0.5, 0.1, 0.5, 1].slice(2).concat(0.1, 0.1));
  assert.equal(ringOf(points.slice(0, 3)), null);
  assert.equal(ringOf([]), null);
  assert.equal(ringOf([{ x: 0.1, y: 0.1 }, { x: 0.5, y: 0.1 }, { x: 0.9, y: 0.1 }]), null, "a line");
});

test("the pointer takes the nearest corner within reach, in pixels of the screen", () => {
  assert.equal(nearestCorner(outline, { x: 0.605, y: 0.21 }, size, 12), 1);
  assert.equal(nearestCorner(outline, { x: 0.62, y: 0.2 }, size, 12), null, "20 pixels to the right");
  assert.equal(nearestCorner(outline, { x: 0.6, y: 0.22 }, size, 12), 1, "10 pixels below");
});

test("the pointer takes the nearest side within reach", () => {
  const side = nearestSide(outline, { x: 0.4, y: 0.21 }, size, 12);
  assert.equal(side?.corner, 0);
  assert.deepEqual(side?.point, { x: 0.4, y: 0.2 });
  assert.equal(nearestSide(outline, { x: 0.201, y: 0.5 }, size, 12)?.corner, 3, "from the last corner to the first");
  assert.equal(nearestSide(outline, { x: 0.5, y: 0.5 }, size, 12), null);
});

test("an outline is drawn in fractions of its box, with its holes", () => {
  const box = { x: 0.2, y: 0.3, width: 0.4, height: 0.2 };
  const rings = [[0.2, 0.3, 0.6, 0.3, 0.6, 0.5], [0.4, 0.3, 0.5, 0.4, 0.4, 0.4]];
  assert.equal(outlinePath(rings, box), "M0 0L1 0L1 1ZM0.5 0L0.75 0.5L0.5 0.5Z");
  assert.equal(outlinePath([], box), "");
});

test("the corners and sides of an outline are drawn in the same units", () => {
  assert.equal(dotPath([0.1, 0.2, 1 / 3, 1]), "M100 200h0M333.33333 1000h0");
  assert.equal(outlinePath([[0.1, 0.2, 0.5, 1, 0, 0]], WHOLE), "M100 200L500 1000L0 0Z");
});
