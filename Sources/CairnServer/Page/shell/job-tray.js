// @ts-check
/** @file Running jobs with their progress, and how they ended. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { toast } from "../common/dialog.js";
import { $, clear, h } from "../common/dom.js";
import { percent } from "../common/format.js";
import { on, store } from "../data/store.js";
import { said, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Job} Job */

/** @param {Job} job */
const isRunning = (job) => job.state === "waiting" || job.state === "running";

/** Returns the tray; it is hidden while no job runs. */
export function jobTray() {
  const tray = h("section", { class: "jobs", "aria-label": t("job-tray.name"), hidden: true });
  on("server:job", (/** @type {Job} */ job) => {
    store.update({ jobs: new Map(store.jobs).set(job.job, job) });
    if (!isRunning(job)) tell(job);
    paint(tray);
  });
  // Another server does not have the jobs of the one before, and events may have been missed.
  on("server:reset", async () => {
    /** @type {{jobs: Job[]}|null} */
    const known = await api.get("/api/jobs").catch(() => null);
    if (!known) return;
    store.update({ jobs: new Map(known.jobs.map((job) => [job.job, latest(job)])) });
    paint(tray);
  });
  return tray;
}

/**
 * Returns a job as it is now: an event may have reported its end since it was read.
 * @param {Job} job
 */
function latest(job) {
  const known = store.jobs.get(job.job);
  return known && !isRunning(known) ? known : job;
}

/**
 * Reports how a job ended. The module `actions.js` reports edits, with their undo.
 * @param {Job} job
 */
function tell(job) {
  if (job.kind === "edit" || (job.state === "done" && isFollowed(job))) return;
  const failed = job.state === "failed";
  const undone = job.state === "done" ? job.result?.undone?.message : null;
  const text = failed && job.error ? said(job.error.message)
    : undone ? said(undone) : t(`job-tray.${job.state}`);
  toast(`${said(job.text)}: ${text}`, { kind: failed ? "error" : "done" });
}

/**
 * Whether the open view shows the job's progress: it shows the outcome, too.
 * @param {Job} job
 */
function isFollowed({ job }) {
  const progress = $(`.job-progress[data-job="${CSS.escape(job)}"]`);
  return progress !== null && progress.getClientRects().length > 0;
}

/** @param {HTMLElement} tray */
function paint(tray) {
  const list = [...store.jobs.values()].filter(isRunning);
  tray.hidden = list.length === 0;
  const held = tray.contains(document.activeElement)
    ? /** @type {HTMLElement} */ (document.activeElement).dataset.job : null;
  clear(tray).append(...list.map((job) => h("div", { class: "job" },
    h("span", { class: "job-text" }, said(job.text),
      job.total ? ` · ${percent(job.done / job.total)}` : ""),
    h("progress", {
      "aria-label": said(job.text), ...(job.total ? { max: job.total, value: job.done } : {}),
    }),
    h("button", {
      type: "button", dataset: { job: job.job },
      onclick: () => { api.delete(`/api/jobs/${job.job}`).catch(report); },
    }, t("job-tray.cancel")))));
  if (held) $(`[data-job="${CSS.escape(held)}"]`, tray)?.focus();
}
