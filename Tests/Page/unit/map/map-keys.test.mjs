import assert from "node:assert/strict";
import { test } from "node:test";
import { page, press } from "../browser.mjs";

const { registerMapKeys } = await import(new URL("map/map-keys.js", page).href);

/** @type {string[]} */
const removed = [];
/** An element with the focus inside if `inside` says so. */
const element = (inside) => ({ contains: () => inside });
const map = {
  panel: element(true), pinPanel: {},
  withPin: (run) => run({ removePin: () => { removed.push("pin"); } }),
};
registerMapKeys(/** @type {any} */ (map));

test("Delete removes photos while the focus is on those beside the map, otherwise the pin", () => {
  location.hash = "#/map";
  const chosen = { remove: () => { removed.push("photos"); } };
  for (const [photos, bar] of [[true, false], [false, true], [false, false]]) {
    map.pinPanel = { photos: element(photos), chosen: { ...chosen, element: element(bar) } };
    press("Delete");
  }
  assert.deepEqual(removed, ["photos", "photos", "pin"]);
});
