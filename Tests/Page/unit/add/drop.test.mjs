import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { openAdd } = await import(new URL("add/drop.js", page).href);
const { on } = await import(new URL("data/store.js", page).href);

test("files dropped on the map are added at the open pin", () => {
  location.hash = "#/map?q=label%3Aoak&at=57,-4,12&pin=c0ff";
  openAdd();
  assert.equal(location.hash, "#/add?pin=c0ff");
});

test("files dropped on a view without an open pin have no pin", () => {
  for (const address of ["#/map?at=57,-4,12", "#/grid?q=pin%3Ac0ff"]) {
    location.hash = address;
    openAdd();
    assert.equal(location.hash, "#/add");
  }
});

test("files dropped where photos are added keep the location that is selected there", () => {
  let dropped = 0;
  const stop = on("dropped", () => { dropped += 1; });
  location.hash = "#/add?pin=c0ff";
  openAdd();
  stop();
  assert.deepEqual([location.hash, dropped], ["#/add?pin=c0ff", 1]);
});
