import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { RowPages } = await import(new URL("data/rows.js", page).href);

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
