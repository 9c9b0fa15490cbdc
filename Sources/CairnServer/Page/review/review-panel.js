// @ts-check
/** @file The question beside the photo, its reasons, and the buttons that answer it. */

import { $, h } from "../common/dom.js";
import { fill } from "../common/fill.js";
import { percent } from "../common/format.js";
import { evidenceItem } from "../photo/photo-labels.js";
import { isLikely } from "../common/states.js";
import { plural, said, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Question} Question */
/** @typedef {import("./review-queue.js").Answer} Answer */

/**
 * @typedef {object} Commands
 * @property {(answer: Answer) => void} answer
 * @property {() => void} correct
 * @property {() => void} undo
 * @property {() => void} favorite
 * @property {() => void} open
 * @property {(changes: Record<string, any>) => void} restart
 * @property {() => void} grid
 */

/**
 * Returns the question as a sentence.
 * @param {Question} question
 */
export function questionText(question) {
  if (question.kind === "photo") return t("review.questionPhoto");
  if (question.kind === "unlabeled") return t("review.questionUnlabeled");
  if (question.set) return t("review.questionSet", { set: question.set });
  return t("review.questionClass", { name: question.name ?? question.class ?? "" });
}

/**
 * Returns which class of a set is suggested, and how sure that is; empty if none is. Of a class that
 * no label decides, there is no confidence.
 * @param {Question} question
 */
export function suggestion({ kind, set, state, name, confidence }) {
  if (kind !== "class" || !set || state === "rejected") return "";
  return confidence ? t("review.suggested", { name: name ?? "", p: percent(confidence) })
    : t("review.suggestedName", { name: name ?? "" });
}

export class ReviewPanel {
  element = h("section", { class: "review-panel", "aria-label": t("review.panel") });
  #message = h("p", { class: "review-message", role: "status" });
  #others = h("p", { class: "review-others" });
  /** @type {HTMLButtonElement|null} */
  #star = null;

  /** @param {Commands} commands */
  constructor(commands) {
    this.commands = commands;
  }

  /** @param {Question} question @param {{readOnly: boolean, again: boolean, looking: Set<string>}} state */
  show(question, { readOnly, again, looking }) {
    this.say(again ? t("review.again") : "");
    this.others(looking);
    this.#fill(
      h("div", { class: "question" },
        h("h2", { tabIndex: -1 }, questionText(question)),
        suggestion(question) && h("p", { class: "quiet" }, suggestion(question)),
        question.reasons.map(({ reason, text }) => h("p", { class: `reason ${reason}` }, said(text))),
        this.#message, this.#others),
      this.#options(question, readOnly), this.#buttons(question, readOnly),
      question.labels.length > 0 && h("details", { class: "review-evidence", open: innerWidth > 900 },
        h("summary", null, plural("review.labels", question.labels.length)),
        h("ul", { class: "evidence" }, question.labels.map((one) => evidenceItem(one)))),
      h("p", { class: "quiet review-name" }, question.photo.name));
  }

  /**
   * Replaces what the panel shows. A focus in it stays on the same button, otherwise on the heading or
   * the text in its place: no button there that the next press could mean.
   * @param {...(HTMLElement|null|false)} children
   */
  #fill(...children) {
    const active = document.activeElement;
    const held = active instanceof HTMLElement && this.element.contains(active) ? active.dataset.hold ?? "" : null;
    fill(this.element, ...children);
    if (held === null) return;
    const same = held ? $(`[data-hold="${CSS.escape(held)}"]`, this.element) : null;
    (same ?? $("[tabindex]", this.element))?.focus({ preventScroll: true });
  }

  /** @param {Question} question @param {boolean} readOnly */
  #options(question, readOnly) {
    const options = question.kind === "photo" ? [] : question.options.slice(0, 9);
    if (options.length === 0) return null;
    return h("ol", { class: "review-options" }, options.map((option, index) => h("li", null, h("button", {
      type: "button", disabled: readOnly, "aria-keyshortcuts": String(index + 1),
      class: option.class === question.class ? "suggested" : "", dataset: { hold: `option ${index}` },
      onclick: () => this.commands.answer(option.class === question.class
        ? { decision: "accept" } : { decision: "other", class: option.class }),
    }, h("kbd", { "aria-hidden": "true" }, index + 1), h("span", { class: "option-name" }, option.name),
    isLikely(option) && h("span", { class: "quiet" }, percent(option.confidence))))));
  }

  /** @param {Question} question @param {boolean} readOnly */
  #buttons(question, readOnly) {
    const { kind } = question;
    /** @param {string} key @param {string} label @param {string} style @param {() => void} onclick @param {boolean} [off] */
    const button = (key, label, style, onclick, off = readOnly) => h("button", {
      type: "button", class: style, disabled: off, onclick, "aria-keyshortcuts": key, dataset: { hold: key },
    }, h("kbd", { "aria-hidden": "true" }, key), h("span", null, t(label)));
    const photo = kind === "photo";
    this.#star = h("button", {
      type: "button", class: "small", disabled: readOnly, "aria-keyshortcuts": "f", dataset: { hold: "f" },
      "aria-pressed": String(question.photo.favorite), onclick: () => this.commands.favorite(),
    }, h("kbd", { "aria-hidden": "true" }, "f"), h("span", null, t("review.favorite")));
    return h("div", { class: "review-buttons" },
      kind !== "unlabeled" && button("a", photo ? "review.restore" : "review.accept", "accept",
        () => this.commands.answer({ decision: "accept" })),
      kind !== "unlabeled" && button("r", photo ? "review.leaveRemoved" : "review.reject", "reject",
        () => this.commands.answer({ decision: "reject" })),
      !photo && button("c", kind === "unlabeled" ? "review.type" : "review.correct", "",
        () => this.commands.correct()),
      button("s", "review.skip", "", () => this.commands.answer({ decision: "skip" }), false),
      button("u", "review.undo", "small", () => this.commands.undo()),
      this.#star,
      button("o", "review.open", "small", () => this.commands.open(), false));
  }

  /**
   * Shows a message about the answer before.
   * @param {string} text empty: none
   */
  say(text) {
    this.#message.textContent = text;
  }

  /** @param {Set<string>} names others who look at the photo */
  others(names) {
    const text = names.size > 0
      ? plural("review.looking", names.size, { names: [...names].join(", ") }) : "";
    if (this.#others.textContent !== text) this.#others.textContent = text;
  }

  /** @param {boolean} on */
  favorite(on) {
    this.#star?.setAttribute("aria-pressed", String(on));
  }

  waiting() {
    this.#fill(h("p", { class: "quiet", role: "status", tabIndex: -1 }, t("review.opening")));
  }

  /** @param {string} text */
  failed(text) {
    this.#fill(
      h("p", { class: "problem", role: "alert", tabIndex: -1 }, text),
      h("div", { class: "review-buttons end" },
        h("button", { type: "button", onclick: () => this.commands.restart({}) }, t("review.start"))));
  }

  /**
   * The end of the queue.
   * @param {{kind: string, count: number, readOnly: boolean}} state
   */
  finished({ kind, count, readOnly }) {
    const other = kind === "doubtful" ? "unlabeled" : "doubtful";
    /** @param {string} text @param {() => void} onclick @param {string} [style] @param {string} [hold] */
    const button = (text, onclick, style = "", hold = "") => h("button", {
      type: "button", class: style, dataset: { hold }, onclick,
    }, text);
    const hint = count > 0 ? t("review.doneHint") : t(`review.noneHint.${kind}`);
    this.#fill(
      h("div", { class: "question" },
        h("h2", { tabIndex: -1 }, t(count > 0 ? "review.done" : "review.none")),
        h("p", { class: "quiet" }, hint),
        this.#message),
      h("div", { class: "review-buttons end" },
        button(t(`review.kind.${other}`), () => this.commands.restart({ kind: other, reasons: null }), "primary"),
        kind === "doubtful" && button(t("review.skippedToo"), () => this.commands.restart({ skipped: "true" })),
        button(t("review.start"), () => this.commands.restart({})),
        !readOnly && button(t("review.undo"), () => this.commands.undo(), "", "u"),
        button(t("photo.back"), () => this.commands.grid())));
  }
}
