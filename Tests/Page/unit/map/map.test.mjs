import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { clipRing, decodeBase, placeNames } from "../../../../Sources/CairnServer/Page/map/map-base.js";
import {
  Camera, mostFitZoom, parsePlace, placeText, scaleBar, toLocation, toWorld,
} from "../../../../Sources/CairnServer/Page/map/map-project.js";

const file = readFileSync(new URL("../../../../Sources/CPage/base-map.bin", import.meta.url));
const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
const base = decodeBase(bytes);

/** Returns whether land is at a location: the sum of the rings' directions around it is not 0. */
function isLand(latitude, longitude) {
  const { x, y } = toWorld(latitude, longitude);
  let winding = 0;
  for (const { start, end } of base.rings) {
    for (let at = start; at < end; at += 2) {
      const next = at + 2 < end ? at + 2 : start;
      const [x1, y1, x2, y2] = [base.points[at], base.points[at + 1], base.points[next],
        base.points[next + 1]];
      if ((y1 <= y) === (y2 <= y)) continue;
      if (x1 + (y - y1) / (y2 - y1) * (x2 - x1) > x) winding += y2 > y1 ? 1 : -1;
    }
  }
  return winding !== 0;
}

function camera(values) {
  return Object.assign(new Camera(), { width: 800, height: 600 }, values);
}

test("a location survives projection and back", () => {
  for (const [latitude, longitude] of [[0, 0], [57.1, -4.7], [-33.9, 151.2], [84, 179.9]]) {
    const [lat, lon] = toLocation(toWorld(latitude, longitude));
    assert.ok(Math.abs(lat - latitude) < 1e-9 && Math.abs(lon - longitude) < 1e-9);
  }
});

test("places of known tiles are projected as EPSG:3857 has it", () => {
  const { x, y } = toWorld(51.47879, 0);
  assert.equal(x, 0.5);
  // Greenwich is in tile 10/512/340 or 10/511/340.
  assert.equal(Math.floor(y * 1024), 340);
  assert.ok(Math.abs(toWorld(85.0511287798, 0).y) < 1e-9);
  assert.equal(toWorld(90, 0).y, toWorld(85.0511287798, 0).y);
});

test("zooming keeps the point under the pointer", () => {
  const view = camera({ x: 0.48, y: 0.31, zoom: 6 });
  const before = toLocation(view.unproject(120, 430));
  view.zoomAt(9.5, 120, 430);
  const after = toLocation(view.unproject(120, 430));
  assert.ok(Math.abs(before[0] - after[0]) < 1e-9 && Math.abs(before[1] - after[1]) < 1e-9);
});

test("resizing keeps the top left corner", () => {
  const view = camera({ x: 0.48, y: 0.31, zoom: 6 });
  const before = view.unproject(0, 0);
  view.resize(500, 700);
  const after = view.unproject(0, 0);
  assert.ok(Math.abs(before.x - after.x) < 1e-12 && Math.abs(before.y - after.y) < 1e-12);
});

test("projects and unprojects across the date line", () => {
  const view = camera({ ...toWorld(-17, 179.8), zoom: 8 });
  const fiji = view.project(toWorld(-17, -179.9));
  assert.ok(fiji.x > 400 && fiji.x < 500, `${fiji.x}`);
  const [west, , east] = view.bounds();
  assert.ok(west > east && west > 170 && east < -170);
});

test("a rectangle as wide as the world is all longitudes", () => {
  const view = camera({ x: 0.5, y: 0.4, zoom: 1, width: 1600 });
  const [west, , east] = view.boundsOf({ x: 100, y: 200, width: 540, height: 20 });
  assert.deepEqual([west, east], [-180, 180]);
  const [left, , right] = view.boundsOf({ x: 700, y: 200, width: 100, height: 20 });
  assert.ok(right - left > 70 && right - left < 71, `${left} ${right}`);
});

test("what is nearer to the poles than the edges of the world is in view with them", () => {
  const view = camera({ x: 0.5, y: 0.5, zoom: 1, height: 600 });
  const [, south, , north] = view.bounds();
  assert.deepEqual([south, north], [-90, 90]);
  const [, low, , high] = view.boundsOf({ x: 300, y: 200, width: 50, height: 100 });
  assert.ok(low > -1 && high < 60, `${low} ${high}`);
});

test("fits a part of the world, also across the date line", () => {
  const view = camera({});
  view.fit([170, -25, -170, -10]);
  for (const [latitude, longitude] of [[-25, 170], [-10, -170]]) {
    const { x, y } = view.project(toWorld(latitude, longitude));
    assert.ok(x >= 47 && x <= 753 && y >= 47 && y <= 553, `${x}, ${y}`);
  }
  view.fit([10, 50, 10, 50]);
  assert.equal(view.zoom, 15);
});

test("without tiles, the map zooms in by itself as far as coasts show where a place is", () => {
  const view = camera({});
  const place = [10, 50, 10, 50];
  view.fit(place, { mostZoom: mostFitZoom(place, null) });
  const [west, , east] = view.bounds();
  assert.ok(east - west > 20 && east - west < 60, `${west}, ${east}`);
  assert.equal(mostFitZoom([10, 50, 10.001, 50.001], null), 9);
  assert.equal(mostFitZoom(place, { maxzoom: 12 }), 12);
  assert.equal(mostFitZoom(place, { maxzoom: 19 }), 15);
});

test("the view never leaves the world at its north and south", () => {
  const view = camera({ zoom: 2 });
  view.panBy(0, 1e6);
  assert.ok(view.unproject(0, 0).y >= -1e-9);
  view.zoomAt(0);
  assert.ok(view.scale >= 600 - 1e-9);
});

test("bounds cover the whole world when it fits", () => {
  assert.deepEqual([camera({ zoom: 1 }).bounds()[0], camera({ zoom: 1 }).bounds()[2]], [-180, 180]);
});

test("the scale bar is round and fits", () => {
  assert.deepEqual(scaleBar(1, 120), { meters: 100, pixels: 100 });
  assert.equal(scaleBar(78.3, 100).meters, 5000);
  assert.equal(scaleBar(0.07, 100).meters, 5);
});

test("the address keeps the place", () => {
  const view = camera({ ...toWorld(57.10212, -4.71234), zoom: 13.25 });
  const place = parsePlace(placeText(view));
  assert.ok(place);
  assert.equal(place.zoom, 13.25);
  assert.ok(Math.abs(place.latitude - 57.10212) < 1e-4);
  assert.equal(parsePlace("1,2"), null);
  assert.equal(parsePlace("91,0,3"), null);
  assert.equal(parsePlace("a,b,c"), null);
  assert.equal(parsePlace(undefined), null);
});

test("the base map has the land and the names of the world", () => {
  assert.ok(base.rings.length > 1000);
  for (const [latitude, longitude] of [[57.1, -4.7], [48.85, 2.35], [-29.5, 28.2], [-25, 134],
    [64.9, -18.5], [-34.9, 138.6]]) {
    assert.ok(isLand(latitude, longitude), `land at ${latitude}, ${longitude}`);
  }
  for (const [latitude, longitude] of [[0, 0], [30, -40], [42, 51], [-50, 100], [56, 3]]) {
    assert.ok(!isLand(latitude, longitude), `sea at ${latitude}, ${longitude}`);
  }
  const names = base.names.map((entry) => entry.name);
  for (const name of ["Germany", "Côte d'Ivoire", "New Zealand"]) assert.ok(names.includes(name), name);
  const germany = base.names.find((entry) => entry.name === "Germany");
  const [latitude, longitude] = toLocation(germany);
  assert.ok(Math.abs(latitude - 51) < 2 && Math.abs(longitude - 10.4) < 2);
});

test("in each hole of the land lies another country", () => {
  const holes = base.rings.filter((ring) => ring.hole);
  assert.ok(holes.length > 0);
  for (const { west, east, north, south } of holes) {
    const [latitude, longitude] = toLocation({ x: (west + east) / 2, y: (north + south) / 2 });
    assert.ok(isLand(latitude, longitude), `${latitude}, ${longitude}`);
  }
});

test("a base map that is cut off or foreign is refused", () => {
  for (const length of [0, 3, 8, 9, 100, 100_000, bytes.byteLength - 1]) {
    assert.throws(() => decodeBase(bytes.slice(0, length)), `${length} bytes`);
  }
  assert.throws(() => decodeBase(new TextEncoder().encode("PNG1.......").buffer), TypeError);
});

test("clips a ring to the view", () => {
  const square = new Float64Array([0, 0, 1, 0, 1, 1, 0, 1]);
  const ring = { start: 0, end: 8 };
  const view = { left: 20, top: 30, right: 60, bottom: 70 };
  const whole = clipRing(square, ring, { dx: 0, dy: 0, scale: 100 }, view);
  assert.deepEqual(new Set(whole), new Set([20, 30, 60, 70]));
  assert.deepEqual(clipRing(square, ring, { dx: 2, dy: 0, scale: 100 }, view), []);
  const inside = clipRing(square, ring, { dx: 0, dy: 0, scale: 10 }, { ...view, left: 0, top: 0 });
  assert.deepEqual(inside, [0, 0, 10, 0, 10, 10, 0, 10]);
  assert.deepEqual(clipRing(square, ring, { dx: 0, dy: 0, scale: 0.1 }, view), []);
});

test("clipped lines stay in the view at the closest zoom", () => {
  const view = { left: -8, top: -8, right: 808, bottom: 608 };
  const close = camera({ ...toWorld(57.1, -4.7), zoom: 17 });
  const place = { dx: 400 / close.scale - close.x, dy: 300 / close.scale - close.y, scale: close.scale };
  for (const ring of base.rings) {
    for (const value of clipRing(base.points, ring, place, view)) {
      assert.ok(value >= -8.001 && value <= 808.001, `${value}`);
    }
  }
});

test("names have room and do not touch", () => {
  const view = camera({ ...toWorld(48, 10), zoom: 4 });
  const places = placeNames(base.names, view, (name) => name.length * 7);
  assert.ok(places.length > 5);
  for (const a of places) {
    for (const b of places) {
      if (a === b) continue;
      assert.ok(Math.abs(a.y - b.y) >= 18
        || Math.abs(a.x - b.x) >= (a.name.length + b.name.length) * 3.5);
    }
  }
});
