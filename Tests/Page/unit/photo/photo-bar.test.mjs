import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { PhotoBar } = await import(new URL("photo/photo-bar.js", page).href);

test("a photo outside of the list has no previous and no next one", () => {
  const bar = new PhotoBar({});
  bar.place(-1, 5);
  assert.deepEqual(bar.steps.map(({ disabled }) => disabled), [true, true]);
  bar.place(0, 5);
  assert.deepEqual(bar.steps.map(({ disabled }) => disabled), [false, false]);
});
