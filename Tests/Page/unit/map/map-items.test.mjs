import assert from "node:assert/strict";
import test from "node:test";

import {
  boundsOf, contains, inReadingOrder, itemsOf, pick,
} from "../../../../Sources/CairnServer/Page/map/map-items.js";
import { Camera, toWorld } from "../../../../Sources/CairnServer/Page/map/map-project.js";

function camera(latitude, longitude, zoom) {
  return Object.assign(new Camera(), { width: 800, height: 600, zoom }, toWorld(latitude, longitude));
}

function answer({ clusters = [], pins = [], pinClusters = [] }) {
  return { total: 0, clusters, pins, pinClusters };
}

const cluster = (latitude, longitude, count = 3) => ({
  location: [latitude, longitude], count, photo: "3fa9",
  bounds: [longitude - 0.01, latitude - 0.01, longitude + 0.01, latitude + 0.01],
});
const pin = (id, latitude, longitude) =>
  ({ pin: id, name: id, location: [latitude, longitude], photos: 1 });

test("picks the pin under the pointer before the photos below it", () => {
  const view = camera(57, -4, 10);
  const items = itemsOf(answer({ clusters: [cluster(57, -4)], pins: [pin("a", 57, -4)] }), 10);
  assert.equal(pick(items, view, 400, 300, 0)?.kind, "pin");
  // The photo's box is above the location.
  assert.equal(pick(items, view, 400, 270, 0)?.kind, "photos");
});

test("picks nothing beyond the slop, and the nearest within it", () => {
  const view = camera(57, -4, 10);
  const items = itemsOf(answer({ pins: [pin("a", 57, -4), pin("b", 57, -3.9)] }), 10);
  const b = view.project(toWorld(57, -3.9));
  assert.equal(pick(items, view, 400, 320, 3), null);
  assert.equal(pick(items, view, 400, 320, 14)?.pin.pin, "a");
  assert.equal(pick(items, view, b.x + 4, b.y, 14)?.pin.pin, "b");
});

test("picks across the date line", () => {
  const view = camera(-17, 179.99, 8);
  const items = itemsOf(answer({ pins: [pin("fiji", -17, -179.9)] }), 8);
  const { x, y } = view.project(toWorld(-17, -179.9));
  assert.ok(x > 400 && x < 500);
  assert.equal(pick(items, view, x, y, 2)?.pin.pin, "fiji");
});

test("pins that would cover each other are one cluster until they are far enough apart", () => {
  const pins = [pin("a", 57, -4), pin("b", 57.001, -4), pin("c", 57, -3)];
  const far = itemsOf(answer({ pins }), 6);
  assert.deepEqual(far.map((item) => [item.kind, item.count]).sort(), [["pin", 1], ["pins", 2]]);
  const group = far.find((item) => item.kind === "pins");
  assert.deepEqual(group.bounds, [-4, 57, -4, 57.001]);
  const close = itemsOf(answer({ pins }), 18);
  assert.deepEqual(close.map((item) => item.kind), ["pin", "pin", "pin"]);
});

test("ten thousand pins become few items, and none is lost", () => {
  const pins = Array.from({ length: 10_000 }, (_, index) =>
    pin(`p${index}`, 50 + (index % 100) / 100, 8 + Math.floor(index / 100) / 100));
  const items = itemsOf(answer({ pins }), 7);
  const count = items.reduce((sum, item) => sum + (item.kind === "pins" ? item.count : 1), 0);
  assert.equal(count, 10_000);
  assert.ok(items.length < 200, `${items.length}`);
});

test("draws clusters of pins over photos, so that their numbers can be read", () => {
  const pins = [pin("a", 57, -4), pin("b", 57.001, -4)];
  const items = itemsOf(answer({ clusters: [cluster(57, -4)], pins }), 4);
  assert.deepEqual(items.map((item) => item.kind), ["photos", "pins"]);
});

test("goes through the items in reading order, those in view only", () => {
  const view = camera(57, -4, 8);
  const items = itemsOf(answer({
    pins: [pin("below", 56.5, -5), pin("right", 57, -3), pin("left", 57, -5), pin("away", 10, 10)],
  }), 8);
  assert.deepEqual(inReadingOrder(items, view).map((item) => item.pin.pin), ["left", "right", "below"]);
});

test("a box contains its edges, also across the date line", () => {
  assert.ok(contains([1, 2, 3, 4], [2, 3]));
  assert.ok(!contains([1, 2, 3, 4], [1.9, 3]));
  assert.ok(contains([170, -20, -170, -10], [-15, 179]));
  assert.ok(contains([170, -20, -170, -10], [-15, -175]));
  assert.ok(!contains([170, -20, -170, -10], [-15, 0]));
  assert.ok(!contains(null, [0, 0]));
});

test("all photos are in the box of an answer, and its pins if it has no photos", () => {
  const cluster = (/** @type {number[]} */ bounds) => ({ location: [0, 0], count: 2, photo: null, bounds });
  const pins = [{ pin: "a", name: "", location: [50, 7], photos: 0 }];
  assert.equal(boundsOf(answer({})), null);
  assert.deepEqual(boundsOf(answer({ pins })), [7, 50, 7, 50]);
  assert.deepEqual(boundsOf(answer({ pins, pinClusters: [cluster([-1, 40, 2, 51])] })), [-1, 40, 7, 51]);
  assert.deepEqual(boundsOf(answer({ pins, clusters: [cluster([1, 2, 3, 4]), cluster([0, 3, 2, 5])] })),
    [0, 2, 3, 5]);
});
