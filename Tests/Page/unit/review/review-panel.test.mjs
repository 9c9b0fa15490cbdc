import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { page } from "../browser.mjs";

globalThis.CSS = { escape: (text) => text };
window.innerWidth = globalThis.innerWidth = 1280;
const { ReviewPanel, suggestion } = await import(new URL("review/review-panel.js", page).href);

const question = {
  kind: "class", set: "tree", class: "oak", name: "oak", state: "predicted", confidence: 0.82, reasons: [], labels: [],
  options: [], photo: { id: "p1", name: "p1.jpg", favorite: false },
};

afterEach(() => { document.activeElement = null; });

/** Returns a panel with the focus on an element of it, and what got the focus since. */
function panel(hold) {
  const panel = new ReviewPanel({});
  /** @type {string[]} */
  const focused = [];
  document.activeElement = Object.assign(new HTMLElement(), { dataset: hold ? { hold } : {} });
  Object.assign(panel.element, {
    contains: () => true,
    querySelector: (selector) => selector.includes("option") ? null : { focus: () => focused.push(selector) },
  });
  return { panel, focused };
}

test("the focus stays on the same button of the next question", () => {
  const { panel: shown, focused } = panel("a");
  shown.show(question, { readOnly: false, again: false, looking: new Set() });
  assert.deepEqual(focused, ['[data-hold="a"]']);
});

test("the heading has the focus if the next question has no such button", () => {
  const { panel: shown, focused } = panel("option 3");
  shown.show(question, { readOnly: false, again: false, looking: new Set() });
  assert.deepEqual(focused, ["[tabindex]"]);
});

test("at the end, a focus in the panel is not lost", () => {
  const { panel: shown, focused } = panel("");
  shown.finished({ kind: "doubtful", count: 3, readOnly: false });
  assert.deepEqual(focused, ["[tabindex]"]);
});

test("while questions are looked for, and if that fails, a focus in the panel is not lost", () => {
  const { panel: shown, focused } = panel("");
  shown.waiting();
  shown.failed("The disk is full.");
  assert.deepEqual(focused, ["[tabindex]", "[tabindex]"]);
});

test("a suggestion that no label decides has no confidence", () => {
  assert.equal(suggestion(question), "Suggested: oak, 82%");
  assert.equal(suggestion({ ...question, state: null, confidence: 0 }), "Suggested: oak");
  assert.equal(suggestion({ ...question, state: "rejected" }), "");
  assert.equal(suggestion({ ...question, set: null }), "");
});
