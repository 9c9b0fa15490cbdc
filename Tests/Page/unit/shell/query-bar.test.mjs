import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { errorRange } = await import(new URL("shell/query-bar.js", page).href);

test("the error of a long query is selected, though the server names it in an excerpt", () => {
  const text = `${"label:oak ".repeat(10)}label:elm sort:nothing`;
  const line = text.slice(70);
  assert.deepEqual(errorRange(text, { line, column: line.indexOf("sort") }), [110, 111]);
});

test("characters of several code units count as one, as for the server", () => {
  const text = "👩‍👩‍👧 é (";
  assert.deepEqual(errorRange(text, { line: text, column: 4 }), [text.length - 1, text.length]);
  assert.deepEqual(errorRange("label:", { line: "label:", column: 6 }), [6, 6]);
});
