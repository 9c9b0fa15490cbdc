import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

const file = readFileSync(new URL("../../CPage/base-map.bin", page));
const base = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);

/** What is drawn: texts, paths, copies of other canvases. @type {string[]} */
let drawn = [];
/** @type {any} */
const context = new Proxy({}, {
  get: (_, name) => (...values) => {
    if (name === "measureText") return { width: 40 };
    if (["fillText", "closePath", "drawImage"].includes(String(name))) drawn.push(String(name));
    return values;
  },
  set: () => true,
});
const create = document.createElement;
document.createElement = /** @type {any} */ ((/** @type {string} */ name) =>
  Object.assign(create(name), { getContext: () => context, after() {}, clientWidth: 800, clientHeight: 600 }));
/** @type {(() => void)[]} */
let frames = [];
Object.assign(globalThis, {
  devicePixelRatio: 1, getComputedStyle: () => ({ color: "red" }), cancelAnimationFrame() {},
  requestAnimationFrame: (/** @type {() => void} */ run) => frames.push(run),
});

/** The requests for photos and pins. @type {{search: URLSearchParams, answer: (json: any, status?: number) => void}[]} */
let asked = [];
/** Called at each of them. */
let onAsked = () => {};
globalThis.fetch = /** @type {any} */ ((/** @type {string} */ path) => {
  const { pathname, searchParams: search } = new URL(path, "http://page.test");
  if (pathname !== "/api/map") return Promise.resolve(new Response(base));
  return new Promise((resolve) => {
    asked.push({ search, answer: (json, status = 200) => resolve(new Response(JSON.stringify(json), { status })) });
    onAsked();
  });
});

/** Resolves when there are `count` requests. @param {number} count */
const requests = (count) => new Promise((resolve) => {
  onAsked = () => { if (asked.length >= count) resolve(undefined); };
  onAsked();
});

function draw() {
  drawn = [];
  for (const run of frames.splice(0)) run();
  return drawn;
}

const { MapView } = await import(new URL("map/map-view.js", page).href);
const { placeText } = await import(new URL("map/map-project.js", page).href);
const europe = {
  total: 7, pins: [], pinClusters: [],
  clusters: [{ location: [50, 8], count: 7, photo: null, bounds: [-4, 40, 20, 58] }],
};

/** @type {any} */
let view;

beforeEach(async () => {
  asked = [];
  frames = [];
  view = new MapView();
  await view.drawBase();
});

test("a first visit asks where all photos are, shows them, and then reads those of its zoom", async () => {
  view.show({});
  await requests(1);
  assert.deepEqual(["west", "south", "east", "north", "zoom"].map((name) => asked[0].search.get(name)),
    ["-180", "-90", "180", "90", "3"]);
  // There is no land yet: the map would jump.
  assert.ok(!draw().includes("closePath"));
  asked[0].answer(europe);
  await requests(2);
  assert.equal(view.surface.items.length, 1);
  assert.ok(Number(asked[1].search.get("west")) > -180 && Number(asked[1].search.get("zoom")) > 3);
  assert.ok(draw().includes("closePath"));
  view.hide();
  assert.equal(asked.length, 2);
});

test("a map that is moved before it is known where all photos are stays where it is", async () => {
  view.show({});
  await requests(1);
  view.zoomBy(2);
  const place = placeText(view.surface.camera);
  asked[0].answer(europe);
  await requests(2);
  assert.equal(placeText(view.surface.camera), place);
  view.hide();
});

test("if it cannot be read where all photos are, the map is drawn, and reads what is in view", async () => {
  view.show({});
  await requests(1);
  asked[0].answer({ kind: "internal", message: "The disk is full." }, 500);
  await requests(2);
  assert.ok(draw().includes("closePath"));
  assert.notEqual(asked[1].search.get("zoom"), "3");
  view.hide();
});

test("the address names no place before it is known where all photos are", async () => {
  location.hash = "#/map";
  view.show({});
  await requests(1);
  view.keepPlace();
  assert.equal(location.hash, "#/map");
  asked[0].answer(europe);
  await requests(2);
  view.keepPlace();
  assert.notEqual(location.hash, "#/map");
  view.hide();
});

test("a place of the address is drawn at once, and is all that is read", async () => {
  view.show({ at: "50,8,5" });
  await requests(1);
  assert.ok(draw().includes("closePath"));
  assert.equal(asked[0].search.get("zoom"), "5");
  view.hide();
});

test("draws the land in view first, and the names when nothing moves", async () => {
  view.show({ at: "50,8,5" });
  const first = draw().filter((name) => name === "closePath").length;
  assert.ok(first > 10 && !drawn.includes("fillText"));
  // Moving a little needs what is beyond the view: then all is drawn, without waiting.
  view.panBy(40, 0);
  assert.ok(draw().includes("fillText") && drawn.filter((name) => name === "closePath").length >= first);
  view.hide();
  view.show({ at: "50,8,5" });
  assert.ok(draw().includes("closePath") && !drawn.includes("fillText"));
  await new Promise((resolve) => { view.surface.redraw = () => resolve(undefined); });
  assert.equal(view.surface.layerCamera, null);
  view.surface.draw();
  assert.ok(drawn.includes("fillText"));
  view.hide();
});
