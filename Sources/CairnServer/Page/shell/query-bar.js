// @ts-check
/** @file The query with completion and history, order, groups, and what matches by now. */

import { api, ApiError } from "../data/api.js";
import { clear, h, icon, saveSetting, setting } from "../common/dom.js";
import { errorText } from "../edits/actions.js";
import { registerKeys } from "./keys.js";
import { openSet } from "../data/rows.js";
import { emit, on, store } from "../data/store.js";
import { plural, said, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Candidate} Candidate */

const SORTS = ["taken", "added", "labeled", "confidence", "title", "id"];
const GROUPS = ["none", "class", "pin", "day"];
const MOST_HISTORY = 50;
/** Milliseconds between two looks at what matches now. */
const CHANGES_PAUSE = 2000;

/**
 * Returns where the error of a query is in its text. The server names the character in an excerpt,
 * as people count characters.
 * @param {string} text
 * @param {{line: string, column: number}} excerpt
 * @returns {[from: number, to: number]}
 */
export function errorRange(text, { line, column }) {
  const first = Math.max(0, text.indexOf(line));
  const characters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment);
  const from = first + characters.slice(0, column).join("").length;
  return [from, from + (characters[column]?.length ?? 0)];
}

export class QueryBar extends HTMLElement {
  /** @type {Candidate[]} */
  candidates = [];
  replaced = { from: 0, to: 0 };
  at = -1;
  asked = 0;
  /** Whether the keys go to the photos when the result is there. */
  leaving = false;
  timer = 0;

  connectedCallback() {
    if (this.input) return;
    this.input = h("input", {
      type: "search", class: "query-input", autocomplete: "off", spellcheck: false,
      placeholder: t("query-bar.placeholder"), "aria-label": t("query-bar.name"),
      role: "combobox", "aria-expanded": "false", "aria-controls": "query-options",
      "aria-autocomplete": "list", "aria-describedby": "query-error",
      oninput: () => this.complete(), onfocus: () => this.complete(),
      onblur: () => window.setTimeout(() => {
        if (document.activeElement !== this.input) this.hideOptions();
      }, 150),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    this.options = h("ul", {
      id: "query-options", class: "options", role: "listbox", hidden: true, tabIndex: -1,
      "aria-label": t("query-bar.candidates"),
    });
    this.error = h("p", { id: "query-error", class: "query-error", role: "alert", hidden: true });
    this.sort = this.select("sort", SORTS, (sort) => ({ sort }));
    this.group = this.select("group", GROUPS, (group) => ({ group }));
    this.direction = h("button", {
      type: "button", class: "icon", onclick: () => this.change({ descending: !store.descending }),
    });
    this.total = h("output", { class: "query-count", "aria-live": "off" });
    this.named = h("button", {
      type: "button", class: "chip-set", title: t("query-bar.leave"), hidden: true,
      onclick: () => {
        this.leaving = true;
        this.change({});
      },
    });
    this.chip = h("button", {
      type: "button", class: "chip-more", hidden: true,
      onclick: () => {
        this.leaving = true;
        openSet().catch((error) => this.fail(error));
      },
    });
    this.append(h("form", {
      class: "query-form", role: "search",
      onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.run(); },
    }, icon("search"), this.input, this.options, this.error), this.named, this.total, this.chip,
    h("div", { class: "query-order" }, this.sort, this.direction, this.group));
    registerKeys("global", [
      { key: "/", label: t("query-bar.focus"), run: () => this.focus() },
      { key: "ctrl+k", run: () => this.focus() },
    ]);
    on("store", ({ changed }) => { if (changed.includes("set")) this.paint(); });
    on("query-failed", ({ error }) => this.fail(error));
    for (const name of ["server:photos", "server:dataset", "server:reset"]) {
      on(name, () => this.askChanges());
    }
    this.paint();
  }

  /**
   * @param {"sort"|"group"} name
   * @param {string[]} values
   * @param {(value: string) => Record<string, any>} change
   */
  select(name, values, change) {
    /** @type {HTMLSelectElement} */
    const select = h("select", {
      "aria-label": t(`query-bar.${name}`), onchange: () => this.change(change(select.value)),
    }, values.map((value) => h("option", { value }, t(`query-bar.${name}.${value}`))));
    return select;
  }

  focus() {
    this.input?.focus();
    this.input?.select();
  }

  /** The query, blank while a set without one is shown. */
  get text() {
    return store.set?.key ? "" : store.query;
  }

  paint() {
    if (!this.input || !this.sort || !this.group || !this.direction || !this.total) return;
    if (document.activeElement !== this.input) this.input.value = this.text;
    this.paintNamed();
    this.sort.value = store.sort;
    this.group.value = store.group;
    clear(this.direction).append(icon(store.descending ? "sort-up" : "sort-down"));
    const order = t(store.descending ? "query-bar.reversed" : "query-bar.natural");
    this.direction.setAttribute("aria-label", order);
    this.direction.title = order;
    this.total.textContent = store.set ? plural("query-bar.photos", store.set.count) : "";
    if (this.chip) this.chip.hidden = true;
    if (this.error) this.error.hidden = true;
    this.input.removeAttribute("aria-invalid");
    // The views show the result first.
    if (this.leaving) queueMicrotask(() => emit("focus-view"));
    this.leaving = false;
  }

  /** Names a set without a query; it has its own order. */
  paintNamed() {
    const isNamed = Boolean(store.set?.key);
    for (const control of [this.sort, this.group, this.direction]) {
      if (control) control.disabled = isNamed;
    }
    if (!this.named) return;
    this.named.hidden = !isNamed;
    clear(this.named).append(h("span", null, store.set?.name ?? ""), icon("close"));
  }

  /**
   * Shows the query with other settings.
   * @param {Record<string, any>} changes
   */
  change(changes) {
    emit("query", { text: store.query, ...changes });
  }

  run() {
    const text = this.input?.value.trim() ?? "";
    this.hideOptions();
    if (text) {
      const history = [text, ...setting("queries", /** @type {string[]} */ ([]))];
      saveSetting("queries", [...new Set(history)].slice(0, MOST_HISTORY));
    }
    this.leaving = true;
    emit("query", { text, run: true });
  }

  /** @param {unknown} error */
  fail(error) {
    if (!this.error || !this.input) return;
    this.leaving = false;
    if (document.activeElement !== this.input) this.input.value = this.text;
    const known = error instanceof ApiError ? error : null;
    this.error.hidden = false;
    this.input.setAttribute("aria-invalid", "true");
    // What failed may be another order of this result, or a look at what matches by now.
    const isOther = store.set?.query !== store.query;
    clear(this.error).append(errorText(error), isOther ? ` ${t("query-bar.notResult")}` : "");
    const excerpt = known?.body.excerpt;
    if (excerpt && document.activeElement === this.input) {
      this.input.setSelectionRange(...errorRange(this.input.value, excerpt));
    }
  }

  async complete() {
    if (!this.input) return;
    this.asked += 1;
    const own = this.asked;
    const text = this.input.value;
    const at = this.input.selectionStart ?? text.length;
    /** @type {Candidate[]} */
    const past = setting("queries", /** @type {string[]} */ ([]))
      .filter((query) => query !== text && (text === "" || query.startsWith(text)))
      .slice(0, text ? 3 : 10)
      .map((query) => ({ text: query, detail: t("query-bar.past"), kind: "past" }));
    const found = await api.get(`/api/complete?text=${encodeURIComponent(text)}&at=${at}`)
      .catch(() => ({ from: at, to: at, candidates: [] }));
    if (own !== this.asked || document.activeElement !== this.input) return;
    this.replaced = { from: found.from, to: found.to };
    this.candidates = [...past, ...found.candidates];
    this.at = -1;
    this.showOptions();
  }

  showOptions() {
    if (!this.options || !this.input) return;
    clear(this.options).append(...this.candidates.map((candidate, index) => h("li", {
      role: "option", id: `query-option-${index}`, "aria-selected": "false",
      // The input keeps the focus; a finger may scroll the list.
      onmousedown: (/** @type {Event} */ event) => event.preventDefault(), onclick: () => this.take(index),
    }, h("span", null, candidate.text), h("span", { class: "quiet" }, said(candidate.detail)))));
    this.options.hidden = this.candidates.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.options.hidden));
    this.mark();
  }

  hideOptions() {
    if (!this.options || !this.input) return;
    this.asked += 1;
    this.options.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  mark() {
    [...(this.options?.children ?? [])].forEach((item, index) => {
      item.setAttribute("aria-selected", String(index === this.at));
      if (index === this.at) item.scrollIntoView({ block: "nearest" });
    });
    if (this.at >= 0) this.input?.setAttribute("aria-activedescendant", `query-option-${this.at}`);
    else this.input?.removeAttribute("aria-activedescendant");
  }

  /**
   * Puts a candidate into the text; a past query replaces it and runs.
   * @param {number} index
   */
  take(index) {
    const candidate = this.candidates[index];
    if (!candidate || !this.input) return;
    if (candidate.kind === "past") {
      this.input.value = candidate.text;
      this.run();
      return;
    }
    const { from, to } = this.replaced;
    const more = candidate.kind === "key" || candidate.text.endsWith(":");
    this.input.setRangeText(candidate.text + (more ? "" : " "), from, to, "end");
    this.complete();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.isComposing) return;
    const shown = this.options !== undefined && !this.options.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!shown) this.complete();
      const size = this.candidates.length + 1;
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.at = ((this.at + 1 + step + size) % size) - 1;
      this.mark();
    } else if (event.key === "Enter" && shown && this.at >= 0) {
      this.take(this.at);
    } else if (event.key === "Tab" && !event.shiftKey && shown && this.at >= 0) {
      this.take(this.at);
    } else if (event.key === "Escape" && shown) {
      this.hideOptions();
    } else if (event.key === "Escape") {
      if (this.input) this.input.value = this.text;
      this.input?.blur();
      emit("focus-view");
    } else return;
    event.preventDefault();
  }

  /** Asks, at most every two seconds, how many more match by now. */
  askChanges() {
    if (this.timer) return;
    this.timer = window.setTimeout(async () => {
      this.timer = 0;
      const set = store.set;
      if (!set || document.hidden) return;
      const changes = await api.get(`/api/sets/${set.set}/changes`).catch(() => null);
      if (!changes || !this.chip || set !== store.set) return;
      this.chip.hidden = !changes.new;
      this.chip.textContent = plural("query-bar.more", changes.new);
    }, CHANGES_PAUSE);
  }
}

customElements.define("cairn-query-bar", QueryBar);
