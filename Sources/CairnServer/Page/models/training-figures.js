// @ts-check
/** @file The figures of a training: what the model learned from, and how good it is. */

import { h, wide } from "../common/dom.js";
import { className, count, percent } from "../common/format.js";
import { hashOf } from "../shell/router.js";
import { emit } from "../data/store.js";
import { plural, t } from "../strings/strings.js";
import { confusionMatrix, learningCurve, render } from "./figures.js";

/** @typedef {{value: number|null, low: number|null, high: number|null}} Share with its 95% interval */

/**
 * @typedef {object} Evaluation How good a model is on photos that it did not learn from.
 * @property {number} photos
 * @property {number} groups near duplicates are one
 * @property {Share} accuracy
 * @property {Share|null} topThree
 * @property {number|null} macroF1
 * @property {number|null} macroF1Low
 * @property {number|null} macroF1High
 * @property {number|null} calibrationError
 * @property {{class: string, precision: Share, recall: Share, f1: number|null}[]} classes
 * @property {number[][]} confusion rows are true classes; empty if the classes do not exclude each other
 */

/**
 * @typedef {object} Mistake A label of people that the cross-validation contradicts.
 * @property {string} photo
 * @property {string} class
 * @property {boolean} present what people say
 * @property {number} probability of what people say
 * @property {string} predicted the class that is more probable; the same one if it excludes no other
 * @property {number} confidence of the predicted class
 */

/**
 * @typedef {object} TrainingResult
 * @property {string} model
 * @property {string} run
 * @property {boolean} exclusive
 * @property {number} photos
 * @property {{class: string, photos: number}[]} classes
 * @property {Evaluation} crossValidation
 * @property {Evaluation|null} test
 * @property {Mistake[]} mistakes the least probable labels first
 * @property {import("./figures.js").LearningPoint[]} learningCurve
 * @property {number|null} gainOf100Labels
 * @property {boolean} flat more labels would add little
 * @property {number} missingImages
 * @property {number} erasedImages
 * @property {number} undecodableImages
 * @property {number} testDuplicates
 * @property {number} uncomparedImages
 */

const LEFT_OUT = /** @type {const} */ (["missingImages", "erasedImages", "undecodableImages", "testDuplicates",
  "uncomparedImages"]);

/** @param {number|null} x */
const part = (x) => x === null ? "–" : percent(x);

/** @param {Share} share */
const shareOf = ({ value, low, high }) => low === null || high === null ? part(value)
  : [part(value), " ", h("small", null, `(${percent(low)}–${percent(high)})`)];

/**
 * Returns what more labels would add.
 * @param {Pick<TrainingResult, "flat"|"gainOf100Labels">} result
 */
export function gainText({ flat, gainOf100Labels }) {
  if (flat) return t("train.flat");
  if (gainOf100Labels === null) return t("train.gainUnknown");
  return plural("train.gain", Math.round(gainOf100Labels * 100));
}

/**
 * Returns the figures of a training.
 * @param {TrainingResult} result
 * @returns {HTMLElement[]}
 */
export function trainingFigures(result) {
  const { crossValidation, test } = result;
  return [numbers(result), classes(result),
    ...(result.exclusive ? [matrix(result, test ?? crossValidation)] : []),
    ...(result.mistakes.length > 0 ? [mistakes(result)] : []), curve(result)];
}

/**
 * Returns what people say of a photo, and what the model says instead.
 * @param {Mistake} mistake
 */
export function mistakeText({ class: key, present, probability, predicted, confidence }) {
  const name = className(key);
  if (predicted !== key) return t("train.mistake", { name, other: className(predicted), percent: percent(confidence) });
  return t(present ? "train.mistakePresent" : "train.mistakeAbsent", { name, percent: percent(1 - probability) });
}

/** @param {TrainingResult} result */
function mistakes({ mistakes: list }) {
  const ids = [...new Set(list.map(({ photo }) => photo))];
  return h("section", { class: "panel" }, h("h3", null, t("train.worst")),
    h("p", { class: "quiet" }, t("train.mistakesHint"), " ",
      h("a", { href: hashOf("review", { reasons: "suspect" }) }, t("train.mistakes"))),
    h("ul", { class: "train-worst" }, list.map((one) => h("li", null, h("a", {
      href: hashOf("photo", { id: one.photo }), onclick: (/** @type {MouseEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        emit("open-photo", { id: one.photo, list: ids });
      },
    }, h("img", {
      src: `/api/photos/${one.photo}/thumbnail`, alt: "", loading: "lazy",
      // A photo whose image is not on this disk has none.
      onerror: (/** @type {Event} */ event) => {
        /** @type {HTMLImageElement} */ (event.target).removeAttribute("src");
      },
    }), mistakeText(one))))));
}

/** @param {TrainingResult} result */
function numbers(result) {
  const { crossValidation: own, test } = result;
  /** @type {[string, string|(Node|string)[]][]} */
  const facts = [[t("train.fact.photos"), count(result.photos)],
    [t("train.fact.accuracy"), shareOf(own.accuracy)]];
  if (own.topThree) facts.push([t("train.fact.topThree"), shareOf(own.topThree)]);
  facts.push([t("train.fact.macroF1"), shareOf({
    value: own.macroF1, low: own.macroF1Low, high: own.macroF1High,
  })], [t("train.fact.calibration"), part(own.calibrationError)]);
  if (test) {
    facts.push([plural("train.fact.testAccuracy", test.photos), shareOf(test.accuracy)],
      [t("train.fact.testF1"), part(test.macroF1)]);
  }
  const leftOut = LEFT_OUT.filter((name) => result[name] > 0);
  return h("section", { class: "train-numbers" }, h("dl", { class: "facts" }, facts.map(([name, value]) =>
    h("div", { class: "panel" }, h("dt", null, name), h("dd", null, value)))),
  leftOut.length > 0 && h("ul", { class: "quiet" }, leftOut.map((name) =>
    h("li", null, plural(`train.${name}`, result[name])))));
}

/** @param {TrainingResult} result */
function classes({ classes: learned, crossValidation }) {
  const heads = ["class", "photos", "precision", "recall", "f1"];
  const rows = crossValidation.classes.map((one, index) => h("tr", null,
    h("th", { scope: "row" }, className(one.class)),
    h("td", { class: "number" }, count(learned[index].photos)),
    h("td", { class: "number" }, shareOf(one.precision)), h("td", { class: "number" }, shareOf(one.recall)),
    h("td", { class: "number" }, part(one.f1))));
  return h("section", { class: "panel" }, h("h3", null, t("train.classes")),
    wide(t("train.classes"), h("table", { class: "data" },
      h("thead", null, h("tr", null, heads.map((name) => h("th", { scope: "col" }, t(`models.column.${name}`))))),
      h("tbody", null, rows))));
}

/**
 * @param {TrainingResult} result
 * @param {Evaluation} evaluation
 */
function matrix({ model, classes: learned, test }, { confusion }) {
  const keys = learned.map((one) => one.class);
  return h("section", { class: "panel" }, h("h3", null, t(test ? "train.testMatrix" : "train.matrix")),
    wide(t(test ? "train.testMatrix" : "train.matrix"), render(confusionMatrix({
      set: "", classes: keys, names: keys.map(className), matrix: confusion, none: [],
    }, {
      caption: t("train.matrixCaption", { model }), truth: t("models.truth"),
      prediction: t("models.prediction"), none: null, open: null,
      describe: (truth, prediction, n) => plural("models.cell", n, { truth, prediction }),
    }))));
}

/** @param {TrainingResult} result */
function curve(result) {
  /** @param {import("./figures.js").LearningPoint} point */
  const describe = ({ labelsPerClass, macroF1 }) => plural("train.point", Math.round(labelsPerClass), {
    f1: part(macroF1),
  });
  return h("section", { class: "panel" }, h("h3", null, t("train.curve")),
    h("p", null, gainText(result)),
    h("figure", null, render(learningCurve(result.learningCurve, {
      title: result.learningCurve.map(describe).join("; "), x: t("train.labelsPerClass"), y: t("models.fact.f1"),
      percent, count: (labels) => count(Math.round(labels)), describe,
    }))));
}
