import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

const { selection } = await import(new URL("data/selection.js", page).href);
const { store, on } = await import(new URL("data/store.js", page).href);

const ids = Array.from({ length: 1000 }, (_, index) => index.toString(16).padStart(64, "0"));
let sets = 0;
/** @type {string[]} */
let requests = [];

/** A server with a set of 1,000 photos. */
globalThis.fetch = async (address) => {
  const url = new URL(String(address), "http://localhost");
  requests.push(url.pathname);
  const from = Number(url.searchParams.get("from"));
  const list = ids.slice(from, from + Number(url.searchParams.get("count")));
  if (url.pathname.endsWith("/ids")) return new Response(Buffer.from(list.join(""), "hex"));
  return Response.json({ from, photos: list.map((id) => ({ id, classes: [] })) });
};

/** @param {string} query */
function open(query) {
  sets += 1;
  store.update({ focus: null, set: {
    set: `s${sets}`, query, sort: "id", descending: false, group: "none", count: ids.length } });
}

beforeEach(() => {
  open(`text:${sets}`);
  requests = [];
});

test("without a selection the target is the photo with the focus", () => {
  assert.equal(selection.target(), null);
  store.update({ focus: ids[3] });
  assert.deepEqual(selection.target(), { photos: [ids[3]] });
});

test("a key pressed while the row of the photo with the focus loads is about that photo", async () => {
  store.update({ focus: ids[3] });
  selection.focusing(Promise.resolve(ids[9]));
  const chosen = selection.chosen();
  store.update({ focus: ids[10] });
  assert.deepEqual(await chosen, { photos: [ids[9]] });
  assert.deepEqual(await selection.chosen(), { photos: [ids[10]] });
  selection.focusing(Promise.resolve(null));
  assert.equal(await selection.chosen(), null);
});

test("toggling adds and removes a photo", () => {
  selection.toggle(ids[1]);
  selection.toggle(ids[2]);
  selection.toggle(ids[1]);
  assert.deepEqual(selection.target(), { photos: [ids[2]] });
  assert.equal(selection.size, 1);
});

test("all that match is the set, without those that were removed from it", () => {
  selection.everything();
  assert.equal(selection.size, 1000);
  selection.toggle(ids[7]);
  assert.equal(selection.size, 999);
  assert.equal(selection.has(ids[7]), false);
  assert.equal(selection.has(ids[8]), true);
  assert.deepEqual(selection.target(), { set: store.set.set, except: [ids[7]] });
});

test("a range is selected in both directions, with photos that are not loaded", async () => {
  await selection.range(900, 100);
  assert.equal(selection.size, 801);
  assert.ok(selection.has(ids[100]) && selection.has(ids[900]) && !selection.has(ids[901]));
  assert.ok(requests.some((path) => path.endsWith("/ids")));
});

test("a range past the end ends with the last photo", async () => {
  await selection.range(990, 5000);
  assert.equal(selection.size, 10);
});

test("of two ranges asked for at once the later one counts", async () => {
  await Promise.all([selection.range(0, 500), selection.range(3, 5)]);
  assert.deepEqual([...selection.ids], ids.slice(3, 6));
});

test("a range can be added to what is selected", async () => {
  selection.toggle(ids[42]);
  await selection.range(1, 2, { add: new Set(selection.ids) });
  assert.deepEqual([...selection.ids].sort(), [ids[1], ids[2], ids[42]]);
});

test("another query clears the selection, the same query keeps single photos", () => {
  selection.toggle(ids[5]);
  open(store.set.query);
  assert.equal(selection.has(ids[5]), true);
  open("text:other");
  assert.equal(selection.size, 0);
});

test("the same query again clears what was all that matched", () => {
  selection.everything();
  open(store.set.query);
  assert.equal(selection.size, 0);
});

test("each change is sent once", () => {
  let changes = 0;
  const stop = on("selection", () => { changes += 1; });
  selection.toggle(ids[1]);
  selection.clear();
  selection.clear();
  stop();
  assert.equal(changes, 2);
});
