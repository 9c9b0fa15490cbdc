import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clampView, FIT, fitScale, frameOf, maximumZoom, panBy, pinch, previewSide, toPhoto, zoomAt,
} from "../../../../Sources/CairnServer/Page/photo/zoom.js";

const stage = { width: 900, height: 600 };
const shapes = [
  { width: 4000, height: 3000 }, { width: 3000, height: 4000 }, { width: 100, height: 5000 },
  { width: 40, height: 30 },
];

/** Numbers that are the same in every run. */
function* numbers(seed) {
  for (let state = seed; ;) {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

function near(actual, expected, margin = 1e-6) {
  assert.ok(Math.abs(actual - expected) <= margin, `${actual} is not ${expected}`);
}

test("a fitted photo is inside the stage and touches two sides", () => {
  for (const photo of shapes) {
    const { left, top, width, height } = frameOf(stage, photo, FIT);
    near(Math.max(width / stage.width, height / stage.height), 1);
    near(left, (stage.width - width) / 2);
    near(top, (stage.height - height) / 2);
    near(width / height, photo.width / photo.height);
  }
});

test("zooming keeps the point under the pointer, unless an edge of the photo stops it", () => {
  const random = numbers(3);
  const next = () => random.next().value;
  const photo = shapes[0];
  let kept = 0;
  for (let round = 0; round < 500; round += 1) {
    const view = clampView(stage, photo, { zoom: 1 + 5 * next(), x: next(), y: next() });
    const point = { x: next() * stage.width, y: next() * stage.height };
    const before = toPhoto(frameOf(stage, photo, view), point);
    const after = zoomAt(stage, photo, view, point, 1.3);
    const frame = frameOf(stage, photo, after);
    const place = toPhoto(frame, point);
    if (frame.width > stage.width && frame.height > stage.height) {
      const edge = [frame.left, frame.top, stage.width - frame.left - frame.width,
        stage.height - frame.top - frame.height].some((side) => Math.abs(side) < 1e-6);
      if (edge) continue;
      near(place.x, before.x);
      near(place.y, before.y);
      kept += 1;
    }
  }
  assert.ok(kept > 200);
});

test("the stage is never empty where the photo could be", () => {
  const random = numbers(11);
  const next = () => random.next().value;
  for (const photo of shapes) {
    let view = { ...FIT };
    for (let round = 0; round < 300; round += 1) {
      view = next() < 0.5
        ? panBy(stage, photo, view, 800 * (next() - 0.5), 800 * (next() - 0.5))
        : zoomAt(stage, photo, view, { x: 900 * next(), y: 600 * next() }, 0.5 + next());
      const { left, top, width, height } = frameOf(stage, photo, view);
      assert.ok(view.zoom >= 1 && view.zoom <= maximumZoom(stage, photo));
      if (width >= stage.width) assert.ok(left <= 1e-6 && left + width >= stage.width - 1e-6);
      else near(left + width / 2, stage.width / 2);
      if (height >= stage.height) assert.ok(top <= 1e-6 && top + height >= stage.height - 1e-6);
      else near(top + height / 2, stage.height / 2);
    }
  }
});

test("two fingers that keep their distance only pan", () => {
  const photo = shapes[0];
  const view = { zoom: 3, x: 0.5, y: 0.5 };
  const moved = pinch(stage, photo, view, [{ x: 300, y: 300 }, { x: 400, y: 300 }],
    [{ x: 320, y: 310 }, { x: 420, y: 310 }]);
  const panned = panBy(stage, photo, view, 20, 10);
  near(moved.zoom, 3);
  near(moved.x, panned.x);
  near(moved.y, panned.y);
});

test("two fingers twice as far apart double the zoom", () => {
  const moved = pinch(stage, shapes[0], { zoom: 2, x: 0.5, y: 0.5 },
    [{ x: 400, y: 300 }, { x: 500, y: 300 }], [{ x: 350, y: 300 }, { x: 550, y: 300 }]);
  near(moved.zoom, 4);
});

test("a photo without size does not divide by zero", () => {
  assert.equal(fitScale(stage, { width: 0, height: 0 }), 1);
});

test("previews grow with the pixels that are shown", () => {
  assert.deepEqual([300, 640, 641, 1600, 1601, 2900, 2901].map(previewSide),
    [640, 640, 1600, 1600, 2560, 2560, 0]);
});
