import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

const { applyEarly } = await import(new URL("edits/early-edits.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

const oak = { class: "oak", state: "confirmed", confidence: 1, mine: "present" };
const elm = { class: "elm", state: "disputed", confidence: 0.5, mine: "absent" };
const yew = { class: "yew", state: "predicted", confidence: 0.8, mine: null };
const row = { id: "p1", classes: [oak, yew, elm] };
const shown = () => store.rows.get("p1");

beforeEach(() => {
  store.rows.clear();
  store.rows.set("p1", /** @type {any} */ (row));
});

/** @param {string} key */
const withdraw = (key) => applyEarly({ do: "withdraw", class: key, target: { photos: ["p1"] } });

test("a withdrawn label is gone at once, and back if the server refuses", () => {
  const restore = withdraw("oak");
  assert.deepEqual(shown()?.classes, [yew, elm]);
  assert.equal(shown()?.pending, true);
  restore();
  assert.deepEqual(shown(), row);
});

test("what others dispute stays when one's verdict is withdrawn", () => {
  withdraw("elm");
  assert.deepEqual(shown()?.classes, [oak, yew, { ...elm, mine: null }]);
});

test("nothing is withdrawn early where one has no verdict", () => {
  withdraw("yew");
  withdraw("ash");
  assert.deepEqual(shown(), row);
});
