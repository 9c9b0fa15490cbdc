import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { caveat } = await import(new URL("models/model-metrics.js", page).href);

test("figures of a model whose silent photos are not all known have a caveat", () => {
  assert.match(caveat({ silentIsKnown: false }), /^Figures may be too high: /);
  assert.equal(caveat({ silentIsKnown: true }), "");
});
