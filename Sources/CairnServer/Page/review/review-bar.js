// @ts-check
/** @file The bar over the review: what is asked, how far one is, and how fast. */

import { h } from "../common/dom.js";
import { count } from "../common/format.js";
import { api } from "../data/api.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("./review-queue.js").QueueOptions} QueueOptions */

/** In the order of the terminal. */
const REASONS = ["disputed", "unsure", "models", "removed", "duplicates", "suspect", "rare"];
/** Time between two readings of the speed, in milliseconds. */
const SPEED_PAUSE = 3000;

/**
 * Returns what the parameters of an address ask for.
 * @param {Record<string, string>} params
 * @returns {QueueOptions}
 */
export function optionsOf(params) {
  const reasons = (params.reasons ?? "").split(",").filter((name) => REASONS.includes(name));
  return {
    query: params.q ?? "", kind: params.kind === "unlabeled" ? "unlabeled" : "doubtful",
    class: params.class || null, skipped: params.skipped === "true",
    ...(reasons.length > 0 && { reasons }),
  };
}

export class ReviewBar {
  #visible = false;
  #readAt = 0;
  #timer = 0;

  /** @param {(changes: Record<string, any>) => void} restart opens a queue with other parameters */
  constructor(restart) {
    this.kind = h("select", {
      "aria-label": t("review.kind"),
      onchange: () => restart({ kind: this.kind.value, reasons: null }),
    }, ["doubtful", "unlabeled"].map((value) => h("option", { value }, t(`review.kind.${value}`))));
    this.reasons = h("select", {
      "aria-label": t("review.reasons"), onchange: () => restart({ reasons: this.reasons.value }),
    }, h("option", { value: "" }, t("review.allReasons")),
    REASONS.map((value) => h("option", { value }, t(`review.reason.${value}`))));
    this.progress = h("progress", { max: 1, value: 0, "aria-label": t("review.progress") });
    this.place = h("span", { class: "review-place" });
    this.speed = h("span", { class: "review-speed quiet" });
    this.saving = h("span", { class: "review-saving quiet", role: "status" });
    this.element = h("div", { class: "review-bar" }, this.kind, this.reasons, this.progress,
      this.place, this.speed, this.saving);
  }

  /** @param {QueueOptions} options */
  show(options) {
    this.#visible = true;
    this.kind.value = options.kind;
    this.reasons.value = options.reasons?.length === 1 ? options.reasons[0] : "";
    this.reasons.hidden = options.kind === "unlabeled";
  }

  hide() {
    this.#visible = false;
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  /** @param {{position: number, count: number, pending: number}} queue */
  paint({ position, count: total, pending }) {
    this.progress.max = Math.max(total, 1);
    this.progress.value = position;
    this.place.textContent = t("review.place", {
      n: count(Math.min(position + 1, total)), count: count(total),
    });
    this.saving.textContent = pending > 1 ? plural("review.saving", pending) : "";
  }

  /** Reads the speed, at most every few seconds. */
  readSpeed() {
    if (this.#timer || !this.#visible) return;
    const wait = Math.max(0, this.#readAt + SPEED_PAUSE - performance.now());
    this.#timer = window.setTimeout(async () => {
      this.#timer = 0;
      this.#readAt = performance.now();
      try {
        const { decided, perMinute } = await api.get("/api/review/progress");
        const speed = t("review.perMinute", { n: count(Math.round(perMinute)) });
        this.speed.textContent = decided > 0 ? `${plural("review.decided", decided)} · ${speed}` : "";
      } catch {
        // The speed is only for information: the next answer reads it again.
      }
    }, wait);
  }
}
