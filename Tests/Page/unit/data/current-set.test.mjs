import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";
import { id, SetServer } from "../sets.mjs";

const { ensureSet, openEarly, renewSet, shownParams } = await import(new URL("data/current-set.js", page).href);
const { showSet } = await import(new URL("data/rows.js", page).href);
const { createNamedSet, identity } = await import(new URL("data/sets.js", page).href);
const { on, store } = await import(new URL("data/store.js", page).href);

const all = Array.from({ length: 9 }, (_, number) => id(number));
const cell = { model: "birds@1", set: "tree", truth: "oak", prediction: "elm" };
/** @type {SetServer} */
let server;

beforeEach(async () => {
  server = new SetServer(({ cell: wanted, query }) =>
    wanted ? all.slice(0, 2) : query ? all.slice(0, 5) : all);
  location.hash = "#/grid";
  await ensureSet({ q: "label:oak", sort: "taken", group: "none" });
});

/** Shows the cell of a matrix, and returns its key. */
async function openCell() {
  await showSet(createNamedSet({ cell }, "oak predicted as elm"));
  return store.set.key;
}

test("a set without a query has a name, and an address that keeps the query to return to", async () => {
  const key = await openCell();
  assert.equal(store.set.name, "oak predicted as elm");
  assert.deepEqual(shownParams(), { q: "label:oak", sort: "taken", group: "none", set: key });
  server.takeCreated();
  await ensureSet(shownParams());
  assert.deepEqual(server.takeCreated(), []);
});

test("a set that the server dropped is created again with what it was created with", async () => {
  const key = await openCell();
  server.takeCreated();
  server.expire();
  await renewSet();
  assert.deepEqual(server.takeCreated(), [{ cell }]);
  assert.deepEqual([store.set.key, store.set.name, store.set.count], [key, "oak predicted as elm", 2]);
});

test("the query is created again when its set was dropped", async () => {
  server.takeCreated();
  server.expire();
  await renewSet();
  assert.equal(server.takeCreated()[0].query, "label:oak");
  assert.equal(store.set.count, 5);
});

test("a set that the server dropped does not replace a query that is asked meanwhile", async () => {
  server.takeCreated();
  server.expire();
  const asked = ensureSet({ q: "label:elm", sort: "taken", group: "none" });
  await renewSet();
  await asked;
  assert.deepEqual(server.takeCreated().map(({ query }) => query), ["label:elm"]);
  assert.deepEqual([store.query, store.set.query], ["label:elm", "label:elm"]);
});

test("a set that the server dropped is created again if the query that is asked meanwhile fails", async () => {
  const found = server.find;
  server.find = (body) => {
    if (body.query === "label:") throw new Error("Invalid query");
    return found(body);
  };
  server.takeCreated();
  const { set: name } = store.set;
  server.expire();
  const asked = ensureSet({ q: "label:", sort: "taken", group: "none" });
  // Each of its pages reports it.
  await Promise.all([renewSet(), renewSet()]);
  await asked;
  assert.deepEqual(server.takeCreated().map(({ query }) => query), ["label:oak"]);
  assert.notEqual(store.set.set, name);
  assert.deepEqual([store.set.query, store.set.count, store.query], ["label:oak", 5, "label:"]);
  store.update({ query: "label:oak" });
});

test("a reload shows the set again, not all photos", async () => {
  const params = shownParams();
  const key = await openCell();
  store.update({ set: null, query: "" });
  await openEarly({ ...params, set: key });
  assert.deepEqual([store.set.name, store.set.count, store.query], ["oak predicted as elm", 2, "label:oak"]);
});

test("an address of a set that nobody knows says so, and shows its query", async () => {
  /** @type {string[]} */
  const messages = [];
  const stop = on("toast", ({ text }) => messages.push(text));
  location.hash = "#/grid?q=label%3Aoak&set=unknown";
  await ensureSet({ q: "label:oak", sort: "taken", group: "none", set: "unknown" });
  stop();
  assert.equal(messages.length, 1);
  assert.equal(location.hash, "#/grid?q=label%3Aoak");
  assert.deepEqual([store.set.key, store.set.count], [undefined, 5]);
});

test("the same address without the set returns to the query", async () => {
  await openCell();
  await ensureSet({ ...shownParams(), set: undefined });
  assert.deepEqual([store.set.key, store.set.query], [undefined, "label:oak"]);
});

test("a set that is asked for last wins", async () => {
  const slow = showSet(createNamedSet({ cell }, "slow"));
  await ensureSet({ q: "label:elm", sort: "taken", group: "none" });
  await slow;
  assert.equal(store.set.query, "label:elm");
});

test("sets show the same if they have the same key or query", async () => {
  const before = identity(store.set);
  await openCell();
  const named = identity(store.set);
  await renewSet();
  assert.equal(identity(store.set), named);
  assert.notEqual(named, before);
});

test("finding a photo in a set that the server dropped reports that", async () => {
  const { rows } = await import(new URL("data/rows.js", page).href);
  /** @type {any[]} */
  const expired = [];
  const stop = on("set-expired", ({ set }) => expired.push(set));
  server.expire();
  assert.equal(await rows.find(id(3)), null);
  stop();
  assert.deepEqual(expired, [store.set]);
});

test("a photo is outside of a set only if the server says so", async () => {
  await ensureSet({ q: "label:elm", sort: "taken", group: "none" });
  const { rows } = await import(new URL("data/rows.js", page).href);
  assert.equal(await rows.find(id(8)), -1);
  globalThis.fetch = async () => { throw new TypeError("unreachable"); };
  assert.equal(await rows.find(id(8)), null);
});

test("an address with an invalid query shows all photos, and says afterwards what is wrong", async () => {
  store.update({ set: null, query: "" });
  const found = server.find;
  server.find = (body) => {
    if (body.query === "label:") throw new Error("Invalid query");
    return found(body);
  };
  /** @type {string[]} */
  const events = [];
  const stops = [on("store", ({ changed }) => { if (changed.includes("set")) events.push("set"); }),
    on("query-failed", () => events.push("failed"))];
  await ensureSet({ q: "label:" });
  for (const stop of stops) stop();
  assert.deepEqual([store.set.count, store.query, events.at(-1)], [9, "label:", "failed"]);
});

test("a query that failed runs again when it is asked for again", async () => {
  const found = server.find;
  server.find = () => { throw new Error("unreachable"); };
  const elm = { q: "label:elm", sort: "taken", group: "none" };
  await ensureSet(elm);
  assert.deepEqual([store.query, store.set.query], ["label:elm", "label:oak"]);
  server.find = found;
  await ensureSet(elm);
  assert.equal(store.set.query, "label:elm");
  server.takeCreated();
  await ensureSet(elm);
  assert.deepEqual(server.takeCreated(), []);
});
