import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { page } from "./browser.mjs";

const css = readFileSync(new URL("shell/theme.css", page), "utf8");

/** Colors by name: [light, dark]. */
const colors = new Map([...css.matchAll(/^ {2}--([\w-]+): (#\w+|light-dark\((#\w+), (#\w+)\));/gm)]
  .map(([, name, one, light, dark]) => [name, [light ?? one, dark ?? one]]));

/** The relative luminance of WCAG 2.2. @param {string} color */
function luminance(color) {
  const digits = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit)
    : color.slice(1).match(/../g);
  const [red, green, blue] = digits.map((pair) => {
    const part = parseInt(pair, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colors in a theme. */
function contrast(first, second, theme) {
  const [high, low] = [first, second].map((name) => luminance(colors.get(name)[theme]))
    .sort((one, other) => other - one);
  return (high + 0.05) / (low + 0.05);
}

/** @type {[string, string[], number][]} a color, what it is on, the contrast that WCAG asks for */
const pairs = [
  ["text", ["bg", "surface", "raised", "hover", "accent-soft"], 7],
  ["quiet", ["bg", "surface", "raised", "hover"], 4.5],
  ["accent", ["bg", "surface", "raised"], 4.5],
  ["danger", ["bg", "surface", "raised"], 4.5],
  ["control", ["bg", "surface", "raised"], 3],
  ["on-accent", ["accent"], 4.5],
  ["on-danger", ["danger-fill"], 4.5],
  ...["confirmed", "predicted", "disputed", "rejected"].flatMap((state) => [
    [`on-${state}`, [state], 4.5], [`${state}-text`, ["bg", "surface", "raised"], 4.5],
  ]),
];

test("colors of texts and controls have the contrast of WCAG 2.2 AA in both themes", () => {
  for (const [name, backgrounds, least] of pairs) {
    for (const background of backgrounds) {
      for (const [theme, title] of ["light", "dark"].entries()) {
        const found = contrast(name, background, theme);
        assert.ok(found >= least, `${name} on ${background}, ${title}: ${found.toFixed(2)}`);
      }
    }
  }
});
