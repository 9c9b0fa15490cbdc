import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { gainText } = await import(new URL("models/training-figures.js", page).href);
const { independentClasses, labelerOf } = await import(new URL("models/model-training.js", page).href);

test("says what more labels would add", () => {
  assert.match(gainText({ flat: false, gainOf100Labels: 0.034 }), / about 3 points\.$/);
  assert.match(gainText({ flat: false, gainOf100Labels: 0.01 }), / about 1 point\.$/);
  assert.match(gainText({ flat: false, gainOf100Labels: null }), /^There are too few labels /);
  assert.match(gainText({ flat: true, gainOf100Labels: null }), / would add little\.$/);
});

test("classes of an exclusive set are not among those that are chosen one by one", () => {
  const classes = [{ class: "elm", set: "tree" }, { class: "moss", set: null }, { class: "fern" }];
  assert.deepEqual(independentClasses(classes).map((one) => one.class), ["moss", "fern"]);
});

test("a model belongs to the labeler of its name", () => {
  assert.equal(labelerOf("trees@7d7f4dd27d1a"), "trees");
  assert.equal(labelerOf("trees"), "trees");
});
