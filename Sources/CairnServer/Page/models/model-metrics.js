// @ts-check
/** @file How good models are, compared with people: numbers, confusion, reliability, precision. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { clear, h, keepFocus } from "../common/dom.js";
import { className, count, percent } from "../common/format.js";
import { binaryMatrix, confusionMatrix, precisionRecall, reliability, render } from "./figures.js";
import { createNamedSet } from "../data/sets.js";
import { emit } from "../data/store.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {{error: number|null, bins: import("./figures.js").Bin[]}} Calibration */

/**
 * @typedef {object} ClassMetrics
 * @property {string} class
 * @property {string} name
 * @property {number} truePositives
 * @property {number} falsePositives
 * @property {number} falseNegatives
 * @property {number} trueNegatives
 * @property {number|null} precision
 * @property {number|null} recall
 * @property {number|null} f1
 * @property {number|null} averagePrecision
 * @property {"no-positives"|"no-negatives"|null} undefined why figures have no meaning
 * @property {Calibration} calibration
 * @property {import("./figures.js").CurvePoint[]} curve
 */

/** @typedef {{precision: number, recall: number, f1: number}} Scores */
/** @typedef {{value: number|null, interval: [number, number]|null}} Proportion */

/**
 * @typedef {import("./figures.js").Matrix & {top1: Proportion, top5: Proportion|null,
 *   macro: Scores|null, trueClasses: number}} SetMetrics
 */

/**
 * @typedef {object} ModelMetrics
 * @property {string} model
 * @property {number} photos
 * @property {number} silent photos that people labeled and for which it gave no label
 * @property {boolean} silentIsKnown whether all photos for which it gave no label are known
 * @property {number} learned photos left out, because it learned from them
 * @property {boolean} learnedFromAll whether people labeled none of its other photos
 * @property {boolean} learnedIsKnown whether it is known which photos it learned from
 * @property {{macro: Scores, micro: Scores, meanAveragePrecision: number}|null} independent
 * @property {{map50: number|null, map: number|null}|null} boxes
 * @property {number} disputed
 * @property {number} withoutGroundTruth
 * @property {Calibration} calibration
 * @property {ClassMetrics[]} classes
 * @property {SetMetrics[]} sets
 */

/** @param {number|null|undefined} x */
const part = (x) => x === null || x === undefined ? "–" : percent(x);

/** @param {Proportion} x its value and its 95% interval */
const share = ({ value, interval }) => interval
  ? [part(value), " ", h("small", null, `(${percent(interval[0])}–${percent(interval[1])})`)] : part(value);

/**
 * Returns what the photos of a cell are called, such as “oak predicted as elm”.
 * @param {Record<string, string|null>} cell
 */
function cellName({ class: key, truth, prediction }) {
  /** @param {string|null} value a class, or a verdict about the class of the matrix */
  const text = (value) => {
    if (value === null) return t("models.none");
    return key ? t(`models.${value}`) : className(value);
  };
  const cell = t("models.cellName", { truth: text(truth), prediction: text(prediction) });
  return key ? `${className(key)}: ${cell}` : cell;
}

/**
 * Returns why a model has no figures, or why they may be too high; empty if neither is so.
 * @param {Pick<ModelMetrics, "silentIsKnown"|"learnedIsKnown"|"learnedFromAll">} model
 */
export const caveat = ({ silentIsKnown, learnedIsKnown, learnedFromAll }) => {
  if (learnedFromAll) return t("models.learnedFromAll");
  return [learnedIsKnown ? "" : t("models.learnedUnknown"), silentIsKnown ? "" : t("models.silentUnknown")]
    .filter(Boolean).join(" ");
};

export class MetricsPanel {
  /** @type {ModelMetrics[]} */
  models = [];
  model = h("select", { onchange: () => this.paint() });
  query = h("input", {
    type: "text", autocomplete: "off", spellcheck: false, placeholder: t("models.everything"),
  });
  body = h("div", { class: "page-panels" });
  form = h("form", {
    class: "panel metrics-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.load(this.query.value.trim());
    },
  }, h("label", { class: "field" }, t("models.model"), this.model),
  h("label", { class: "field grow" }, t("models.query"), this.query),
  h("button", { type: "submit" }, t("models.compute")));
  element = h("div", { class: "page-panels" }, this.form, this.body);
  request = 0;
  /** The models to choose from, one a line. */
  names = "";
  /** The query of the photos that were measured. */
  measured = "";
  /** The query that was submitted last; if that failed, the measured one. */
  submitted = "";
  /** @type {string|null} */
  chosenClass = null;
  /** Whether the numbers of the figures are shown. */
  hasNumbers = false;

  /** Measures the photos of the submitted query again; one that is being typed waits. */
  async show() {
    await this.load(this.submitted);
  }

  /** @param {string} query */
  async load(query) {
    this.request += 1;
    const own = this.request;
    this.submitted = query;
    if (!this.body.firstChild) {
      clear(this.body).append(h("p", { class: "quiet", role: "status" }, t("models.computing")));
    }
    try {
      const { models } = await api.get(`/api/metrics/models?query=${encodeURIComponent(query)}`);
      if (own !== this.request) return;
      this.models = models;
      this.measured = query;
      this.form.hidden = models.length === 0 && query === "";
    } catch (error) {
      if (own === this.request) {
        this.submitted = this.measured;
        if (this.models.length === 0) clear(this.body);
      }
      return report(error);
    }
    this.showModels(this.models.map(({ model }) => model));
    this.paint();
  }

  /** @param {string[]} names */
  showModels(names) {
    // An open list closes when its options change.
    if (names.join("\n") === this.names) return;
    this.names = names.join("\n");
    const chosen = this.model.value;
    clear(this.model).append(...names.map((name) => h("option", { value: name }, name)));
    if (names.includes(chosen)) this.model.value = chosen;
  }

  paint() {
    const model = this.models.find((one) => one.model === this.model.value);
    if (!model) {
      clear(this.body).append(h("p", { class: "quiet" }, t("models.noModels")));
      return;
    }
    this.chosenClass = model.classes.find((one) => one.class === this.chosenClass)?.class
      ?? model.classes[0]?.class ?? null;
    keepFocus(this.body, () => clear(this.body).append(this.numbers(model),
      caveat(model) ? h("p", { class: "quiet" }, caveat(model)) : "",
      ...model.sets.map((set) => this.matrix(model, set)),
      model.classes.length > 0 ? this.classes(model) : "", this.detail(model)));
  }

  /** @param {ModelMetrics} model */
  numbers(model) {
    /** @type {[string, string|(Node|string)[]][]} */
    const facts = [[t("models.fact.photos"), count(model.photos)]];
    if (model.silent > 0) facts.push([t("models.fact.silent"), count(model.silent)]);
    if (model.learned > 0) facts.push([t("models.fact.learned"), count(model.learned)]);
    for (const { set, top1, top5, macro } of model.sets) {
      facts.push([t("models.fact.top1", { set }), share(top1)]);
      if (top5) facts.push([t("models.fact.top5", { set }), share(top5)]);
      facts.push([t("models.fact.setF1", { set }), part(macro?.f1)]);
    }
    if (model.independent) {
      facts.push([t("models.fact.f1"), part(model.independent.macro.f1)],
        [t("models.fact.microF1"), part(model.independent.micro.f1)],
        [t("models.fact.ap"), part(model.independent.meanAveragePrecision)]);
    }
    if (model.boxes) {
      facts.push(["mAP@50", part(model.boxes.map50)], ["mAP@[.5:.95]", part(model.boxes.map)]);
    }
    facts.push([t("models.fact.calibration"), part(model.calibration.error)],
      [t("models.fact.disputed"), count(model.disputed)],
      [t("models.fact.without"), count(model.withoutGroundTruth)]);
    return h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", { class: "panel" },
      h("dt", null, name), h("dd", null, value))));
  }

  /**
   * @param {ModelMetrics} model
   * @param {import("./figures.js").Matrix} set
   */
  matrix(model, set) {
    const figure = render(confusionMatrix(set, {
      caption: t("models.matrixCaption", { set: set.set, model: model.model }),
      truth: t("models.truth"), prediction: t("models.prediction"), none: t("models.none"),
      describe: (truth, prediction, n) => plural("models.cell", n, { truth, prediction }),
      open: (truth, prediction) => this.open({
        model: model.model, set: set.set, truth, prediction,
      }),
    }));
    return h("section", { class: "panel" }, h("h2", null, t("models.matrix", { set: set.set })),
      h("p", { class: "quiet" }, t("models.matrixHint")), h("div", { class: "scroll-x" }, figure));
  }

  /** @param {ModelMetrics} model */
  classes(model) {
    const heads = ["class", "precision", "recall", "f1", "ap", "calibration", "photos", "reason"];
    const rows = model.classes.map((one) => h("tr", { class: one.class === this.chosenClass ? "chosen" : "" },
      h("th", { scope: "row" }, h("button", {
        type: "button", class: "plain", "aria-pressed": String(one.class === this.chosenClass),
        dataset: { hold: `class ${one.class}` }, onclick: () => {
          this.chosenClass = one.class;
          this.paint();
        },
      }, one.name)),
      [one.precision, one.recall, one.f1, one.averagePrecision, one.calibration.error].map((x) =>
        h("td", { class: "number" }, part(x))),
      h("td", { class: "number" }, count(one.truePositives + one.falseNegatives)),
      h("td", { class: "quiet" }, one.undefined ? t(`models.undefined.${one.undefined}`) : "")));
    return h("section", { class: "panel" }, h("h2", null, t("models.classes")),
      h("div", { class: "scroll-x" }, h("table", { class: "data" }, h("thead", null, h("tr", null,
        heads.map((name) => h("th", { scope: "col" }, t(`models.column.${name}`))))),
      h("tbody", null, rows))));
  }

  /** @param {ModelMetrics} model */
  detail(model) {
    const one = model.classes.find((entry) => entry.class === this.chosenClass);
    const calibration = one?.calibration ?? model.calibration;
    const name = one?.name ?? model.model;
    const texts = { x: t("models.confidence"), y: t("models.accuracy"), percent };
    const parts = [h("figure", null, render(reliability(calibration.bins, {
      ...texts, title: t("models.reliabilityText", { name, error: part(calibration.error) }),
      describe: (bin) => plural("models.bin", bin.count, {
        from: percent(bin.from), to: percent(bin.to), accuracy: part(bin.accuracy),
      }),
    })), h("figcaption", null, t("models.reliability")))];
    if (one && one.curve.length > 0) {
      const area = part(one.averagePrecision);
      parts.push(h("figure", null, render(precisionRecall(one.curve, {
        ...texts, x: t("models.column.recall"), y: t("models.column.precision"),
        title: t("models.curveText", { name, area }),
        describe: (point) => t("models.point", {
          threshold: percent(point.threshold), precision: percent(point.precision),
          recall: percent(point.recall),
        }),
      })), h("figcaption", null, t("models.curve", { area }))));
    }
    if (one) {
      const names = { present: t("models.present"), absent: t("models.absent") };
      parts.push(h("figure", null, render(confusionMatrix(binaryMatrix(one, names), {
        caption: t("models.classCaption", { name }), truth: t("models.truth"),
        prediction: t("models.prediction"), none: null,
        describe: (truth, prediction, n) => plural("models.cell", n, { truth, prediction }),
        open: (truth, prediction) => this.open({
          model: model.model, class: one.class, truth, prediction,
        }),
      })), h("figcaption", null, t("models.classFigure"))));
    }
    return h("section", { class: "panel" }, h("h2", null, name), h("div", { class: "figures" }, parts),
      one ? this.numbersOf(one) : "");
  }

  /**
   * The numbers of the figures, for people who do not see them.
   * @param {ClassMetrics} one
   */
  numbersOf(one) {
    const bins = one.calibration.bins.filter((bin) => bin.count > 0);
    /** @type {HTMLDetailsElement} */
    const details = h("details", {
      open: this.hasNumbers, ontoggle: () => { this.hasNumbers = details.open; },
    }, h("summary", { dataset: { hold: "numbers" } }, t("models.asNumbers")),
      h("ul", { class: "numbers" }, bins.map((bin) => h("li", null, plural("models.bin", bin.count, {
        from: percent(bin.from), to: percent(bin.to), accuracy: part(bin.accuracy),
      }))), one.curve.map((point) => h("li", null, t("models.point", {
        threshold: percent(point.threshold), precision: percent(point.precision),
        recall: percent(point.recall),
      })))));
    return details;
  }

  /**
   * Opens the photos of a cell in the grid.
   * @param {Record<string, string|null>} cell
   */
  async open(cell) {
    try {
      const query = this.measured;
      const name = [cellName(cell), query].filter(Boolean).join(" · ");
      emit("query", { set: await createNamedSet({ cell, ...(query ? { query } : {}) }, name) });
    } catch (error) {
      report(error);
    }
  }
}
