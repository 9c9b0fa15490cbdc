import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page, press } from "../browser.mjs";

const { classKeys, labelWithKeys } = await import(new URL("edits/class-keys.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);
const { registeredKeys } = await import(new URL("shell/keys.js", page).href);
const { registerPhotoKeys } = await import(new URL("photo/photo-keys.js", page).href);

const names = Array.from({ length: 26 }, (_, number) => `class${number}`);
/** @type {string[]} */
let done = [];
const command = (/** @type {string} */ name) => (/** @type {any[]} */ ...values) => {
  done.push([name, ...values.filter((value) => typeof value !== "object")].join(" "));
};
const commands = ["step", "toggleFavorite", "toggleRemoved", "draw", "editTitle", "onMap", "toggleSide", "escape"];
registerPhotoKeys({
  ...Object.fromEntries(commands.map((name) => [name, command(name)])),
  edits: { label: command("label"), judge: command("judge"), typeClass: command("typeClass") },
  classList: { toggle: command("toggle") },
});
labelWithKeys("grid", command("grid"));

beforeEach(() => {
  done = [];
  store.update({
    session: { dataset: { name: "test" } },
    classes: new Map(names.map((name) => [name, { class: name, name, aliases: [], photos: 1 }])),
  });
});

test("every class key labels in the grid, with Shift as absent", () => {
  location.hash = "#/grid";
  for (const { key, class: name } of classKeys.list()) {
    press(key);
    press(key.toUpperCase(), { shiftKey: true, code: /\d/.test(key) ? `Digit${key}` : "" });
    assert.deepEqual(done.splice(0), [`grid ${name} present`, `grid ${name} absent`], key);
  }
});

test("digits and letters label in the view of one photo, and hide none of its commands", () => {
  location.hash = "#/photo/1";
  const keys = classKeys.list("photo");
  assert.equal(keys.length, 18);
  for (const { key, class: name } of keys) {
    press(key);
    assert.deepEqual(done.splice(0), [`label ${name} present`], key);
  }
  for (const key of "abcefimnoprwx") press(key);
  assert.deepEqual(done, ["judge accept", "draw box", "typeClass", "editTitle", "toggleFavorite", "toggleSide",
    "onMap", "step 1", "draw outline", "step -1", "judge reject", "judge withdraw", "toggle no-boxes"]);
});

test("keys that work in both views are given out first", () => {
  const first = classKeys.list().slice(0, 18).map(({ key }) => key);
  assert.deepEqual(first, classKeys.list("photo").map(({ key }) => key));
});

test("the sheet of keys lists the classes in the grid and in the view of one photo", () => {
  for (const scope of ["grid", "photo"]) {
    const listed = registeredKeys().get(scope).map(({ label }) => label);
    for (const { name } of classKeys.list(scope)) assert.ok(listed.includes(`Label: ${name}`), `${scope}: ${name}`);
  }
});

test("a class that gets the key of another one takes it", () => {
  const [first, second] = classKeys.list();
  classKeys.set(first.key, second.class);
  assert.equal(classKeys.keyOf(second.class), first.key);
  location.hash = "#/photo/1";
  press(first.key);
  assert.deepEqual(done, [`label ${second.class} present`]);
});
