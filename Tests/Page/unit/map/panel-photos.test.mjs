import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";
import { id, SetServer } from "../sets.mjs";

const { PanelPhotos } = await import(new URL("map/panel-photos.js", page).href);
const { openSet, showSet } = await import(new URL("data/rows.js", page).href);
const { createNamedSet } = await import(new URL("data/sets.js", page).href);

const pin = { pin: "c0ff", name: "Harbor", location: [57, -4], photos: 3 };
/** @type {Set<string>} */
let oaks;
/** @type {PanelPhotos} */
let photos;

beforeEach(async () => {
  oaks = new Set([id(1), id(5)]);
  new SetServer(({ query }) => {
    const here = [id(1), id(2), id(3)];
    if (query.includes("label:oak")) return query.includes("pin:") ? here.filter((one) => oaks.has(one)) : [...oaks];
    return here;
  });
  await openSet({ query: "" });
  photos = new PanelPhotos(pin, null);
});

test("another query means other photos", async () => {
  const set = await photos.create();
  assert.equal(set.count, 3);
  assert.equal(await photos.differFrom(set), false);
  await openSet({ query: "label:oak" });
  assert.equal(await photos.differFrom(set), true);
  assert.equal((await photos.create()).body.query, "(label:oak) pin:c0ff");
});

test("all photos of a pin stay the same with another query", async () => {
  photos.everything = true;
  const set = await photos.create();
  await openSet({ query: "label:oak" });
  assert.equal(await photos.differFrom(set), false);
});

test("labels that make more photos match mean other photos", async () => {
  await openSet({ query: "label:oak" });
  const set = await photos.create();
  assert.equal(await photos.differFrom(set), false);
  oaks.add(id(2));
  assert.equal(await photos.differFrom(set), true);
});

test("a set without a query limits the photos, too", async () => {
  await showSet(createNamedSet({ photos: [id(3), id(2), id(9)] }, "3 added photos"));
  const set = await photos.create();
  assert.deepEqual(set.body.photos, [id(2), id(3)]);
  photos.everything = true;
  assert.equal((await photos.create()).body.query, "pin:c0ff");
});

test("an area is rounded outward", () => {
  assert.equal(new PanelPhotos(null, [-4.12345678, 57, -4, 57.98765432]).term,
    "in:-4.123457,57,-4,57.987655");
});
