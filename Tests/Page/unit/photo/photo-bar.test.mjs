import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { PhotoBar } = await import(new URL("photo/photo-bar.js", page).href);

test("a photo outside of the list has no previous and no next one, and the buttons keep the focus", () => {
  const bar = new PhotoBar({});
  /** @type {string[]} */
  const set = [];
  for (const control of bar.steps) control.setAttribute = (name, value) => set.push(`${name} ${value}`);
  bar.place(-1, 5);
  assert.deepEqual(set.splice(0), ["aria-disabled true", "aria-disabled true"]);
  bar.place(0, 5);
  assert.deepEqual(set, ["aria-disabled false", "aria-disabled false"]);
  assert.ok(bar.steps.every(({ disabled }) => !disabled));
});
