// @ts-check
/** @file The labels of a photo: classes by confidence, who gave them and when, and why. */

import { report } from "../edits/actions.js";
import { rove } from "../edits/label-bar.js";
import { api } from "../data/api.js";
import { clear, h } from "../common/dom.js";
import { fill } from "../common/fill.js";
import { className, dateTime, percent, person } from "../common/format.js";
import { isLikely, MARKS } from "../common/states.js";
import { said, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").BoxLabel} BoxLabel */
/** @typedef {import("../data/types.js").ClassDetail} ClassDetail */
/** @typedef {import("../data/types.js").Detail} Detail */
/** @typedef {import("../data/types.js").Evidence} Evidence */
/** @typedef {{id: string, author: string, time: string, summary: string}} CommitInfo */

/**
 * What the panel asks for: an edit without its target, or a command of the view.
 * @typedef {object} Commands
 * @property {(body: Record<string, any>) => void} edit
 * @property {() => void} type has the person type a class
 * @property {(mode: "box"|"outline") => void} draw
 * @property {(label: string) => void} selectBox
 */

export class LabelsPanel {
  element = h("section", { class: "labels-panel", "aria-label": t("photo-labels.name") });
  /** @type {Detail|null} */
  detail = null;
  /** @type {Set<string>} classes whose evidence is open */
  #open = new Set();
  /** @type {Map<string, Record<string, CommitInfo>>} by version and class */
  #commits = new Map();

  /** @param {Commands} commands */
  constructor(commands) {
    this.commands = commands;
  }

  /**
   * @param {Detail|null} detail
   * @param {{readOnly: boolean, keys: Map<string, string>}} options `keys`: key by class
   */
  update(detail, { readOnly, keys }) {
    if (detail?.photo.id !== this.detail?.photo.id) this.#commits.clear();
    this.detail = detail;
    const held = this.#held();
    const classes = detail?.classes ?? [];
    const shown = classes.filter(isLikely);
    const none = classes.filter(({ state }) => state === "rejected");
    fill(this.element,
      h("h2", null, t("photo-labels.name")),
      !readOnly && keys.size > 0 && this.#palette(classes, keys),
      shown.length > 0
        ? h("ul", { class: "class-list" }, shown.map((entry) => this.#row(entry, readOnly)))
        : h("p", { class: "quiet" }, t("photo-labels.none")),
      none.length > 0 && h("details", { class: "rejected-classes" },
        h("summary", { dataset: { hold: "rejected" } }, t("photo-labels.rejected", {
          names: none.map(({ name }) => name).join(", "),
        })),
        h("ul", { class: "class-list" }, none.map((entry) => this.#row(entry, readOnly)))),
      this.#boxes(detail?.boxes ?? [], readOnly),
      !readOnly && h("div", { class: "panel-buttons" },
        h("button", {
          type: "button", "aria-keyshortcuts": "c", dataset: { hold: "type" }, onclick: () => this.commands.type(),
        }, h("kbd", { "aria-hidden": "true" }, "c"), " ", t("photo-labels.add")),
        h("button", {
          type: "button", "aria-keyshortcuts": "b", dataset: { hold: "draw" }, onclick: () => this.commands.draw("box"),
        }, h("kbd", { "aria-hidden": "true" }, "b"), " ", t("photo-labels.draw")),
        h("button", {
          type: "button", "aria-keyshortcuts": "o", dataset: { hold: "outline" }, onclick: () => this.commands.draw("outline"),
        }, h("kbd", { "aria-hidden": "true" }, "o"), " ", t("photo-labels.drawOutline"))));
    if (held) this.#focusHeld(held);
  }

  /** The button with the focus, which painting again replaces. */
  #held() {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement) || !this.element.contains(active)) return null;
    return active.dataset.hold ?? "";
  }

  /** @param {string} hold */
  #focusHeld(hold) {
    // After the last one is removed, what draws another box.
    const near = hold.startsWith("remove ") ? ".box-list button, .panel-buttons button" : "button";
    /** @type {HTMLElement|null} */
    const same = this.element.querySelector(`[data-hold="${CSS.escape(hold)}"]`)
      ?? this.element.querySelector(near);
    /** @type {HTMLElement|null|undefined} */
    const folded = same?.closest(".rejected-classes:not([open])")?.querySelector("summary");
    (folded ?? same)?.focus({ preventScroll: true });
  }

  /** @param {ClassDetail} entry @param {boolean} readOnly */
  #row(entry, readOnly) {
    const { class: key, name, state, confidence } = entry;
    const people = entry.evidence.filter(({ annotator, counts }) => counts && annotator.kind === "person");
    const who = (people.length > 0 ? people : entry.evidence.filter(({ counts }) => counts))
      .map(({ annotator }) => person(annotator.name));
    const latest = entry.evidence.map(({ time }) => time ?? "").sort().at(-1);
    return h("li", { class: `class-row ${state}` },
      h("div", { class: "class-head" },
        h("span", { class: "class-mark", "aria-hidden": "true" }, MARKS[state]),
        h("span", { class: "class-name" }, name),
        isLikely(entry) && h("span", { class: "class-percent" }, percent(confidence)),
        isLikely(entry) && h("meter", { min: 0, max: 1, value: confidence, "aria-label": name }),
        !readOnly && this.#verdicts(entry)),
      h("p", { class: "quiet class-who" }, t(`photo-labels.state.${state}`),
        who.length > 0 && ` · ${[...new Set(who)].join(", ")}`,
        latest && ` · ${dateTime(latest)}`),
      this.#why(entry));
  }

  /**
   * The classes with keys, which are labeled here by a click, too.
   * @param {ClassDetail[]} classes @param {Map<string, string>} keys
   */
  #palette(classes, keys) {
    const toolbar = h("div", {
      class: "panel-keys", role: "toolbar", "aria-label": t("label-bar.classes"),
    }, [...keys].map(([key, short]) => {
      const isMine = classes.some((entry) => entry.class === key && entry.mine === "present");
      const name = className(key);
      return h("button", {
        type: "button", tabIndex: -1, "aria-pressed": String(isMine),
        "aria-keyshortcuts": short, title: t("label-bar.hint", { key: short, name }),
        dataset: { hold: `key ${key}` },
        onclick: (/** @type {MouseEvent} */ event) => this.commands.edit(
          isMine && !event.shiftKey ? { do: "withdraw", class: key }
            : { do: "label", classes: [key], verdict: event.shiftKey ? "absent" : "present" }),
      }, h("kbd", { "aria-hidden": "true" }, short), h("span", null, name));
    }));
    rove(toolbar);
    return toolbar;
  }

  /** @param {ClassDetail} entry */
  #verdicts({ class: key, name, mine }) {
    /** @param {"present"|"absent"} verdict @param {string} text @param {string} label */
    const button = (verdict, text, label) => h("button", {
      type: "button", class: `verdict ${verdict}`, "aria-pressed": String(mine === verdict),
      "aria-label": t(label, { name }), title: t(label, { name }), dataset: { hold: `${verdict} ${key}` },
      onclick: () => this.commands.edit(mine === verdict
        ? { do: "withdraw", class: key } : { do: "label", classes: [key], verdict }),
    }, text);
    return h("span", { class: "verdicts" }, button("present", "✓", "photo-labels.present"),
      button("absent", "✕", "photo-labels.absent"));
  }

  /** @param {ClassDetail} entry */
  #why(entry) {
    const list = h("ul", { class: "evidence" });
    /** @param {Record<string, CommitInfo>} commits */
    const paint = (commits) => fill(list,
      ...entry.evidence.map((one) => evidenceItem(one, commits[one.label])));
    const version = `${this.detail?.version} ${entry.class}`;
    const load = async () => {
      paint(this.#commits.get(version) ?? {});
      if (this.#commits.has(version) || !this.detail) return;
      const path = `/api/photos/${this.detail.photo.id}/why?class=${encodeURIComponent(entry.class)}`;
      try {
        const { commits } = await api.get(path);
        this.#commits.set(version, commits ?? {});
        paint(commits ?? {});
      } catch (error) {
        report(error);
      }
    };
    const details = h("details", {
      class: "why", open: this.#open.has(entry.class),
      ontoggle: () => {
        if (details.open) load();
        this.#open[details.open ? "add" : "delete"](entry.class);
      },
    }, h("summary", { dataset: { hold: `why ${entry.class}` } }, t("photo-labels.why")),
    h("p", null, said(entry.reason)),
    entry.estimate && h("p", { class: "quiet" },
      t("photo-labels.estimate", { p: percent(entry.estimate.present) })), list);
    return details;
  }

  /** @param {BoxLabel[]} boxes @param {boolean} readOnly */
  #boxes(boxes, readOnly) {
    if (boxes.length === 0) return null;
    return h("div", { class: "box-list" }, h("h3", null, t("photo-labels.boxes")),
      h("ul", null, boxes.map((item) => {
        const name = className(item.class);
        const own = item.mine && !readOnly;
        return h("li", null,
          h("span", { class: `box-swatch ${item.mine ? "mine" : item.annotator.kind}` }),
          h("span", { class: "box-name" }, name, " ",
            h("span", { class: "quiet" }, person(item.annotator.name))),
          own && h("button", {
            type: "button", dataset: { hold: `box ${item.label}` },
            "aria-label": t("photo-labels.editBox", { name }),
            onclick: () => this.commands.selectBox(item.label),
          }, t("photo-labels.edit")),
          own && h("button", {
            type: "button", dataset: { hold: `remove ${item.label}` },
            "aria-label": t("photo-labels.removeBox", { name }),
            onclick: () => this.commands.edit({ do: "removeBox", label: item.label }),
          }, "×"),
          !item.mine && !readOnly && h("button", {
            type: "button", dataset: { hold: `adopt ${item.label}` },
            "aria-label": t("photo-labels.adoptBox", { name }),
            onclick: () => this.commands.edit({
              do: "box", class: item.class, ...(item.polygons ? { polygons: item.polygons } : { box: item.box }),
            }),
          }, t("photo-labels.adopt")));
      })));
  }
}

/**
 * One label, for lists of evidence.
 * @param {Evidence} one
 * @param {CommitInfo} [commit]
 */
export function evidenceItem(one, commit) {
  const model = one.annotator.kind === "model";
  const sure = model || one.confidence < 1 ? ` ${percent(one.confidence)}` : "";
  return h("li", { class: one.counts ? one.verdict : `${one.verdict} excluded` },
    h("span", { class: "who" }, `${model ? "⚙ " : ""}${person(one.annotator.name)}`), " ",
    h("span", { class: "verdict-text" }, t(`photo-labels.verdict.${one.verdict}`), sure),
    one.text && h("q", null, one.text),
    h("span", { class: "quiet" }, [one.time && dateTime(one.time), !one.counts && said(one.reason),
      commit && t("photo-labels.commit", { id: commit.id.slice(0, 8), text: commit.summary })]
      .filter(Boolean).map((text) => ` · ${text}`).join("")));
}
