import assert from "node:assert/strict";
import { test } from "node:test";
import {
  boxBetween, HANDLES, moveBox, resizeBox, sameBox, SMALLEST, smallestAt,
} from "../../../../Sources/CairnServer/Page/photo/box-geometry.js";

const box = { x: 0.2, y: 0.3, width: 0.4, height: 0.2 };

function isInside({ x, y, width, height }) {
  return x >= 0 && y >= 0 && width >= SMALLEST - 1e-9 && height >= SMALLEST - 1e-9
    && x + width <= 1 + 1e-9 && y + height <= 1 + 1e-9;
}

test("a box is the same in whichever direction it is drawn", () => {
  const corners = [{ x: 0.1, y: 0.2 }, { x: 0.5, y: 0.6 }];
  const drawn = { x: 0.1, y: 0.2, width: 0.4, height: 0.4 };
  assert.deepEqual(boxBetween(corners[0], corners[1]), drawn);
  assert.deepEqual(boxBetween(corners[1], corners[0]), drawn);
});

test("a box drawn beyond the photo ends at its edge", () => {
  assert.deepEqual(boxBetween({ x: -0.5, y: 0.5 }, { x: 0.5, y: 3 }), { x: 0, y: 0.5, width: 0.5, height: 0.5 });
});

test("a click draws no box", () => {
  assert.equal(boxBetween({ x: 0.4, y: 0.4 }, { x: 0.401, y: 0.7 }), null);
  assert.equal(boxBetween({ x: 2, y: 2 }, { x: 3, y: 3 }), null);
});

test("moving keeps the size and stays inside", () => {
  for (const [dx, dy] of [[0.1, 0.1], [-1, 0], [5, 5], [0, -0.9], [0.4, 0.5]]) {
    const moved = moveBox(box, dx, dy);
    assert.equal(moved.width, box.width);
    assert.equal(moved.height, box.height);
    assert.ok(isInside(moved));
  }
  assert.deepEqual(moveBox(box, 0.1, -0.1), { ...box, x: 0.3, y: 0.2 });
});

test("a handle moves its sides and leaves the opposite ones", () => {
  for (const handle of HANDLES) {
    for (const [dx, dy] of [[0.05, 0.05], [-0.05, -0.05], [-3, -3], [3, 3]]) {
      const resized = resizeBox(box, handle, dx, dy);
      assert.ok(isInside(resized), `${handle} ${dx}`);
      const kept = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a - b) < 2e-5;
      if (!handle.includes("w")) assert.ok(kept(resized.x, box.x));
      if (!handle.includes("n")) assert.ok(kept(resized.y, box.y));
      if (!handle.includes("e")) assert.ok(kept(resized.x + resized.width, 0.6));
      if (!handle.includes("s")) assert.ok(kept(resized.y + resized.height, 0.5));
    }
  }
});

test("a resized box has at most five digits, so that an unchanged side stays equal", () => {
  const odd = resizeBox(box, "se", 1 / 3, 1 / 7);
  for (const value of Object.values(odd)) assert.equal(value, Math.round(value * 1e5) / 1e5);
});

test("a click selects the smallest box around it", () => {
  const outer = { label: "outer", box: { x: 0, y: 0, width: 1, height: 1 } };
  const inner = { label: "inner", box };
  assert.equal(smallestAt([outer, inner], { x: 0.3, y: 0.4 })?.label, "inner");
  assert.equal(smallestAt([inner, outer], { x: 0.9, y: 0.9 })?.label, "outer");
  assert.equal(smallestAt([inner], { x: 0.9, y: 0.9 }), null);
});

test("boxes that differ by less than a pixel are the same", () => {
  assert.ok(sameBox(box, { ...box, x: 0.20001 }));
  assert.ok(!sameBox(box, { ...box, height: 0.201 }));
});
