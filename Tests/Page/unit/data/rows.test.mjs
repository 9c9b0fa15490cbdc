import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { RowPages } = await import(new URL("data/rows.js", page).href);
const { api } = await import(new URL("data/api.js", page).href);
const { idsOf } = await import(new URL("data/sets.js", page).href);
const { emit } = await import(new URL("data/store.js", page).href);

/**
 * Returns the pages that a set of `count` rows asks for when `from..<to` is shown.
 * @param {number} count
 * @param {number} from
 * @param {number} to
 */
function pagesAsked(count, from, to) {
  /** @type {number[]} */
  const asked = [];
  const pages = new RowPages({ set: "s1", query: "", sort: "id", descending: false, group: "none", count });
  pages.fetchPage = async (/** @type {number} */ number) => { asked.push(number); };
  pages.need(from, to);
  pages.close();
  return asked;
}

test("an empty set asks for no page", () => {
  assert.deepEqual(pagesAsked(0, 0, 48), []);
});

test("rows that are shown are asked for by pages, within the set", () => {
  assert.deepEqual(pagesAsked(300, 0, 48), [0]);
  assert.deepEqual(pagesAsked(300, 240, 900), [0, 1]);
});

/** Returns the rows of a set of 5,000 photos, the first 1,250 of them shown, and what is asked for later. */
async function shown() {
  const pages = new RowPages({ set: "s1", query: "", sort: "id", descending: false, group: "none", count: 5000 });
  /** @type {number[]} */
  const asked = [];
  pages.fetchPage = async (/** @type {number} */ number) => {
    asked.push(number);
    pages.pages.delete(number);
    pages.pages.set(number, [`photo${number}`]);
  };
  pages.need(0, 1250);
  await settled(pages);
  asked.splice(0);
  return { pages, asked };
}

/** Waits until no page is being loaded. */
async function settled(pages) {
  while (pages.loading.size > 0) await Promise.all(pages.loading.values());
}

test("after a change of an unknown number of photos, all pages that are shown are read again", async () => {
  const { pages, asked } = await shown();
  emit("server:photos", { ids: null, session: "other" });
  assert.deepEqual(asked.sort(), [0, 1, 2, 3, 4]);
  assert.equal(pages.idAt(0), "photo0", "it is shown until the new row is there");
  await settled(pages);
  pages.close();
});

test("pages that are not shown are forgotten then, except for the latest", async () => {
  const { pages, asked } = await shown();
  for (const number of [10, 11, 12, 13]) await pages.loadPage(number);
  asked.splice(0);
  pages.refresh(null);
  await settled(pages);
  assert.deepEqual(asked.sort((a, b) => a - b), [0, 1, 2, 3, 4, 11, 12, 13]);
  assert.ok(!pages.pages.has(10));
  pages.close();
});

test("a page that changes while it is being loaded is read once more", async () => {
  const { pages, asked } = await shown();
  pages.loadPage(7);
  pages.refresh(null);
  pages.refresh(null);
  await settled(pages);
  assert.equal(asked.filter((number) => number === 7).length, 2);
  pages.close();
});

test("a commit reads no rows again", async () => {
  const { pages, asked } = await shown();
  emit("server:dataset", { reason: "commit" });
  assert.deepEqual(asked, []);
  emit("server:dataset", { reason: "pull" });
  assert.equal(asked.length, 5);
  await settled(pages);
  pages.close();
});

test("a photo that is gone keeps its place among the others", async () => {
  const pages = new RowPages({ set: "s1", query: "", sort: "id", descending: false, group: "none", count: 3 });
  const row = (/** @type {string} */ id) => ({ id, name: "", classes: [] });
  api.get = async () => ({ from: 0, photos: [row("a"), null, row("c")] });
  await pages.load(0);
  assert.deepEqual([0, 1, 2].map((index) => pages.at(index)?.id ?? null), ["a", null, "c"]);
  assert.equal(pages.indexOf("c"), 2);
  pages.close();
  api.blob = async () => new Blob([new Uint8Array([...Array(31).fill(0), 1, ...Array(32).fill(0)])]);
  assert.deepEqual(await idsOf({ set: "s1", count: 2 }), [`${"0".repeat(63)}1`]);
});

test("many photos are sent as bytes, since a text of them is larger than a request may be", async () => {
  const { createSet } = await import(new URL("data/sets.js", page).href);
  /** @type {Uint8Array|null} */
  let sent = null;
  api.upload = async (/** @type {string} */ path, /** @type {Uint8Array} */ bytes) => {
    assert.equal(path, "/api/sets");
    sent = bytes;
    return { set: "s9", count: 2 };
  };
  const ids = ["00ff".repeat(16), "0a1b".repeat(16)];
  const set = await createSet({ photos: ids });
  assert.equal(Buffer.from(sent).toString("hex"), ids.join(""));
  assert.deepEqual(set.body, { photos: ids });
});
