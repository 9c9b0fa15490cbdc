// @ts-check
/** @file Follows a job of the server until it has ended. */

import { report } from "../edits/actions.js";
import { api } from "./api.js";
import { clear, h } from "../common/dom.js";
import { count } from "../common/format.js";
import { on, store } from "./store.js";
import { said, t } from "../strings/strings.js";

/** @typedef {import("./types.js").Job} Job */

/** How often a job is asked for while its events do not arrive, in milliseconds. */
const POLL = 5000;

/** @param {Job} job */
export const isRunning = (job) => job.state === "waiting" || job.state === "running";

/**
 * Returns why a job failed and what helps, as text; empty if it did not.
 * @param {Job} job
 */
export function jobProblem({ error }) {
  return error ? [error.message, error.hint].map((text) => text && said(text)).filter(Boolean).join(" ") : "";
}

/**
 * Returns the job when it has ended; calls `progress` each time it has got further.
 * @param {string} id
 * @param {(job: Job) => void} progress
 * @returns {Promise<Job>}
 */
export function followJob(id, progress) {
  return new Promise((resolve, reject) => {
    let over = false;
    /** @param {Job} job */
    const step = (job) => {
      if (job.job !== id || over) return;
      progress(job);
      if (isRunning(job)) return;
      over = true;
      stop();
      clearInterval(timer);
      resolve(job);
    };
    const stop = on("server:job", step);
    const ask = () => api.get(`/api/jobs/${id}`).then((/** @type {Job} */ job) => {
      // Events have the result only when it changes; one may have reported the end in the meantime.
      const known = store.jobs.get(id);
      if (!known || isRunning(known)) store.update({ jobs: new Map(store.jobs).set(id, job) });
      step(job);
    }, (error) => {
      // Without an answer the job may still be running: the page connects again by itself.
      if (error.status === 0 || over) return;
      over = true;
      stop();
      clearInterval(timer);
      reject(error);
    });
    const timer = window.setInterval(ask, POLL);
    const known = store.jobs.get(id);
    if (known) step(known);
    ask();
  });
}

/** A job's progress, with a button that cancels it. */
export class JobProgress {
  /** @param {string} label */
  constructor(label) {
    this.text = h("p", { class: "job-line", role: "status" });
    this.bar = h("progress", { "aria-label": label });
    this.element = h("div", { class: "job-progress", hidden: true });
    /** @type {string|null} */
    this.job = null;
  }

  /**
   * Starts a job and shows it until it has ended; null if it could not be started.
   * @param {Promise<{job: string}>} request
   * @param {(job: Job) => void} [progress] called each time it has got further
   * @returns {Promise<Job|null>}
   */
  async run(request, progress = () => {}) {
    const cancel = h("button", {
      type: "button", onclick: () => {
        if (this.job) api.delete(`/api/jobs/${this.job}`).catch(report);
      },
    }, t("jobs.cancel"));
    clear(this.element).append(this.text, this.bar, ...(store.session?.readOnly ? [] : [cancel]));
    this.text.textContent = t("jobs.waiting");
    this.bar.removeAttribute("value");
    this.element.hidden = false;
    try {
      const { job } = await request;
      this.job = job;
      this.element.dataset.job = job;
      return await followJob(job, (state) => {
        this.paint(state);
        progress(state);
      });
    } catch (error) {
      report(error);
      return null;
    } finally {
      this.job = null;
      this.element.hidden = true;
    }
  }

  /** @param {Job} job */
  paint(job) {
    const { done, total, step } = job;
    if (total) {
      this.bar.max = total;
      this.bar.value = Math.min(done, total);
    }
    const text = said(step || job.text);
    this.text.textContent = total
      ? t("jobs.progress", { step: text, done: count(done), total: count(total) }) : text;
  }
}
