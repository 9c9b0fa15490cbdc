import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { pairsOn } = await import(new URL("models/model-agreement.js", page).href);

const pair = { first: "ann", second: "bob" };
const agreement = {
  pairs: [
    { ...pair, kind: "class", subject: "oak", photos: 10, agreement: 0.9, kappa: 0.8 },
    { ...pair, kind: "class", subject: "wet", photos: 30, agreement: 1, kappa: 0.4 },
    { ...pair, kind: "set", subject: "tree", photos: 8, agreement: 1, kappa: null },
  ],
  overall: [{ ...pair, photos: 32, differing: 1, kappa: 0.5 }],
};

test("two people on one class, and on one set", () => {
  assert.deepEqual(pairsOn(agreement, "class oak"), [{ ...pair, kappa: 0.8, same: 9, different: 1 }]);
  assert.deepEqual(pairsOn(agreement, "set tree"), [{ ...pair, kappa: null, same: 8, different: 0 }]);
});

test("two people on all classes: photos count once, with the differences that a set does not have", () => {
  assert.deepEqual(pairsOn(agreement, ""), [{ ...pair, kappa: 0.5, same: 31, different: 1 }]);
});
