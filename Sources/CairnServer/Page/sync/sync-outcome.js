// @ts-check
/** @file What a sync brought and sent: disagreements, photos that others removed, problems. */

import { edit, report } from "../edits/actions.js";
import { h } from "../common/dom.js";
import { className, person } from "../common/format.js";
import { jobProblem } from "../data/jobs.js";
import { hashOf } from "../shell/router.js";
import { setOf } from "../data/rows.js";
import { emit, store } from "../data/store.js";
import { plural, said, t } from "../strings/strings.js";
import "../grid/mini-grid.js";

/** @typedef {import("../data/types.js").Job} Job */

/**
 * @typedef {object} SyncResult
 * @property {string|null} [commit]
 * @property {"upToDate"|"fastForward"|"merged"} [pulled]
 * @property {Record<string, number>} [received] documents by kind
 * @property {{objects: number, images: number}} [sent]
 * @property {string} [text]
 * @property {{photo: string, class: string, name: string, reason: string}[]} [disagreements]
 * @property {Removal[]} [removals] commits that removed photos with all their documents
 * @property {{photo: string, people: string[], visible: boolean, text?: string}[]} [removedAndLabeled]
 * @property {{path: string, problem: string}[]} [problems]
 */

/** @typedef {{author: string, commit: string, summary: string, photos: {id: string, name: string}[]}} Removal */

const MOST_LINES = 200;
/** The number of photos that fit in one row. */
const FEW = 8;

/**
 * Returns the panels that describe a sync that ended.
 * @param {Job} job
 * @returns {(Node|string)[]}
 */
export function outcomePanels(job) {
  /** @type {SyncResult} */
  const result = job.result ?? {};
  return [summary(job, result), disagreements(result.disagreements ?? []),
    removals(result.removals ?? []), removedAndLabeled(result.removedAndLabeled ?? [])];
}

/** @param {Job} job @param {SyncResult} result */
function summary(job, result) {
  const received = Object.entries(result.received ?? {}).filter(([, n]) => n > 0);
  const { objects = 0, images = 0 } = result.sent ?? {};
  const parts = [];
  if (result.pulled) parts.push(h("li", null, t(`sync.${result.pulled}`), received.length > 0
    ? ` ${received.map(([kind, n]) => plural(`sync.kind.${kind}`, n)).join(", ")}.` : ""));
  if (result.pulled) parts.push(h("li", null, objects === 0 && images === 0 ? t("sync.nothingSent")
    : t("sync.sent", {
      objects: plural("sync.objects", objects), images: plural("sync.imageCount", images),
    })));
  return h("div", { class: "panel" },
    h("h2", null, t(`sync.title.${job.state}`)),
    job.error ? h("p", { class: "problem" }, jobProblem(job)) : "",
    h("ul", { class: "sync-lines" }, parts),
    result.text ? h("p", { class: "sync-text" }, said(result.text)) : "", problems(result.problems ?? []));
}

/** @param {NonNullable<SyncResult["disagreements"]>} list */
function disagreements(list) {
  if (list.length === 0) return "";
  const grid = h("cairn-mini-grid", { label: t("sync.disagreements") });
  const ids = [...new Set(list.map(({ photo }) => photo))];
  grid.classList.toggle("few", ids.length <= FEW);
  setOf(ids).then(({ set }) => grid.setAttribute("set", set), report);
  return h("div", { class: "panel" }, h("h2", null, plural("sync.disputes", list.length)), grid,
    lines(list, (one) => [photoLink(one.photo, one.name || className(one.class), ids), " ",
      h("span", { class: "quiet" }, said(one.reason))]),
    h("p", null, h("a", {
      class: "button primary", href: hashOf("review", {
        q: "state:disputed", reasons: "disputed", skipped: "true",
      }),
    }, t("sync.review"))));
}

/** @param {Removal[]} list */
function removals(list) {
  if (list.length === 0) return "";
  const total = list.reduce((sum, { photos }) => sum + photos.length, 0);
  return h("div", { class: "panel" }, h("h2", null, plural("sync.removals", total)),
    list.slice(0, MOST_LINES).map(({ author, commit, summary: text, photos }) => {
      const id = commit.slice(0, 10);
      return h("details", { class: "sync-removal" },
        h("summary", null, plural("sync.removal", photos.length, { person: author }), " ",
          h("span", { class: "quiet" }, t("sync.removalCommit", { commit: id, text }))),
        h("p", null, plural("sync.revert", photos.length), " ",
          h("code", null, `git revert --no-edit ${id}`)),
        lines(photos, (one) => [one.name || one.id.slice(0, 8)]));
    }), more(list.length));
}

/** @param {NonNullable<SyncResult["removedAndLabeled"]>} list */
function removedAndLabeled(list) {
  if (list.length === 0) return "";
  const ids = list.map(({ photo }) => photo);
  return h("div", { class: "panel" }, h("h2", null, plural("sync.removed", list.length)),
    h("p", { class: "quiet" }, t("sync.removedHint")),
    lines(list, (one) => [photoLink(one.photo, one.photo.slice(0, 8), ids), " ",
      one.text ? said(one.text) : t(one.visible ? "sync.kept" : "sync.gone",
        { people: one.people.map(person).join(", ") }), " ",
      one.visible && !store.session?.readOnly ? h("button", {
        type: "button",
        onclick: () => edit({ do: "remove", target: { photos: [one.photo] }, on: true }),
      }, t("sync.remove")) : ""]));
}

/**
 * A list of at most `MOST_LINES` items, and how many more there are.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => (Node|string)[]} content
 */
function lines(items, content) {
  return h("ul", { class: "sync-list" },
    items.slice(0, MOST_LINES).map((item) => h("li", null, content(item))),
    items.length > MOST_LINES ? h("li", { class: "quiet" }, more(items.length)) : "");
}

/** @param {number} count */
function more(count) {
  return count > MOST_LINES ? plural("sync.more", count - MOST_LINES) : "";
}

/**
 * @param {string} id
 * @param {string} text
 * @param {string[]} ids the photos of the list
 */
function photoLink(id, text, ids) {
  return h("a", {
    href: hashOf("photo", { id }), onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      emit("open-photo", { id, list: ids });
    },
  }, text);
}

/** @param {{path: string, problem: string}[]} list */
export function problems(list) {
  if (list.length === 0) return "";
  return h("div", null, h("h3", { class: "problem" }, plural("sync.problems", list.length)),
    lines(list, ({ path, problem }) => [h("code", null, path), `: ${said(problem)}`]));
}
