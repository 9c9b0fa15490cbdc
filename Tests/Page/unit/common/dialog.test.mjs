import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

/** An element that keeps what is put into it. */
class Box extends HTMLElement {
  children = [];
  dataset = {};
  clicked = () => {};
  classList = { add() {} };
  append(...children) {
    this.children.push(...children);
    for (const child of children) if (child instanceof Box) child.parent = this;
  }
  remove() { this.parent.children.splice(this.parent.children.indexOf(this), 1); }
  contains(one) { return one === this || this.children.some((child) => child instanceof Box && child.contains(one)); }
  addEventListener(name, listener) { if (name === "click") this.clicked = listener; }
  setAttribute() {}
  matches() { return true; }
}

document.createElement = () => new Box();
document.body = new Box();
// Messages stay.
window.setTimeout = () => 0;
const { emit, on } = await import(new URL("data/store.js", page).href);
const { toast } = await import(new URL("common/dialog.js", page).href);

/** The messages that are shown. */
const notes = () => document.body.children[0].children;

beforeEach(() => {
  document.body.children = [];
  toast("Saved");
  notes().length = 0;
});

test("a message that offers to undo an action goes when that was undone with a key", () => {
  toast("2 photos removed", { action: { label: "Undo", undoes: "a2", run() {} } });
  toast("3 photos removed", { action: { label: "Undo", undoes: "a3", run() {} } });
  toast("Saved");
  document.activeElement = notes()[1].children[1];
  let focused = 0;
  const stop = on("focus-view", () => { focused += 1; });
  emit("undone", { action: "a3" });
  assert.equal(focused, 1);
  document.activeElement = null;
  stop();
  assert.deepEqual(notes().map(({ dataset }) => dataset.undoes), ["a2", ""]);
  emit("undone", { action: null });
  assert.equal(notes().length, 2);
});

test("a message that is closed gives its focus back to the view", () => {
  let focused = 0;
  const stop = on("focus-view", () => { focused += 1; });
  for (const isHeld of [false, true]) {
    toast("Saved");
    const close = notes()[0].children.at(-1);
    document.activeElement = isHeld ? close : null;
    close.clicked();
    assert.deepEqual([notes().length, focused], [0, Number(isHeld)]);
  }
  document.activeElement = null;
  stop();
});

test("the oldest of too many messages gives its focus back to the view", () => {
  let focused = 0;
  const stop = on("focus-view", () => { focused += 1; });
  for (const text of ["1", "2", "3"]) toast(text);
  document.activeElement = notes()[0].children.at(-1);
  toast("4");
  assert.deepEqual([notes().length, focused], [3, 1]);
  document.activeElement = null;
  stop();
});
