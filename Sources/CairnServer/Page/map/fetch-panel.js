// @ts-check
/** @file `<cairn-fetch-panel>`: fetches photos near a pin from a source. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { clear, h, saveSetting, setting } from "../common/dom.js";
import { jobProblem, JobProgress } from "../data/jobs.js";
import { plural, said, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Job} Job */
/** @typedef {import("../data/types.js").Pin} Pin */

/**
 * @typedef {object} Source
 * @property {string} source
 * @property {string} title
 * @property {boolean} ready
 * @property {boolean} hasLocations
 * @property {string|null} [terms]
 * @property {string|null} [problem]
 */

const RADII = [100, 500, 1000, 5000, 20_000];
const MOST = 1000;

export class FetchPanel extends HTMLElement {
  /** @type {Pin|null} */
  pin = null;
  /** @type {Source[]} */
  sources = [];

  connectedCallback() {
    if (this.form) return;
    const saved = setting("fetch", { source: "", text: "", radius: 1000, count: 20 });
    this.source = h("select", { onchange: () => this.chosen() });
    this.words = h("input", { type: "text", value: saved.text, autocomplete: "off" });
    this.radius = h("select", null, RADII.map((meters) => h("option", { value: String(meters) },
      meters < 1000 ? `${meters} m` : `${meters / 1000} km`)));
    this.radius.value = String(RADII.includes(saved.radius) ? saved.radius : 1000);
    this.count = h("input", {
      type: "number", min: "1", max: String(MOST), value: String(saved.count), required: true,
    });
    this.anyLicense = h("input", { type: "checkbox" });
    this.fresh = h("input", { type: "checkbox" });
    this.problem = h("p", { class: "problem", hidden: true });
    this.terms = h("a", { target: "_blank", rel: "noreferrer noopener" }, t("fetch-panel.terms"));
    this.button = h("button", { type: "submit", class: "primary" }, t("fetch-panel.fetch"));
    this.progress = new JobProgress(t("fetch-panel.progress"));
    this.outcome = h("div", { class: "fetch-outcome", role: "status" });
    this.form = h("form", {
      class: "fetch-form", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.fetch(Number(this.count?.value), this.fresh?.checked ?? false);
      },
    }, h("label", { class: "field wide" }, t("fetch-panel.source"), this.source),
    h("label", { class: "field wide" }, t("fetch-panel.text"), this.words),
    h("label", { class: "field" }, t("fetch-panel.radius"), this.radius),
    h("label", { class: "field" }, t("fetch-panel.count"), this.count),
    h("label", { class: "check wide" }, this.anyLicense, t("fetch-panel.anyLicense")),
    h("label", { class: "check wide" }, this.fresh, t("fetch-panel.newCollection")),
    this.problem, h("div", { class: "fetch-end" }, this.button, this.terms));
    this.append(this.form, this.progress.element, this.outcome);
    this.load(saved.source);
  }

  /** @param {string} wanted */
  async load(wanted) {
    try {
      this.sources = (await api.get("/api/sources")).sources;
    } catch (error) {
      report(error);
    }
    if (!this.source) return;
    clear(this.source).append(...this.sources.map((source) =>
      h("option", { value: source.source }, source.title)));
    const ready = this.sources.find((one) => one.source === wanted)
      ?? this.sources.find((one) => one.ready && one.hasLocations) ?? this.sources[0];
    if (ready) this.source.value = ready.source;
    this.chosen();
  }

  /** Shows what the chosen source can do. */
  chosen() {
    const source = this.sources.find((one) => one.source === this.source?.value);
    if (!this.problem || !this.button || !this.terms || !this.radius) return;
    const problem = source ? said(source.problem ?? "") : t("fetch-panel.noSources");
    this.problem.hidden = !problem;
    this.problem.textContent = problem;
    this.button.disabled = !source?.ready || this.progress?.job !== null;
    this.radius.disabled = !source?.hasLocations;
    // Only an address of the web is a link: sources are configured by text.
    const terms = source?.terms && /^https?:\/\//.test(source.terms) ? source.terms : null;
    this.terms.hidden = !terms;
    if (terms) this.terms.href = terms;
  }

  /**
   * Fetches photos; resolves with their number.
   * @param {number} count
   * @param {boolean} newCollection the pin's photos of before are removed
   * @returns {Promise<number>}
   */
  async fetch(count, newCollection) {
    const { pin, progress, button } = this;
    if (!pin || !progress || !button || !this.source?.value) return 0;
    const request = {
      source: this.source.value, pin: pin.pin, text: this.words?.value.trim() ?? "",
      radius: Number(this.radius?.value), count, anyLicense: this.anyLicense?.checked ?? false,
      newCollection,
    };
    saveSetting("fetch", {
      source: request.source, text: request.text, radius: request.radius,
      count: Number(this.count?.value) || 20,
    });
    button.disabled = true;
    if (this.outcome) clear(this.outcome);
    const job = await progress.run(api.post("/api/fetches", request));
    this.chosen();
    if (!job) return 0;
    this.showOutcome(job);
    const added = job.result?.added?.length ?? 0;
    if (this.fresh) this.fresh.checked = false;
    this.dispatchEvent(new CustomEvent("fetched", { bubbles: true, detail: { added } }));
    return added;
  }

  /** @param {Job} job */
  showOutcome(job) {
    if (!this.outcome) return;
    /** @type {{added?: string[], known?: number, removed?: string[], message?: string,
     *   failed?: {name: string, message: string}[], notes?: string[], givenUp?: boolean}} */
    const result = job.result ?? {};
    const { added = [], known = 0, failed = [], removed = [], notes = [], message = "" } = result;
    const lines = [plural("fetch-panel.added", added.length)];
    if (known > 0) lines.push(plural("fetch-panel.known", known));
    if (removed.length > 0) lines.push(plural("fetch-panel.removed", removed.length));
    if (result.givenUp && !message) lines.push(t("fetch-panel.givenUp"));
    if (job.state === "cancelled") lines.push(t("fetch-panel.cancelled"));
    // The error of the job says the same.
    if (message && !job.error) lines.push(said(message));
    const reasons = failed.slice(0, 5)
      .map((one) => h("li", null, `${one.name}: ${said(one.message)}`));
    const texts = notes.slice(0, 5).map((note) => h("li", null, said(note)));
    clear(this.outcome).append(h("p", null, lines.join(" ")),
      notes.length > 0 ? h("p", null, plural("fetch-panel.notes", notes.length)) : "",
      notes.length > 0 ? h("ul", null, texts) : "",
      job.error ? h("p", { class: "problem" }, jobProblem(job)) : "",
      failed.length > 0 ? h("p", null, plural("fetch-panel.failed", failed.length)) : "",
      failed.length > 0 ? h("ul", { class: "problem" }, reasons) : "");
  }
}

customElements.define("cairn-fetch-panel", FetchPanel);
