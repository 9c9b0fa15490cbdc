import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page, press } from "../browser.mjs";

const { registeredKeys, registerKeys, setSingleKeys } = await import(new URL("shell/keys.js", page).href);

/** @type {string[]} */
let pressed = [];
beforeEach(() => {
  pressed = [];
  location.hash = "#/grid";
  setSingleKeys(true);
});
const key = (name) => ({ key: name, label: name, run: () => { pressed.push(name); } });

test("a key of the open view runs, one of another view does not", () => {
  const stop = [registerKeys("grid", [key("q")]), registerKeys("map", [key("z")])];
  assert.equal(press("q"), true);
  assert.equal(press("z"), false);
  assert.deepEqual(pressed, ["q"]);
  stop.forEach((end) => end());
  assert.equal(press("q"), false);
});

test("Shift makes another key of a letter, but not of a sign", () => {
  const stop = registerKeys("grid", [key("q"), key("shift+q"), key("?")]);
  press("Q", { shiftKey: true });
  press("q");
  press("?", { shiftKey: true });
  assert.deepEqual(pressed, ["shift+q", "q", "?"]);
  stop();
});

test("Shift with a digit is the digit's key on any keyboard", () => {
  const stop = registerKeys("grid", [key("1"), key("shift+1")]);
  press("!", { shiftKey: true, code: "Digit1" });
  press("1", { shiftKey: true, code: "Digit1" });
  press("1", { code: "Digit1" });
  assert.deepEqual(pressed, ["shift+1", "shift+1", "1"]);
  stop();
});

test("a sign that Shift and a digit's key type goes before the digit", () => {
  const stop = registerKeys("grid", [key("/"), key("shift+7")]);
  press("/", { shiftKey: true, code: "Digit7" });
  assert.deepEqual(pressed, ["/"]);
  stop();
});

test("a key of the open view goes before one of the whole page, on any keyboard", () => {
  const stop = [registerKeys("global", [key("/")]), registerKeys("grid", [key("shift+7")])];
  // German keyboards type `/` with Shift+7.
  press("/", { shiftKey: true, code: "Digit7" });
  press("/");
  assert.deepEqual(pressed, ["shift+7", "/"]);
  stop.forEach((end) => end());
});

test("Ctrl and the command key are the same", () => {
  const stop = registerKeys("global", [key("ctrl+z")]);
  press("z", { ctrlKey: true });
  press("z", { metaKey: true });
  press("z");
  assert.deepEqual(pressed, ["ctrl+z", "ctrl+z"]);
  stop();
});

test("two keys after each other run one command, and not the second key's", () => {
  const stop = registerKeys("global", [key("g m"), key("m")]);
  press("g");
  press("m");
  press("m");
  assert.deepEqual(pressed, ["g m", "m"]);
  stop();
});

test("single keys can be turned off; keys with Ctrl, arrows and Escape stay", () => {
  const stop = registerKeys("grid", [key("q"), key("ctrl+a"), key("ArrowLeft"), key("Escape")]);
  setSingleKeys(false);
  press("q");
  press("a", { ctrlKey: true });
  press("ArrowLeft");
  press("Escape");
  assert.deepEqual(pressed, ["ctrl+a", "ArrowLeft", "Escape"]);
  stop();
});

test("a command that returns false leaves the key to the next one", () => {
  const stop = [registerKeys("global", [key("q")]),
    registerKeys("grid", [{ key: "q", run: () => false }])];
  press("q");
  assert.deepEqual(pressed, ["q"]);
  stop.forEach((end) => end());
});

test("a key that is part of composed text does nothing", () => {
  const stop = registerKeys("grid", [key("q")]);
  assert.equal(press("q", { isComposing: true }), false);
  assert.deepEqual(pressed, []);
  stop();
});

test("the sheet lists keys with a text only", () => {
  const stop = registerKeys("grid", [key("q"), { key: "w", run() {} }]);
  assert.deepEqual(registeredKeys().get("grid").map((entry) => entry.key), ["q"]);
  stop();
});

test("a key that is held repeats what moves, not what edits, and nothing else of the page", () => {
  const stop = [registerKeys("global", [key("1")]),
    registerKeys("grid", [key("1"), { ...key("ArrowRight"), repeats: true }])];
  for (const repeat of [false, true, true]) {
    assert.equal(press("1", { repeat }), true);
    assert.equal(press("ArrowRight", { repeat }), true);
  }
  assert.deepEqual(pressed, ["1", "ArrowRight", "ArrowRight", "ArrowRight"]);
  stop.forEach((end) => end());
});

test("the first of two keys may be held", () => {
  const stop = registerKeys("global", [key("g g"), key("g m")]);
  press("g");
  press("g", { repeat: true });
  press("m");
  assert.deepEqual(pressed, ["g m"]);
  stop();
});

test("a button is pressed once while Enter is held", () => {
  const button = Object.assign(new Element(), {
    matches: (/** @type {string} */ selector) => selector.startsWith("button"), closest: () => null,
  });
  assert.equal(press("Enter", { composedPath: () => [button] }), false);
  assert.equal(press("Enter", { composedPath: () => [button], repeat: true }), true);
});
