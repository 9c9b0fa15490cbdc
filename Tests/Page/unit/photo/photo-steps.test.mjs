import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";
import { id, SetServer } from "../sets.mjs";

const { nameList } = await import(new URL("data/photo-lists.js", page).href);
const { on } = await import(new URL("data/store.js", page).href);
const { openSet, RowPages } = await import(new URL("data/rows.js", page).href);
const { createSet } = await import(new URL("data/sets.js", page).href);
const { PhotoSteps } = await import(new URL("photo/photo-steps.js", page).href);
const { navigate, origin } = await import(new URL("shell/router.js", page).href);
const { TablePhotos } = await import(new URL("table/table-photos.js", page).href);
const { TableRows } = await import(new URL("table/table-rows.js", page).href);

/** @type {SetServer} */
let server;
/** @type {PhotoSteps} */
let steps;

beforeEach(async () => {
  server = new SetServer(({ query }) => query === "pin:c0ff" ? [id(7), id(2), id(5)] : [id(0), id(1), id(2)]);
  await openSet({ query: "" });
  steps = new PhotoSteps();
});

/** Opens a photo of a list, as the view of one photo does. */
async function open(name, photo) {
  steps.choose(name);
  steps.index = await steps.find(photo);
}

test("next and previous go through the list that the photo was opened from", async () => {
  const pages = new RowPages(await createSet({ query: "pin:c0ff" }));
  await open(await nameList(pages), id(2));
  assert.deepEqual([steps.index, steps.count], [1, 3]);
  assert.equal((await steps.next(1, id(2))).row.id, id(5));
  assert.equal((await steps.next(-1, id(2))).row.id, id(7));
  assert.deepEqual(await steps.near(), [id(5), id(7)]);
});

test("the list stays when the grid that it is from shows another set", async () => {
  const pages = new RowPages(await createSet({ query: "pin:c0ff" }));
  await open(await nameList(pages), id(2));
  pages.close();
  assert.equal((await steps.next(1, id(2))).row.id, id(5));
});

test("a list of ids ends with its last photo", async () => {
  await open(await nameList([id(8), id(9)]), id(9));
  assert.equal(await steps.next(1, id(9)), null);
  assert.equal((await steps.next(-1, id(9))).row.id, id(8));
});

test("without a list, next is the next photo of the query", async () => {
  await open(await nameList(undefined), id(1));
  assert.equal((await steps.next(1, id(1))).row.id, id(2));
});

test("a list that is gone after a reload leaves the photos of the query", async () => {
  await open("s99", id(1));
  assert.deepEqual([steps.index, steps.count], [1, 3]);
});

test("a list that the server dropped is created again", async () => {
  const pages = new RowPages(await createSet({ query: "pin:c0ff" }));
  await open(await nameList(pages), id(2));
  server.expire();
  /** @type {any[]} */
  const expired = [];
  const stop = on("set-expired", ({ set }) => expired.push(set));
  assert.equal(await steps.next(1, id(2)), null);
  stop();
  assert.equal(await steps.renew(expired[0]), true);
  assert.equal((await steps.next(1, id(2))).row.id, id(5));
});

test("in a table, next goes to the next row with another photo", async () => {
  const list = [1, 1, 1, 4, 4].map((number) => ({ photo: id(number), name: `${number}` }));
  const rows = new TableRows(() => {}, () => {});
  Object.assign(rows, { table: "t1", count: list.length, pages: new Map([[0, list]]) });
  await open(await nameList(new TablePhotos(rows, 1)), id(1));
  assert.equal(steps.index, 1);
  const next = await steps.next(1, id(1));
  assert.deepEqual([next.row.id, next.index], [id(4), 3]);
  steps.index = 3;
  assert.equal(await steps.next(1, id(4)), null);
});

test("a photo keeps where it was opened from while one steps to others", () => {
  location.hash = "#/map?q=label%3Aoak&at=57,-4,12&pin=c0ff";
  const from = location.hash;
  navigate("photo", { id: id(1), list: "s1" }, { from });
  navigate("photo", { id: id(2), list: "s1" }, { replace: true });
  assert.deepEqual(origin(), { view: "map", params: { q: "label:oak", at: "57,-4,12", pin: "c0ff" } });
  navigate("grid");
  assert.equal(origin(), null);
});

test("a photo that is not in the list, such as a similar one, has its place among those of the query", async () => {
  const name = await nameList([id(8), id(9)]);
  await open(name, id(1));
  assert.deepEqual([steps.index, steps.count], [1, 3]);
  await open(name, id(9));
  assert.deepEqual([steps.index, steps.count], [1, 2]);
});
