// @ts-check
/** @file Training a model on people's labels, once or again while they label, and the models trained so far. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { toast } from "../common/dialog.js";
import { clear, h, keepFocus } from "../common/dom.js";
import { count, dateTime, percent, person } from "../common/format.js";
import { isRunning, jobProblem, JobProgress } from "../data/jobs.js";
import { hashOf } from "../shell/router.js";
import { QueryField } from "./query-field.js";
import { createNamedSet } from "../data/sets.js";
import { emit, on, store } from "../data/store.js";
import { trainingFigures } from "./training-figures.js";
import { plural, said, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").ClassInfo} ClassInfo */
/** @typedef {import("../data/types.js").Job} Job */
/** @typedef {import("./model-runs.js").Run} Run */
/** @typedef {import("./training-figures.js").TrainingResult} TrainingResult */

/** The part of the photos on which a model is tested, as the server takes it. */
const SPLIT = "train=80,test=20";

/**
 * Returns the classes that exclude no others.
 * @param {Iterable<ClassInfo>} classes
 */
export const independentClasses = (classes) => [...classes].filter((one) => !one.set);

/**
 * Returns the name of the labeler of a trained model.
 * @param {string} model name@version
 */
export const labelerOf = (model) => model.replace(/@[^@]*$/, "");

export class TrainingPanel {
  subject = h("select", {
    onchange: () => {
      this.chosen = this.subject.value;
      this.showSubject();
    },
  });
  name = h("input", {
    type: "text", autocomplete: "off", spellcheck: false, required: true, maxLength: 64,
    pattern: "[A-Za-z0-9_][A-Za-z0-9_.\\-]*", title: t("train.nameHint"),
  });
  query = new QueryField();
  classes = h("fieldset", { class: "train-classes wide", hidden: true });
  test = h("input", { type: "checkbox" });
  byPin = h("input", { type: "checkbox" });
  again = h("input", {
    type: "checkbox", onchange: () => { this.every.disabled = !this.again.checked; },
  });
  every = h("input", {
    type: "number", min: "1", max: "10000", value: "20", required: true, disabled: true,
  });
  button = h("button", { type: "submit", class: "primary" }, t("train.train"));
  form = h("form", {
    class: "predict-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.train();
    },
  }, h("label", { class: "field" }, t("train.subject"), this.subject),
  h("label", { class: "field" }, t("train.name"), this.name),
  h("label", { class: "field" }, t("train.every"), this.every), this.classes, this.query.element,
  h("label", { class: "check" }, this.again, t("train.again")),
  h("label", { class: "check" }, this.test, t("train.test")),
  h("label", { class: "check" }, this.byPin, t("train.byPin")),
  h("div", { class: "form-end" }, this.button));
  progress = new JobProgress(t("train.progress"));
  outcome = h("div", { role: "status" });
  figures = h("div", { class: "page-panels" });
  models = h("div", { class: "scroll-x" });
  element = h("div", { class: "page-panels" },
    h("section", { class: "panel" }, h("h2", null, t("train.title")), h("p", { class: "quiet" }, t("train.hint"), " ",
      h("a", { href: hashOf("similarity") }, t("train.similarity"))),
      this.form, this.progress.element, this.outcome),
    this.figures,
    h("section", { class: "panel" }, h("h2", null, t("train.models")), this.models));
  /** Whether a training is shown until it has ended. */
  following = false;
  /** What is shown of it, as text. */
  shown = "";
  /** What there is to learn, as text. */
  subjects = "";
  /** The value of what to learn, if the person chose it. */
  chosen = "";
  /** The name that the panel proposed. */
  proposed = "";

  /** @param {(name: string) => void} predict opens the predictions by a labeler */
  constructor(predict) {
    this.predict = predict;
    on("server:job", (/** @type {Job} */ job) => this.meet(job));
    on("store", ({ changed }) => {
      if (changed.includes("classSets")) this.showSubjects();
    });
  }

  async show() {
    this.form.hidden = store.session?.readOnly ?? false;
    this.query.begin();
    this.showSubjects();
    const jobs = [...store.jobs.values()].filter(({ kind }) => kind === "train");
    for (const job of jobs) this.meet(job);
    const last = jobs.at(-1);
    if (last && !this.shown && !this.following) this.showJob(last);
    try {
      const { runs } = await api.get("/api/runs");
      this.showModels(runs);
    } catch (error) {
      report(error);
    }
    this.query.check();
  }

  // MARK: What to learn

  /** Shows the exclusive sets, and the classes that exclude no others. */
  showSubjects() {
    const independent = independentClasses(store.classes.values());
    const subjects = JSON.stringify([store.classSets, independent.map((one) => [one.class, one.name])]);
    // The focus stays as long as there are no others.
    if (subjects === this.subjects) return;
    this.subjects = subjects;
    const ticked = new Set(this.chosenClasses());
    clear(this.subject).append(
      ...store.classSets.map((set) => h("option", { value: `set ${set}` }, t("train.set", { set }))),
      h("option", { value: "classes" }, t("train.independent")));
    if ([...this.subject.options].some(({ value }) => value === this.chosen)) this.subject.value = this.chosen;
    clear(this.classes).append(h("legend", null, t("train.classes")),
      ...independent.map((one) => h("label", { class: "check" }, h("input", {
        type: "checkbox", value: one.class, checked: ticked.has(one.class),
      }), one.name)));
    this.showSubject();
  }

  showSubject() {
    const set = this.chosenSet();
    this.classes.hidden = set !== null || !this.classes.querySelector("input");
    if (this.name.value !== this.proposed) return;
    this.proposed = set ?? "";
    this.name.value = this.proposed;
  }

  /** The exclusive set to learn; null for classes that do not exclude each other. */
  chosenSet() {
    return this.subject.value.startsWith("set ") ? this.subject.value.slice(4) : null;
  }

  /** @returns {string[]} */
  chosenClasses() {
    return [...this.classes.querySelectorAll("input")].filter(({ checked }) => checked)
      .map(({ value }) => value);
  }

  // MARK: Training

  train() {
    if (this.following) return;
    const set = this.chosenSet();
    const classes = set === null ? this.chosenClasses() : [];
    if (set === null && classes.length === 0) {
      clear(this.outcome).append(h("p", { class: "problem" }, t("train.noClasses")));
      return;
    }
    this.follow(api.post("/api/trainings", {
      name: this.name.value.trim(), exclusiveSet: set, classes, query: this.query.value,
      split: this.test.checked ? SPLIT : null, groupByPin: this.byPin.checked,
      every: this.again.checked ? Number(this.every.value) : null,
    }));
  }

  /**
   * Follows a training that somebody started.
   * @param {Job} job
   */
  meet(job) {
    if (job.kind === "train" && isRunning(job)) this.follow(Promise.resolve({ job: job.job }));
  }

  /**
   * Shows a training until it has ended.
   * @param {Promise<{job: string}>} request
   */
  async follow(request) {
    if (this.following) return;
    this.following = true;
    // The focus stays on the button, unlike on one that is disabled.
    this.button.setAttribute("aria-disabled", "true");
    this.shown = "";
    clear(this.outcome);
    const job = await this.progress.run(request, (state) => this.showJob(state));
    if (job) this.showJob(job);
    this.following = false;
    this.button.setAttribute("aria-disabled", "false");
  }

  /**
   * Shows what a training has resulted in so far: one that goes on may have several models.
   * @param {Job} job
   */
  showJob(job) {
    const shown = JSON.stringify([job.result, job.error, isRunning(job) || job.state]);
    if (shown === this.shown) return;
    this.shown = shown;
    const note = job.result?.note;
    /** @type {TrainingResult|null} */
    const result = job.result?.model ? job.result : null;
    const cancelled = job.state === "cancelled" && t(result ? "train.cancelledKept" : "train.cancelled");
    clear(this.outcome).append(h("div", null,
      result && h("p", null, plural("train.learned", result.photos, { model: result.model }), " ",
        result.flat ? t("train.flat") : ""),
      cancelled && h("p", null, cancelled), note && h("p", { class: "problem" }, said(note)),
      job.error && h("p", { class: "problem" }, jobProblem(job))));
    clear(this.figures);
    if (!result) return;
    this.figures.append(h("section", { class: "panel train-head" }, h("h2", null, result.model),
      store.session?.readOnly ? "" : h("div", { class: "disputes-end" },
        h("button", { type: "button", onclick: () => this.openUncertain(labelerOf(result.model)) },
          t("train.uncertain")),
        h("button", { type: "button", onclick: () => this.predict(labelerOf(result.model)) },
          t("train.predict")))), ...trainingFigures(result));
  }

  /**
   * Opens the photos from which a model would learn the most.
   * @param {string} labeler
   */
  async openUncertain(labeler) {
    try {
      const query = this.query.value;
      const set = await createNamedSet({ uncertain: { labeler }, ...(query ? { query } : {}) },
        t("train.uncertainName", { name: labeler }));
      if (set.count > 0) emit("query", { set });
      else toast(t("train.noUncertain"));
    } catch (error) {
      report(error);
    }
  }

  // MARK: Models

  /** @param {Run[]} runs */
  showModels(runs) {
    const trained = runs.filter(({ parameters }) => parameters?.training)
      .sort((a, b) => b.started.localeCompare(a.started));
    if (trained.length === 0) {
      clear(this.models).append(h("p", { class: "quiet" }, t("train.noModels")));
      return;
    }
    const heads = ["models.column.model", "models.column.started", "models.column.by", "models.column.photos",
      "train.fact.accuracy", "train.fact.macroF1", "train.fact.testAccuracyShort"];
    /** @param {number|undefined} x */
    const part = (x) => h("td", { class: "number" }, x === undefined ? "–" : percent(x));
    const rows = trained.map(({ model, run, started, by, parameters }) => {
      const card = parameters?.training ?? {};
      return h("tr", null,
        h("th", { scope: "row" }, h("a", {
          href: hashOf("grid", { q: `run:${run}` }), dataset: { hold: run },
        }, model)),
        h("td", null, dateTime(started)), h("td", null, person(by)),
        h("td", { class: "number" }, count(card.photos ?? 0)),
        part(card.crossValidation?.accuracy), part(card.crossValidation?.macroF1), part(card.test?.accuracy));
    });
    keepFocus(this.models, () => clear(this.models).append(h("table", { class: "data" },
      h("thead", null, h("tr", null, heads.map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", null, rows))));
  }
}
