import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { filesOf, openAdd } = await import(new URL("add/drop.js", page).href);
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

globalThis.File ??= class {};
/** An entry of a drop, as browsers have it. */
const file = (name) => ({ isFile: true, name, file: (resolve) => resolve(name) });
const broken = (name) => ({ isFile: true, name, file: (_, reject) => reject(new Error("NotReadableError")) });
const folder = (name, children) => ({
  isFile: false, name,
  createReader: () => {
    const parts = [children, []];
    return { readEntries: (resolve) => resolve(parts.shift()) };
  },
});
/** What a drop of these entries has. */
const drop = (entries) => filesOf({
  items: entries.map((entry) => ({ kind: "file", webkitGetAsEntry: () => entry })),
});

test("what cannot be read is counted, and the rest of a drop is taken", async () => {
  const closed = { isFile: false, name: "closed", createReader: () => ({ readEntries: (_, reject) => reject(new Error()) }) };
  const dropped = await drop([broken("a"), folder("in", [file("10"), file("9"), broken("c")]), closed, file("z")]);
  assert.deepEqual(dropped, { files: ["9", "10", "z"], tooMany: 0, unreadable: 3 });
});

test("files beyond the most of one drop are counted", async () => {
  const all = Array.from({ length: 20_003 }, (_, number) => file(`${number}`));
  const { files, tooMany } = await drop([folder("in", all)]);
  assert.deepEqual([files.length, tooMany], [20_000, 3]);
});
