import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { gainText, mistakeText } = await import(new URL("models/training-figures.js", page).href);
const { independentClasses, labelerOf } = await import(new URL("models/model-training.js", page).href);

test("says what more labels would add", () => {
  assert.match(gainText({ flat: false, gainOf100Labels: 0.034 }), / about 3 points\.$/);
  assert.match(gainText({ flat: false, gainOf100Labels: 0.01 }), / about 1 point\.$/);
  assert.match(gainText({ flat: false, gainOf100Labels: null }), /^There are too few labels /);
  assert.match(gainText({ flat: true, gainOf100Labels: null }), / would add little\.$/);
});

test("says what people and the model say of a photo", () => {
  const mistake = { class: "elm", present: true, probability: 0.02, predicted: "oak", confidence: 0.9 };
  assert.equal(mistakeText(mistake), "elm, predicted oak (90%)");
  const own = { ...mistake, predicted: "elm" };
  assert.equal(mistakeText(own), "elm, predicted not elm (98%)");
  assert.equal(mistakeText({ ...own, present: false }), "not elm, predicted elm (98%)");
});

test("classes of an exclusive set are not among those that are chosen one by one", () => {
  const classes = [{ class: "elm", set: "tree" }, { class: "moss", set: null }, { class: "fern" }];
  assert.deepEqual(independentClasses(classes).map((one) => one.class), ["moss", "fern"]);
});

test("a model belongs to the labeler of its name", () => {
  assert.equal(labelerOf("trees@7d7f4dd27d1a"), "trees");
  assert.equal(labelerOf("trees"), "trees");
});
