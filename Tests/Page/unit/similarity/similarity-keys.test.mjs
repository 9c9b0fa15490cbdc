import assert from "node:assert/strict";
import { test } from "node:test";
import { page, press } from "../browser.mjs";

const { registerSimilarityKeys } = await import(new URL("similarity/similarity-keys.js", page).href);

/** @type {any[]} */
const done = [];
const note = (/** @type {string} */ name) => (/** @type {any[]} */ ...values) => { done.push([name, ...values]); };
registerSimilarityKeys(/** @type {any} */ (Object.assign(
  { surface: { camera: { width: 1000, height: 500 } } },
  Object.fromEntries(["panBy", "zoomBy", "fit", "focusNext", "toggle", "selectView", "selectAll", "showInGrid", "escape"]
    .map((name) => [name, note(name)])), { open: () => false })));

test("everything that a pointer does can be done with keys", () => {
  location.hash = "#/similarity";
  for (const key of ["ArrowLeft", "+", "-", "0", "j", "k", "x", " ", "v", "s", "Escape"]) assert.ok(press(key), key);
  assert.ok(press("ArrowDown", { shiftKey: true }));
  assert.ok(press("a", { ctrlKey: true }));
  // Without a photo that has the focus, Enter does nothing.
  assert.ok(!press("Enter"));
  assert.deepEqual(done, [["panBy", 80, -0], ["zoomBy", 1], ["zoomBy", -1], ["fit"], ["focusNext", 1], ["focusNext", -1],
    ["toggle"], ["toggle"], ["selectView"], ["showInGrid"], ["escape"], ["panBy", -0, -400], ["selectAll"]]);
});
