import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./browser.mjs";

const { api } = await import(new URL("data/api.js", page).href);
const { undoAction } = await import(new URL("edits/actions.js", page).href);

// Messages stay.
window.setTimeout = () => 0;

test("the Undo button of a toast undoes its own action only", async () => {
  /** @type {string[]} */
  const posted = [];
  let latest = "a2";
  api.get = async () => ({ actions: [{ action: latest }] });
  api.post = async (/** @type {string} */ path) => {
    posted.push(path);
    return { job: "j1" };
  };
  await undoAction("a1").run();
  assert.deepEqual(posted, []);
  latest = "a1";
  await undoAction("a1").run();
  assert.deepEqual(posted, ["/api/undo"]);
});
