import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";
import { id, SetServer } from "../sets.mjs";

const { openSet } = await import(new URL("data/rows.js", page).href);
const { selectedIn } = await import(new URL("data/selected-in.js", page).href);
const { selection } = await import(new URL("data/selection.js", page).href);
const { createSet } = await import(new URL("data/sets.js", page).href);

const all = Array.from({ length: 20 }, (_, number) => id(number));
/** @type {SetServer} */
let server;
/** @type {any} the photos of a pin: 10 to 14 */
let pin;

beforeEach(async () => {
  server = new SetServer(({ query }) =>
    query === "pin:c0ff" ? all.slice(10, 15) : query === "label:oak" ? all.slice(12, 18) : all);
  await openSet({ query: "" });
  selection.clear();
  pin = await createSet({ query: "pin:c0ff" });
});

test("of the selected photos only those of the pin count", async () => {
  for (const number of [1, 11, 13]) selection.toggle(id(number));
  assert.deepEqual(await selectedIn(pin), [id(11), id(13)]);
});

test("of all that match, those at the pin are selected, without those that were deselected", async () => {
  await openSet({ query: "label:oak" });
  selection.everything();
  assert.deepEqual(await selectedIn(pin), [id(12), id(13), id(14)]);
  selection.toggle(id(13));
  assert.deepEqual(await selectedIn(pin), [id(12), id(14)]);
});

test("without a selection nothing is asked", async () => {
  server.requests.length = 0;
  assert.deepEqual(await selectedIn(pin), []);
  assert.deepEqual(server.requests, []);
});

test("photos that were removed are no longer selected, the others are", () => {
  for (const number of [1, 11, 13]) selection.toggle(id(number));
  selection.without([id(11), id(13)]);
  assert.deepEqual([...selection.ids], [id(1)]);
  selection.everything();
  selection.without([id(11)]);
  assert.equal(selection.size, 19);
});
