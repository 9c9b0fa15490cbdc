// @ts-check
/** @file How far people agree, and the questions that they disagree on. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { clear, h } from "../common/dom.js";
import { count, percent, person } from "../common/format.js";
import { hashOf } from "../shell/router.js";
import { plural, t } from "../strings/strings.js";

/**
 * @typedef {object} Agreement
 * @property {string[]} people
 * @property {{subject: string, kind: "class"|"set", name: string, photos: number,
 *   agreement: number|null, kappa: number|null, alpha: number|null}[]} subjects
 * @property {{subject: string, name: string, first: string, second: string, photos: number,
 *   agreement: number, kappa: number|null}[]} pairs
 * @property {{class: string, name: string, photos: number, agreement: number|null,
 *   overlap: number|null, pairs: {people: string[], boxes: number[], matched: number}[]}[]} boxes
 */

/** @param {number|null} x */
const part = (x) => x === null ? "–" : percent(x);
/** @param {number|null} x from -1 to 1 */
const coefficient = (x) => x === null ? "–" : x.toFixed(2);

export class AgreementPanel {
  body = h("div", { class: "page-panels" });
  element = this.body;

  async show() {
    try {
      const [agreement, { count: disputed }] = await Promise.all([
        api.get("/api/metrics/agreement"), api.post("/api/query", { query: "state:disputed" })]);
      this.paint(agreement, disputed ?? 0);
    } catch (error) {
      report(error);
    }
  }

  /**
   * @param {Agreement} agreement
   * @param {number} disputed
   */
  paint({ people, subjects, pairs, boxes }, disputed) {
    const review = h("section", { class: "panel disputes" }, h("div", null,
      h("h2", null, plural("models.disputes", disputed)),
      disputed > 0 ? h("p", { class: "quiet" }, t("models.disputesHint")) : ""),
    disputed > 0 ? h("div", { class: "disputes-end" },
      h("a", { class: "button", href: hashOf("grid", { q: "state:disputed" }) },
        t("models.showDisputes")),
      h("a", { class: "button primary", href: hashOf("review", {
        q: "state:disputed", reasons: "disputed", skipped: "true",
      }) },
        t("models.reviewDisputes"))) : "");
    if (people.length < 2) {
      clear(this.body).append(review, h("p", { class: "quiet" }, t("models.onePerson")));
      return;
    }
    clear(this.body).append(review, this.table(t("models.subjects"),
      ["subject", "photos", "agreement", "kappa", "alpha"], subjects.map((one) => [
        one.kind === "set" ? t("models.setName", { name: one.name }) : one.name,
        count(one.photos), one.agreement, coefficient(one.kappa), coefficient(one.alpha),
      ])), this.table(t("models.pairs"), ["people", "subject", "photos", "agreement", "kappa"],
      pairs.map((pair) => [`${person(pair.first)} – ${person(pair.second)}`, pair.name,
        count(pair.photos), pair.agreement, coefficient(pair.kappa)])),
    boxes.length > 0 ? this.table(t("models.boxes"),
      ["class", "photos", "boxes", "matched", "agreement", "overlap"], boxes.map((one) => [
        one.name, count(one.photos),
        count(one.pairs.reduce((sum, pair) => sum + pair.boxes[0] + pair.boxes[1], 0)),
        count(one.pairs.reduce((sum, pair) => sum + pair.matched, 0)), one.agreement,
        coefficient(one.overlap),
      ])) : "");
  }

  /**
   * @param {string} title
   * @param {string[]} heads
   * @param {(string|number|null)[][]} rows a number is a part of 1
   */
  table(title, heads, rows) {
    return h("section", { class: "panel" }, h("h2", null, title), h("div", { class: "scroll-x" },
      h("table", { class: "data" }, h("thead", null, h("tr", null, heads.map((name) =>
        h("th", { scope: "col" }, t(`models.column.${name}`))))),
      h("tbody", null, rows.map(([first, ...rest]) => h("tr", null, h("th", { scope: "row" }, first),
        rest.map((value) => typeof value === "string" ? h("td", { class: "number" }, value)
          : h("td", { class: "number" }, h("span", { class: "meter", "aria-hidden": "true" },
            h("span", { style: { width: `${Math.round((value ?? 0) * 100)}%` } })),
          part(value)))))))));
  }
}
