// @ts-check
/** @file `<cairn-sync>`: the remotes, what waits to be sent, and what a sync brought. */

import { edit, report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { toast } from "../common/dialog.js";
import { clear, h, icon } from "../common/dom.js";
import { className, count, person } from "../common/format.js";
import { isRunning, JobProgress } from "../data/jobs.js";
import { hashOf } from "../shell/router.js";
import { setOf } from "../data/rows.js";
import { emit, on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";
import "../grid/mini-grid.js";

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
 * @property {{name: string, address: string}[]} remotes
 * @property {{here: number, missing: number}} images
 */

/**
 * @typedef {object} SyncResult
 * @property {string|null} [commit]
 * @property {"upToDate"|"fastForward"|"merged"} [pulled]
 * @property {Record<string, number>} [received] documents by kind
 * @property {{objects: number, images: number}} [sent]
 * @property {string} [text]
 * @property {{photo: string, class: string, name: string, reason: string}[]} [disagreements]
 * @property {{photo: string, people: string[], visible: boolean, text?: string}[]} [removedAndLabeled]
 * @property {{path: string, problem: string}[]} [problems]
 */

/** Milliseconds after a change until the state is read again. */
const PAUSE = 700;
const MOST_LINES = 200;
/** The number of photos that fit in one row. */
const FEW = 8;

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

  async load() {
    try {
      this.paint(await api.get("/api/status"));
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

  /** @param {Status} status */
  paint(status) {
    const writes = !store.session?.readOnly;
    const { upstream, remotes, images, uncommitted } = status;
    const lines = [uncommitted > 0 ? plural("sync.uncommitted", uncommitted) : t("sync.committed")];
    if (upstream) {
      if (upstream.ahead > 0) lines.push(plural("sync.ahead", upstream.ahead, { remote: upstream.remote }));
      if (upstream.behind > 0) lines.push(plural("sync.behind", upstream.behind, { remote: upstream.remote }));
      if (upstream.ahead + upstream.behind === 0) lines.push(t("sync.latest", { remote: upstream.remote }));
    }
    if (images.missing > 0) lines.push(plural("sync.missing", images.missing));
    const held = this.state.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset.tool : null;
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
      status.operation ? h("p", { class: "problem" }, t("sync.operation", { name: status.operation })) : "",
      remotes.length === 0 ? h("p", { class: "quiet" }, t("sync.noRemotes"), " ",
        h("code", null, "cairn remote add origin URL")) : h("ul", { class: "remotes" },
        remotes.map(({ name, address }) => h("li", null, h("strong", null, name),
          h("code", { class: "quiet" }, address), remotes.length > 1 && writes
            ? this.tool(`sync ${name}`, "sync", t("sync.syncWith", { name }), () => this.sync(name))
            : ""))),
      problems(status.problems));
    if (held) {
      const again = this.state.querySelector(`[data-tool="${CSS.escape(held)}"]`);
      if (again instanceof HTMLElement) again.focus({ preventScroll: true });
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
    this.busy = true;
    clear(this.outcome);
    for (const button of this.state.querySelectorAll("button")) button.disabled = true;
    const job = await this.progress.run(request);
    this.busy = false;
    if (job) this.showOutcome(job);
    await this.load();
  }

  /** @param {Job} job */
  showOutcome(job) {
    /** @type {SyncResult} */
    const result = job.result ?? {};
    const received = Object.entries(result.received ?? {}).filter(([, n]) => n > 0);
    const { objects = 0, images = 0 } = result.sent ?? {};
    const parts = [];
    if (result.pulled) parts.push(h("li", null, t(`sync.${result.pulled}`), received.length > 0
      ? ` ${received.map(([kind, n]) => plural(`sync.kind.${kind}`, n)).join(", ")}.` : ""));
    if (result.pulled) parts.push(h("li", null, objects === 0 && images === 0 ? t("sync.nothingSent")
      : t("sync.sent", { objects: count(objects), images: count(images) })));
    clear(this.outcome).append(h("div", { class: "panel" },
      h("h2", null, t(`sync.title.${job.state}`)),
      job.error ? h("p", { class: "problem" }, job.error.message, " ", job.error.hint ?? "") : "",
      h("ul", { class: "sync-lines" }, parts),
      result.text ? h("p", { class: "sync-text" }, result.text) : "", problems(result.problems ?? [])),
    this.disagreements(result.disagreements ?? []), this.removed(result.removedAndLabeled ?? []));
  }

  /** @param {NonNullable<SyncResult["disagreements"]>} list */
  disagreements(list) {
    if (list.length === 0) return "";
    const grid = h("cairn-mini-grid", { label: t("sync.disagreements") });
    const ids = [...new Set(list.map(({ photo }) => photo))];
    grid.classList.toggle("few", ids.length <= FEW);
    setOf(ids).then(({ set }) => {
      grid.setAttribute("count", String(ids.length));
      grid.setAttribute("set", set);
    }, report);
    return h("div", { class: "panel" }, h("h2", null, plural("sync.disputes", list.length)), grid,
      h("ul", { class: "sync-disputes" }, list.slice(0, MOST_LINES).map((one) => h("li", null,
        photoLink(one.photo, one.name || className(one.class)), " ",
        h("span", { class: "quiet" }, one.reason)))),
      h("p", null, h("a", {
        class: "button primary", href: hashOf("review", {
          q: "state:disputed", reasons: "disputed", skipped: "true",
        }),
      }, t("sync.review"))));
  }

  /** @param {NonNullable<SyncResult["removedAndLabeled"]>} list */
  removed(list) {
    if (list.length === 0) return "";
    return h("div", { class: "panel" }, h("h2", null, plural("sync.removed", list.length)),
      h("p", { class: "quiet" }, t("sync.removedHint")),
      h("ul", { class: "sync-disputes" }, list.slice(0, MOST_LINES).map((one) => h("li", null,
        photoLink(one.photo, one.photo.slice(0, 8)), " ",
        one.text ?? t(one.visible ? "sync.kept" : "sync.gone",
          { people: one.people.map(person).join(", ") }), " ",
        one.visible && !store.session?.readOnly ? h("button", {
          type: "button", onclick: () => this.removePhoto(one.photo),
        }, t("sync.remove")) : ""))));
  }

  /** @param {string} photo */
  async removePhoto(photo) {
    await edit({ do: "remove", target: { photos: [photo] }, on: true });
  }
}

/**
 * @param {string} id
 * @param {string} text
 */
function photoLink(id, text) {
  return h("a", {
    href: hashOf("photo", { id }), onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      emit("open-photo", { id, from: "sync" });
    },
  }, text);
}

/** @param {{path: string, problem: string}[]} list */
function problems(list) {
  if (list.length === 0) return "";
  return h("div", null, h("h3", { class: "problem" }, plural("sync.problems", list.length)),
    h("ul", null, list.slice(0, MOST_LINES).map(({ path, problem }) =>
      h("li", null, h("code", null, path), `: ${problem}`))));
}

customElements.define("cairn-sync", CairnSync);
