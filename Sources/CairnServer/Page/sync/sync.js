// @ts-check
/** @file `<cairn-sync>`: the remotes, what waits to be sent, and the sync itself. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { toast } from "../common/dialog.js";
import { clear, h, icon } from "../common/dom.js";
import { isRunning, JobProgress } from "../data/jobs.js";
import { on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";
import { outcomePanels, problems } from "./sync-outcome.js";

/** @typedef {import("../data/types.js").Job} Job */

/**
 * @typedef {object} Status
 * @property {string} name
 * @property {string} branch
 * @property {string|null} commit
 * @property {string|null} operation
 * @property {number} uncommitted
 * @property {{path: string, problem: string}[]} problems
 * @property {{remote: string, ahead: number, behind: number}|null} upstream
 * @property {{name: string, address: string, ahead: number|null, behind: number|null}[]} remotes
 * @property {{here: number, missing: number}} images
 */

/** Milliseconds after a change until the state is read again. */
const PAUSE = 700;

/**
 * Returns how far a remote is from here, as far as that is known.
 * @param {string} remote
 * @param {{ahead: number|null, behind: number|null}} state
 */
function distance(remote, { ahead, behind }) {
  if (ahead === null || behind === null) return "";
  if (ahead + behind === 0) return t("sync.latest", { remote });
  return [ahead > 0 ? plural("sync.ahead", ahead, { remote }) : "",
    behind > 0 ? plural("sync.behind", behind, { remote }) : ""].filter(Boolean).join(" ");
}

export class CairnSync extends HTMLElement {
  visible = false;
  waiting = 0;
  busy = false;
  state = h("section", { class: "panel", "aria-busy": "true" },
    h("p", { class: "quiet" }, t("sync.reading")));
  progress = new JobProgress(t("sync.progress"));
  outcome = h("section", { class: "sync-outcome", "aria-live": "polite" });

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("div", { class: "page-column" }, h("div", { class: "page-panels" }, this.state,
      this.progress.element, this.outcome)));
    for (const name of ["dataset", "photos", "pins", "classes", "runs", "reset"]) {
      on(`server:${name}`, () => this.later());
    }
    on("undone", () => this.later());
  }

  show() {
    this.visible = true;
    this.load();
    this.resume();
  }

  hide() { this.visible = false; }

  /** Reads the state again, once for many changes. */
  later() {
    if (!this.visible) return;
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.load(), PAUSE);
  }

  /** The tool with the focus, which painting again replaces. */
  held() {
    const active = document.activeElement;
    return active instanceof HTMLElement && this.state.contains(active) ? active.dataset.tool ?? null : null;
  }

  /** @param {string|null} [held] the tool that had the focus before it was turned off */
  async load(held = null) {
    try {
      this.paint(await api.get("/api/status"), held);
    } catch (error) {
      report(error);
    }
  }

  /** Shows a sync that another page started, or the latest one. */
  async resume() {
    if (this.busy) return;
    try {
      /** @type {{jobs: Job[]}} */
      const { jobs } = await api.get("/api/jobs");
      const latest = jobs.filter((job) => job.kind === "sync").at(-1);
      if (!latest) return;
      if (isRunning(latest)) await this.follow(Promise.resolve({ job: latest.job }));
      else if (!this.outcome.firstChild) this.showOutcome(latest);
    } catch (error) {
      report(error);
    }
  }

  /** @param {Status} status @param {string|null} held */
  paint(status, held) {
    const writes = !store.session?.readOnly;
    const { upstream, remotes, images, uncommitted } = status;
    const lines = [uncommitted > 0 ? plural("sync.uncommitted", uncommitted) : t("sync.committed")];
    if (upstream) lines.push(distance(upstream.remote, upstream));
    if (images.missing > 0) lines.push(plural("sync.missing", images.missing));
    const tool = this.held() ?? (document.activeElement === document.body ? held : null);
    this.state.removeAttribute("aria-busy");
    clear(this.state).append(
      h("div", { class: "sync-head" }, h("div", null, h("h2", null, status.name),
        h("p", { class: "quiet" }, t("sync.branch", { branch: status.branch }),
          status.commit ? h("code", null, ` ${status.commit.slice(0, 10)}`) : "")),
      writes ? h("div", { class: "sync-tools" }, this.tool("commit", "check", t("sync.commit"),
        () => this.commit(), uncommitted === 0),
      images.missing > 0 ? this.tool("images", "download", t("sync.images"), () => this.images()) : "",
      this.tool("sync", "sync", t("sync.sync"), () => this.sync(null), remotes.length === 0, true))
        : ""),
      h("p", null, lines.join(" ")),
      status.operation ? h("p", { class: "problem" }, t(status.operation === "bisect" ? "sync.bisect" : "sync.operation", { name: status.operation })) : "",
      remotes.length === 0 ? h("p", { class: "quiet" }, t("sync.noRemotes"), " ",
        h("code", null, "cairn remote add origin URL")) : h("ul", { class: "remotes" },
        remotes.map((remote) => h("li", null, h("strong", null, remote.name),
          h("code", { class: "quiet" }, remote.address),
          remote.name === upstream?.remote ? "" : h("span", { class: "quiet" }, distance(remote.name, remote)),
          remotes.length > 1 && writes
            ? this.tool(`sync ${remote.name}`, "sync", t("sync.syncWith", { name: remote.name }),
              () => this.sync(remote.name))
            : ""))),
      problems(status.problems));
    if (tool) {
      /** @type {HTMLButtonElement|null} */
      const again = this.state.querySelector(`[data-tool="${CSS.escape(tool)}"]`);
      // Nothing is left to commit, for example.
      (again && !again.disabled ? again : this).focus({ preventScroll: true });
    }
  }

  /**
   * @param {string} tool
   * @param {string} image name of the icon
   * @param {string} text
   * @param {() => void} run
   * @param {boolean} [off]
   * @param {boolean} [primary]
   */
  tool(tool, image, text, run, off = false, primary = false) {
    return h("button", {
      type: "button", class: primary ? "primary" : "", dataset: { tool }, onclick: run,
      disabled: off || this.busy,
    }, icon(image), text);
  }

  async commit() {
    try {
      const { changes, commit } = await api.post("/api/commit", { message: null });
      toast(commit ? plural("sync.saved", changes) : t("sync.committed"), { kind: "done" });
    } catch (error) {
      report(error);
    }
    this.load();
  }

  /** Fetches the images that are not on this disk. */
  async images() {
    try {
      const set = await api.post("/api/sets", { query: "" });
      await this.progress.run(api.post("/api/images", { target: { set: set.set } }));
    } catch (error) {
      report(error);
    }
    this.load();
  }

  /** @param {string|null} remote null: the usual one */
  sync(remote) {
    return this.follow(api.post("/api/sync", { remote }));
  }

  /** @param {Promise<{job: string}>} request */
  async follow(request) {
    const held = this.held();
    this.busy = true;
    clear(this.outcome);
    for (const button of this.state.querySelectorAll("button")) button.disabled = true;
    const job = await this.progress.run(request);
    this.busy = false;
    if (job) this.showOutcome(job);
    await this.load(held);
  }

  /** @param {Job} job */
  showOutcome(job) {
    clear(this.outcome).append(...outcomePanels(job));
  }
}

customElements.define("cairn-sync", CairnSync);
