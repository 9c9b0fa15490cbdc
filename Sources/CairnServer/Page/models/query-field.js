// @ts-check
/** @file A field for a query, which says how many photos match. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { h } from "../common/dom.js";
import { store } from "../data/store.js";
import { plural, said, t } from "../strings/strings.js";

export class QueryField {
  input = h("input", {
    type: "text", autocomplete: "off", spellcheck: false, placeholder: t("models.everything"),
    oninput: () => this.check(),
  });
  matches = h("p", { class: "quiet", role: "status" });
  element = h("div", { class: "field wide" }, h("label", { class: "field" }, t("models.query"), this.input),
    this.matches);
  asked = 0;

  /** Begins with the query of the grid. */
  begin() {
    if (!this.input.value && this.asked === 0) this.input.value = store.query;
  }

  /** The query; null for all photos. */
  get value() {
    return this.input.value.trim() || null;
  }

  /** Says how many photos match the query, or what is wrong with it. */
  async check() {
    this.asked += 1;
    const own = this.asked;
    try {
      const { valid, count: n, error } = await api.post("/api/query", { query: this.value ?? "" });
      if (own !== this.asked) return;
      this.matches.textContent = valid ? plural("models.matches", n) : said(error.message);
      this.matches.classList.toggle("problem", !valid);
      this.input.setAttribute("aria-invalid", String(!valid));
    } catch (error) {
      report(error);
    }
  }
}
