import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { keepFocus } = await import(new URL("common/dom.js", page).href);

globalThis.CSS = { escape: (name) => name };

/** Returns an element that takes the focus, with the text by which it is found again. */
const control = (hold) => Object.assign(new HTMLElement(), {
  dataset: { hold }, focus() { document.activeElement = this; },
});

/** Returns a panel of these controls, and what is around it. */
function panel(...children) {
  const around = control("around");
  return Object.assign(new HTMLElement(), {
    children, around, contains(one) { return one === this || this.children.includes(one); }, closest: () => around,
    querySelector(selector) { return this.children.find(({ dataset }) => selector === `[data-hold="${dataset.hold}"]`); },
  });
}

test("painting again keeps the focus on the same control", () => {
  const root = panel(control("first"), control("second"));
  root.children[1].focus();
  keepFocus(root, () => { root.children = [control("second"), control("third")]; });
  assert.equal(document.activeElement, root.children[0]);
});

test("a focus whose control is gone goes to what is around, one elsewhere stays", () => {
  const root = panel(control("first"));
  root.children[0].focus();
  keepFocus(root, () => { root.children = []; });
  assert.equal(document.activeElement, root.around);
  const other = control("first");
  other.focus();
  keepFocus(root, () => { root.children = [control("first")]; });
  assert.equal(document.activeElement, other);
});
