// @ts-check
/** @file Asking a labeler for predictions, and the runs of before. */

import { report, undoAction } from "../edits/actions.js";
import { api } from "../data/api.js";
import { toast } from "../common/dialog.js";
import { clear, h, keepFocus, setting, saveSetting } from "../common/dom.js";
import { count, dateTime, person } from "../common/format.js";
import { jobProblem, JobProgress } from "../data/jobs.js";
import { QueryField } from "./query-field.js";
import { hashOf } from "../shell/router.js";
import { emit, store } from "../data/store.js";
import { plural, said, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Job} Job */
/** @typedef {{name: string, kind: string, model: string|null}} Labeler */

/**
 * @typedef {object} Run
 * @property {string} run
 * @property {string} model
 * @property {string} by
 * @property {string} started
 * @property {number|null} labels
 * @property {boolean} withdrawn
 * @property {Record<string, any>|null} [parameters]
 */

export class RunsPanel {
  /** @type {Labeler[]} */
  labelers = [];
  labeler = h("select", null);
  query = new QueryField();
  top = h("input", { type: "number", min: "1", max: "1000", value: "5", required: true });
  minimum = h("input", {
    type: "number", min: "0", max: "1", step: "any", value: "0.05", required: true,
  });
  again = h("input", { type: "checkbox" });
  retry = h("input", { type: "checkbox" });
  button = h("button", { type: "submit", class: "primary" }, t("models.predict"));
  progress = new JobProgress(t("models.progress"));
  outcome = h("div", { role: "status" });
  form = h("form", {
    class: "predict-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.predict();
    },
  }, h("label", { class: "field" }, t("models.labeler"), this.labeler),
  h("label", { class: "field" }, t("models.top"), this.top),
  h("label", { class: "field" }, t("models.minimum"), this.minimum),
  this.query.element,
  h("label", { class: "check" }, this.again, t("models.again")),
  h("label", { class: "check" }, this.retry, t("models.retry")),
  h("div", { class: "form-end" }, this.button));
  none = h("p", { hidden: true }, t("models.noLabelers"), " ",
    h("code", null, "cairn labeler add NAME --program …"), t("models.orTrain"), " ",
    h("a", { href: hashOf("models", { tab: "train" }) }, t("models.tab.train")));
  runs = h("div", { class: "scroll-x" });
  element = h("div", { class: "page-panels" },
    h("section", { class: "panel" }, h("h2", null, t("models.predictTitle")), this.none, this.form,
      this.progress.element, this.outcome),
    h("section", { class: "panel" }, h("h2", null, t("models.runs")), this.runs));
  predicting = false;
  /** The labeler to choose when they are shown next. */
  wanted = "";

  constructor() {
    this.form.hidden = true;
  }

  async show() {
    this.query.begin();
    try {
      const [{ labelers }, { runs }] = await Promise.all([api.get("/api/labelers"),
        api.get("/api/runs")]);
      this.showLabelers(labelers);
      this.showRuns(runs);
    } catch (error) {
      report(error);
    }
    this.query.check();
  }

  /** @param {Labeler[]} labelers */
  showLabelers(labelers) {
    const chosen = this.wanted || this.labeler.value || setting("labeler", "");
    this.wanted = "";
    this.labelers = labelers;
    clear(this.labeler).append(...labelers.map(({ name, kind, model }) => h("option", { value: name },
      `${name} (${model ?? t(`models.kind.${kind}`)})`)));
    if (labelers.some(({ name }) => name === chosen)) this.labeler.value = chosen;
    const usable = labelers.length > 0 && !store.session?.readOnly;
    this.form.hidden = !usable;
    this.none.hidden = labelers.length > 0;
  }

  async predict() {
    if (this.predicting) return;
    this.#setPredicting(true);
    const labeler = this.labeler.value;
    saveSetting("labeler", labeler);
    clear(this.outcome);
    const job = await this.progress.run(api.post("/api/predictions", {
      labeler, query: this.query.value, top: Number(this.top.value),
      minimum: Number(this.minimum.value), again: this.again.checked, retry: this.retry.checked,
    }));
    this.#setPredicting(false);
    if (job) this.showOutcome(job);
    this.show();
  }

  /** @param {boolean} on the focus stays on the button, unlike on one that is disabled */
  #setPredicting(on) {
    this.predicting = on;
    this.button.setAttribute("aria-disabled", String(on));
  }

  /** @param {Job} job */
  showOutcome(job) {
    /** @type {{run?: string, model?: string, photos?: number, labels?: number, empty?: number,
     *   skipped?: number, failed?: {photo: string, reason: string}[], missingImages?: number,
     *   erasedImages?: number}} */
    const result = job.result ?? {};
    const { photos = 0, labels = 0, empty = 0, skipped = 0, failed = [], missingImages = 0,
      erasedImages = 0 } = result;
    const lines = job.result
      ? [`${plural("models.labels", labels)} ${plural("models.photos", photos)}`] : [];
    if (empty > 0) lines.push(plural("models.empty", empty));
    if (skipped > 0) lines.push(plural("models.skipped", skipped));
    if (missingImages > 0) lines.push(plural("models.missing", missingImages));
    if (erasedImages > 0) lines.push(plural("models.erased", erasedImages));
    if (job.state === "cancelled") lines.push(t("models.cancelled"));
    clear(this.outcome).append(h("p", null, lines.join(" "), " ",
      result.run ? h("a", { href: hashOf("grid", { q: `run:${result.run}` }) },
        t("models.showRun")) : ""),
    job.error ? h("p", { class: "problem" }, jobProblem(job)) : "",
    failed.length > 0 ? h("details", null,
      h("summary", null, plural("models.failed", failed.length)),
      h("ul", null, failed.slice(0, 50).map(({ photo, reason }) => h("li", null, h("a", {
        href: hashOf("photo", { id: photo }),
        onclick: (/** @type {Event} */ event) => {
          event.preventDefault();
          emit("open-photo", { id: photo, list: failed.map((one) => one.photo) });
        },
      }, photo.slice(0, 8)), `: ${said(reason)}`)))) : "");
  }

  /** @param {Run[]} runs */
  showRuns(runs) {
    if (runs.length === 0) {
      clear(this.runs).append(h("p", { class: "quiet" }, t("models.noRuns")));
      return;
    }
    const heads = ["model", "started", "by", "labels", "state"];
    const body = [...runs].sort((a, b) => b.started.localeCompare(a.started)).map((run) =>
      h("tr", { class: run.withdrawn ? "withdrawn" : "" },
        h("th", { scope: "row" }, h("a", {
          href: hashOf("grid", { q: `run:${run.run}` }), dataset: { hold: `photos ${run.run}` },
        }, run.model),
          " ", h("code", { class: "quiet" }, run.run.slice(0, 8))),
        h("td", null, dateTime(run.started)), h("td", null, person(run.by)),
        h("td", { class: "number" }, run.labels === null ? "" : count(run.labels)),
        h("td", null, t(run.withdrawn ? "models.withdrawn" : "models.active")),
        h("td", { class: "row-end" }, store.session?.readOnly ? "" : h("button", {
          type: "button", dataset: { hold: run.run }, "aria-label": t(run.withdrawn ? "models.restoreRun" : "models.withdrawRun",
            { name: run.model }), onclick: () => this.setWithdrawn(run),
        }, t(run.withdrawn ? "models.restore" : "models.withdraw")))));
    keepFocus(this.runs, () => clear(this.runs).append(h("table", { class: "data" },
      h("thead", null, h("tr", null, heads.map((name) =>
        h("th", { scope: "col" }, t(`models.column.${name}`))),
      h("td", null))), h("tbody", null, body))));
  }

  /** @param {Run} run */
  async setWithdrawn(run) {
    const verb = run.withdrawn ? "restore" : "withdraw";
    try {
      const { action } = await api.post(`/api/runs/${run.run}/${verb}`);
      toast(t(run.withdrawn ? "models.restored" : "models.runWithdrawn", { name: run.model }),
        { kind: "done", action: action ? undoAction(action) : null });
    } catch (error) {
      report(error);
    }
    this.show();
  }
}
