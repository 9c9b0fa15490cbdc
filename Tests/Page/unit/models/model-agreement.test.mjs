import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { pairsOn } = await import(new URL("models/model-agreement.js", page).href);

const pair = { first: "ann", second: "bob" };
const pairs = [
  { ...pair, kind: "class", subject: "oak", photos: 10, agreement: 0.9, kappa: 0.8 },
  { ...pair, kind: "class", subject: "wet", photos: 30, agreement: 1, kappa: 0.4 },
  { ...pair, kind: "set", subject: "tree", photos: 10, agreement: 0.5, kappa: null },
];
const setOf = (key) => key === "oak" ? "tree" : null;

test("two people on one class", () => {
  assert.deepEqual(pairsOn(pairs, "class oak", setOf), [{ ...pair, kappa: 0.8, same: 9, different: 1 }]);
});

test("two people on everything: a class of an exclusive set counts once, as the set", () => {
  assert.deepEqual(pairsOn(pairs, "", setOf), [{ ...pair, kappa: 0.4, same: 35, different: 5 }]);
});

test("the kappa of several classes is their mean, weighted by photos", () => {
  const [{ kappa }] = pairsOn(pairs.slice(0, 2), "", setOf);
  assert.equal(kappa.toFixed(3), "0.500");
});
