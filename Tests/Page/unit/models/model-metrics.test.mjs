import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { caveat } = await import(new URL("models/model-metrics.js", page).href);

test("figures of a model whose silent photos are not all known have a caveat", () => {
  const known = { silentIsKnown: true, learnedIsKnown: true, learnedFromAll: false };
  assert.match(caveat({ ...known, silentIsKnown: false }), /^Figures may be too high: photos /);
  assert.match(caveat({ ...known, learnedIsKnown: false }), /^Figures may be too high: the training /);
  assert.equal(caveat(known), "");
});

test("a model that learned from all labeled photos has nothing to be measured on", () => {
  const all = { silentIsKnown: true, learnedIsKnown: true, learnedFromAll: true };
  assert.match(caveat(all), /^Nothing to measure: /);
});
