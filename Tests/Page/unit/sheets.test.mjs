import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { page } from "./browser.mjs";

/**
 * Returns the class with which each selector of a sheet begins. Those of selectors that begin with
 * an element of the page, such as `cairn-map .field`, are scoped: they are about that element only.
 * @param {string} css
 * @returns {{name: string, isScoped: boolean}[]}
 */
function leadingClasses(css) {
  const found = [];
  for (const [, selectors] of css.replace(/\/\*.*?\*\//gs, "").matchAll(/([^{}]+)\{/g)) {
    if (selectors.trim().startsWith("@")) continue;
    for (const selector of selectors.split(/,(?![^(]*\))/)) {
      const scoped = /^\s*cairn-[\w-]+(.*)$/s.exec(selector);
      const name = /^\s*[>+~]?\s*\w*\.([\w-]+)/.exec(scoped?.[1] ?? selector)?.[1];
      if (name) found.push({ name, isScoped: scoped !== null });
    }
  }
  return found;
}

test("the leading classes of selectors are found", () => {
  const css = "/* .no {} */ .a.b > .c, cairn-x .d { e: .5f } @media (width > 1px) { .g:is(.h, .i) .j { k: l } }";
  assert.deepEqual(leadingClasses(css).map(({ name, isScoped }) => isScoped ? `in ${name}` : name),
    ["a", "in d", "g"]);
});

test("no two sheets of views style the same class: all sheets stay loaded", () => {
  /** @type {Map<string, Map<string, boolean>>} by class: the sheets, and whether all is scoped there */
  const sheets = new Map();
  for (const view of ["add", "grid", "map", "models", "photo", "review", "similarity", "table"]) {
    const classes = leadingClasses(readFileSync(new URL(`${view}/${view}.css`, page), "utf8"));
    assert.ok(classes.length > 5);
    for (const { name, isScoped } of classes) {
      const own = sheets.get(name) ?? new Map();
      sheets.set(name, own.set(view, isScoped && (own.get(view) ?? true)));
    }
  }
  const shared = [...sheets].filter(([name, own]) =>
    name !== "view" && own.size > 1 && ![...own.values()].every(Boolean));
  assert.deepEqual(shared.map(([name, own]) => `.${name}: ${[...own.keys()].join(", ")}`), []);
});
