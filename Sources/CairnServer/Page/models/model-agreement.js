// @ts-check
/** @file How far people agree, and the questions that they disagree on. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { clear, h, keepFocus, wide } from "../common/dom.js";
import { createNamedSet } from "../data/sets.js";
import { emit } from "../data/store.js";
import { count, percent, person, shortPerson } from "../common/format.js";
import { hashOf } from "../shell/router.js";
import { language, plural, t } from "../strings/strings.js";
import { peopleMatrix, render } from "./figures.js";

/** @typedef {import("./figures.js").Pair} MatrixPair */

/**
 * @typedef {object} Agreement
 * @property {string[]} people
 * @property {{subject: string, kind: "class"|"set", name: string, photos: number,
 *   agreement: number|null, kappa: number|null, alpha: number|null}[]} subjects
 * @property {AnnotatorPair[]} pairs
 * @property {OverallPair[]} overall
 * @property {{class: string, name: string, photos: number, agreement: number|null,
 *   overlap: number|null, pairs: {people: string[], boxes: number[], matched: number}[]}[]} boxes
 */

/**
 * @typedef {object} AnnotatorPair Two people on a class, or on an exclusive set.
 * @property {string} subject
 * @property {"class"|"set"} kind
 * @property {string} name
 * @property {string} first
 * @property {string} second
 * @property {number} photos
 * @property {number} agreement
 * @property {number|null} kappa
 */

/**
 * @typedef {object} OverallPair Two people on all classes together.
 * @property {string} first
 * @property {string} second
 * @property {number} photos photos on which both rated the same class
 * @property {number} differing those of them on which they differ in a class
 * @property {number|null} kappa
 */

/** @param {number|null} x */
const part = (x) => x === null ? "–" : percent(x);
/** @param {number|null} x from -1 to 1 */
const coefficient = (x) => x === null ? "–" : decimals.format(x);
const decimals = new Intl.NumberFormat(language(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** @param {MatrixPair} pair */
const names = ({ first, second }) => `${shortPerson(first)} – ${shortPerson(second)}`;

/**
 * Returns the pairs of people on a subject, or on all classes together.
 * @param {Pick<Agreement, "pairs"|"overall">} agreement
 * @param {string} subject `kind key`; empty for all
 * @returns {MatrixPair[]}
 */
export function pairsOn({ pairs, overall }, subject) {
  if (!subject) {
    return overall.map(({ first, second, photos, differing, kappa }) => ({
      first, second, kappa, same: photos - differing, different: differing,
    }));
  }
  return pairs.filter((pair) => `${pair.kind} ${pair.subject}` === subject)
    .map(({ first, second, photos, agreement, kappa }) => {
      const same = Math.round(agreement * photos);
      return { first, second, kappa, same, different: photos - same };
    });
}

export class AgreementPanel {
  /** @type {Agreement|null} */
  agreement = null;
  subject = h("select", { onchange: () => this.paintMatrix() });
  /** The subjects to choose from, as text. */
  subjects = "";
  matrix = h("div", { class: "scroll-x" });
  disputes = h("section", { class: "panel disputes", hidden: true });
  // It stays in place: a list that is open would close.
  people = h("section", { class: "panel", hidden: true }, h("h2", null, t("models.people")),
    h("p", { class: "quiet" }, t("models.peopleHint")),
    h("label", { class: "field people-subject" }, t("models.subject"), this.subject), this.matrix);
  tables = h("div", { class: "page-panels" });
  element = h("div", { class: "page-panels" }, this.disputes, this.people, this.tables);
  request = 0;

  async show() {
    this.request += 1;
    const own = this.request;
    try {
      const [agreement, { count: disputed }] = await Promise.all([
        api.get("/api/metrics/agreement"), api.post("/api/query", { query: "state:disputed" })]);
      if (own === this.request) keepFocus(this.element, () => this.paint(agreement, disputed ?? 0));
    } catch (error) {
      report(error);
    }
  }

  /**
   * @param {Agreement} agreement
   * @param {number} disputed
   */
  paint(agreement, disputed) {
    const { people, subjects, pairs, boxes } = agreement;
    clear(this.disputes).append(h("div", null, h("h2", null, plural("models.disputes", disputed)),
      disputed > 0 ? h("p", { class: "quiet" }, t("models.disputesHint")) : ""),
    disputed > 0 ? h("div", { class: "disputes-end" },
      h("a", {
        class: "button", href: hashOf("grid", { q: "state:disputed" }), dataset: { hold: "show" },
      }, t("models.showDisputes")),
      h("a", {
        class: "button primary", href: hashOf("review", {
          q: "state:disputed", reasons: "disputed", skipped: "true",
        }), dataset: { hold: "review" },
      }, t("models.reviewDisputes"))) : "");
    this.disputes.hidden = false;
    this.people.hidden = people.length < 2;
    if (people.length < 2) {
      clear(this.tables).append(h("p", { class: "quiet" }, t("models.onePerson")));
      return;
    }
    this.showPeople(agreement);
    clear(this.tables).append(this.table(t("models.subjects"),
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
   * Shows the matrix of people, for a class, a set or all.
   * @param {Agreement} agreement
   */
  showPeople(agreement) {
    this.agreement = agreement;
    const shared = agreement.subjects.filter(({ photos }) => photos > 0);
    const subjects = JSON.stringify(shared.map(({ kind, subject, name }) => [kind, subject, name]));
    if (subjects !== this.subjects) {
      this.subjects = subjects;
      const chosen = this.subject.value;
      clear(this.subject).append(h("option", { value: "" }, t("models.allSubjects")),
        ...shared.map(({ kind, subject, name }) => h("option", { value: `${kind} ${subject}` },
          kind === "set" ? t("models.setName", { name }) : name)));
      if (shared.some(({ kind, subject }) => `${kind} ${subject}` === chosen)) this.subject.value = chosen;
    }
    this.paintMatrix();
  }

  paintMatrix() {
    if (!this.agreement) return;
    const pairs = pairsOn(this.agreement, this.subject.value);
    const name = this.subject.selectedOptions[0]?.textContent ?? "";
    clear(this.matrix).append(render(peopleMatrix(this.agreement.people, pairs, {
      caption: t("models.kappaOf", { name }), name: shortPerson, number: coefficient,
      describe: (pair, agreed) => agreed === false
        ? plural("models.differ", pair.different, { people: names(pair) })
        : t("models.kappaPair", {
          people: names(pair), kappa: coefficient(pair.kappa),
          photos: plural("models.shared", pair.same + pair.different),
        }),
      open: (pair, agreed) => this.open(pair, agreed, name),
    })));
  }

  /**
   * Opens what two people rated, or where they differ, in the grid.
   * @param {MatrixPair} pair
   * @param {boolean|null} agreed
   * @param {string} name of the subject
   */
  async open(pair, agreed, name) {
    const [kind, key] = this.subject.value.split(" ");
    const cell = { people: [pair.first, pair.second], agreed, ...(key ? { [kind]: key } : {}) };
    const title = t(agreed === false ? "models.differName" : "models.sharedName", { people: names(pair), name });
    try {
      emit("query", { set: await createNamedSet({ cell }, title) });
    } catch (error) {
      report(error);
    }
  }

  /**
   * @param {string} title
   * @param {string[]} heads
   * @param {(string|number|null)[][]} rows a number is a part of 1
   */
  table(title, heads, rows) {
    return h("section", { class: "panel" }, h("h2", null, title), wide(title,
      h("table", { class: "data" }, h("thead", null, h("tr", null, heads.map((name) =>
        h("th", { scope: "col" }, t(`models.column.${name}`))))),
      h("tbody", null, rows.map(([first, ...rest]) => h("tr", null, h("th", { scope: "row" }, first),
        rest.map((value) => typeof value === "string" ? h("td", { class: "number" }, value)
          : h("td", { class: "number" }, h("span", { class: "meter", "aria-hidden": "true" },
            h("span", { style: { width: `${Math.round((value ?? 0) * 100)}%` } })),
          part(value)))))))));
  }
}
