// @ts-check
/** @file `<cairn-table>`: labels as a table, one row for each photo and class. */

import { edit, report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { toast } from "../common/dialog.js";
import { announce, clear, h, icon } from "../common/dom.js";
import { count } from "../common/format.js";
import { registerKeys } from "../shell/keys.js";
import { current, navigate } from "../shell/router.js";
import { on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";
import { COLUMNS, filterText } from "./table-cells.js";
import { isExpired } from "./table-rows.js";
import { TableView } from "./table-view.js";

/** @typedef {import("./table-rows.js").Filter} Filter */

/** More rows than this are downloaded instead of copied. */
const MOST_COPIED = 50_000;
const FILTERS = /** @type {const} */ (
  ["photo", "class", "state", "confidence", "model", "person", "day", "pin"]);
/** Columns whose largest values are looked for first. */
const LARGEST_FIRST = new Set(["confidence", "predictions", "verdicts"]);

export class CairnTable extends TableView {
  sort = "photo";
  descending = false;
  /** @type {Filter} */
  filter = {};
  opened = "";
  /** The photo of the filter whose name is shown. */
  named = "";
  refreshing = 0;
  /** Whether labels may have changed since the rows were read. */
  stale = false;
  filters = h("div", { class: "table-filters", role: "group", "aria-label": t("table.filters") });
  tools = h("div", { class: "table-tools", role: "group", "aria-label": t("table.tools") });
  total = h("p", { class: "table-total", role: "status" });

  connectedCallback() {
    if (this.stage.isConnected) return;
    this.append(h("div", { class: "table-bar" }, this.total, this.filters, this.tools,
      h("div", { class: "table-export" },
        h("button", { type: "button", onclick: () => this.copy() }, icon("copy"), t("table.copy")),
        h("button", { type: "button", onclick: () => this.download() }, icon("download"),
          t("table.download")))), this.stage);
    this.start();
    on("store", ({ changed }) => {
      if (changed.includes("set") && this.visible) this.open();
      if (changed.includes("pins")) this.repaint();
    });
    for (const name of ["photos", "dataset", "reset"]) on(`server:${name}`, () => this.refresh());
    this.keys();
  }

  /** @param {Record<string, string>} params */
  show(params) {
    this.visible = true;
    const by = params.by ?? "photo";
    this.descending = by.startsWith("-");
    this.sort = by.replace(/^-/, "");
    this.filter = {};
    for (const key of FILTERS) if (params[key]) this.filter[key] = params[key];
    this.loadPins();
    this.open();
  }

  hide() { this.visible = false; }

  async loadPins() {
    try {
      /** @type {{pins: import("../data/types.js").Pin[]}} */
      const { pins } = await api.get("/api/pins");
      store.update({ pins: new Map(pins.map((pin) => [pin.pin, pin])) });
    } catch (error) {
      report(error);
    }
  }

  /**
   * Opens the table of the query, unless it is open.
   * @param {boolean} [again] even if it is open
   */
  async open(again = false) {
    const { sort, descending, filter } = this;
    const request = { query: store.query, sort, descending, filter };
    const key = JSON.stringify([request, store.set?.set]);
    if (key === this.opened && !again) {
      this.layout();
      return this.readAgain();
    }
    const same = JSON.stringify(request) === JSON.stringify(JSON.parse(this.opened || "[0]")[0]);
    this.opened = key;
    this.stale = false;
    try {
      await this.rows.open(request);
    } catch (error) {
      this.opened = "";
      return report(error);
    }
    if (!same) {
      this.row = 0;
      this.top = 0;
      announce(plural("table.rows", this.rows.count));
    }
    this.row = Math.max(0, Math.min(this.row, this.rows.count - 1));
    this.layout();
    this.paintBar();
  }

  /** @param {unknown} error */
  failed(error) {
    if (isExpired(error)) this.open(true);
    else report(error);
  }

  /** Reads the visible rows again, once a while. A hidden table waits until it is shown. */
  refresh() {
    this.stale = true;
    if (!this.visible || this.refreshing) return;
    this.refreshing = window.setTimeout(() => {
      this.refreshing = 0;
      this.readAgain();
    }, 400);
  }

  readAgain() {
    if (!this.stale || !this.visible) return;
    this.stale = false;
    const { from, to } = this.range();
    this.rows.refresh(from, to);
  }

  /**
   * Shows the table in this order, or in the reverse one if it is already; the address keeps it.
   * @param {string} column
   */
  sortBy(column) {
    const reverse = column === this.sort ? !this.descending : LARGEST_FIRST.has(column);
    this.go({ by: `${reverse ? "-" : ""}${column}` });
  }

  /** @param {Record<string, string|null>} changes of the address */
  go(changes) {
    const { params } = current();
    navigate("table", { ...params, ...changes });
  }

  /** @param {Filter} filter with one member */
  textOf(filter) {
    return filterText(filter, (id) => this.rows.nameOf(id));
  }

  /** @param {Filter} filter */
  filterBy(filter) {
    this.go(/** @type {Record<string, string>} */ (filter));
  }

  clearFilters() {
    if (Object.keys(this.filter).length === 0) return false;
    this.go(Object.fromEntries(FILTERS.map((name) => [name, null])));
    return true;
  }

  // Bar

  paintBar() {
    this.total.textContent = plural("table.rows", this.rows.count);
    const active = FILTERS.filter((key) => this.filter[key] !== undefined);
    clear(this.filters).append(...active.map((key) => {
      const name = this.textOf({ [key]: this.filter[key] });
      return h("button", {
        type: "button", class: "table-filter", "aria-label": t("table.removeFilter", { name }),
        onclick: () => this.go({ [key]: null }),
      }, `${t(`table.by.${key}`)}: ${name}`, icon("close"));
    }));
    COLUMNS.forEach(({ sort }, index) => {
      const isSorted = sort === this.sort || (sort === "name" && this.sort === "photo");
      this.headers[index].setAttribute("aria-sort",
        !isSorted || this.sort === "photo" ? "none" : this.descending ? "descending" : "ascending");
    });
  }

  painted() {
    const { photo } = this.filter;
    if (photo && photo !== this.named && this.rows.nameOf(photo)) {
      this.named = photo;
      this.paintBar();
    }
    const row = this.rows.at(this.row);
    const inside = this.tools.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset.tool : null;
    clear(this.tools);
    if (!row) return;
    const writes = !store.session?.readOnly;
    /** @type {[string, string, () => any][]} */
    const tools = COLUMNS[this.column].filters(row).map((filter, at) =>
      [`filter${at}`, t("table.only", { name: this.textOf(filter) }), () => this.filterBy(filter)]);
    tools.push(["open", t("table.open"), () => this.openPhoto()]);
    if (writes) {
      tools.push(["accept", t("table.accept", { name: row.className }), () => this.decide("present")],
        ["reject", t("table.reject", { name: row.className }), () => this.decide("absent")]);
    }
    this.tools.append(...tools.map(([tool, text, run]) => h("button", {
      type: "button", dataset: { tool }, onclick: run,
    }, text)));
    if (inside) {
      const same = this.tools.querySelector(`[data-tool="${CSS.escape(inside)}"]`);
      if (same instanceof HTMLElement) same.focus({ preventScroll: true });
    }
  }

  // Labels

  /**
   * Labels the row's photo with its class, and goes to the next row.
   * @param {"present"|"absent"} verdict
   */
  async decide(verdict) {
    const row = this.rows.at(this.row);
    if (!row || store.session?.readOnly) return;
    const target = { photos: [row.photo] };
    const body = row.state === "predicted"
      ? { do: verdict === "present" ? "accept" : "reject", target, class: row.class }
      : { do: "label", target, classes: [row.class], verdict };
    const index = this.row;
    const result = await edit(body);
    if (!result) return;
    this.refresh();
    if (this.row === index) this.focusCell(index + 1, this.column);
  }

  async withdraw() {
    const row = this.rows.at(this.row);
    if (!row || store.session?.readOnly) return;
    await edit({ do: "withdraw", target: { photos: [row.photo] }, class: row.class });
    this.refresh();
  }

  // CSV

  get csv() { return `/api/tables/${this.rows.table}/csv`; }

  /** Copies the table; a large one, or where a page may not copy, is downloaded. */
  async copy() {
    if (!this.rows.table) return;
    if (this.rows.count > MOST_COPIED || !navigator.clipboard) return this.download();
    try {
      const text = api.blob(this.csv).then((csv) => csv.text());
      // The text is fetched while the browser still knows that the person asked for it.
      const blob = text.then((csv) => new Blob([csv], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      toast(t("table.copied", { n: count(this.rows.count) }), { kind: "done" });
    } catch (error) {
      if (isExpired(error)) await this.open(true);
      else if (error instanceof DOMException) this.download();
      else report(error);
    }
  }

  download() {
    if (!this.rows.table) return;
    h("a", { href: this.csv, download: "labels.csv" }).click();
  }

  keys() {
    const page = () => Math.max(1, Math.floor(this.scale.viewport / 48) - 2);
    /** @type {[string, string|null, number, () => number][]} */
    const moves = [["ArrowUp", "up", 0, () => -1], ["ArrowDown", "down", 0, () => 1],
      ["ArrowLeft", "left", -1, () => 0], ["ArrowRight", "right", 1, () => 0],
      ["PageUp", null, 0, () => -page()], ["PageDown", null, 0, () => page()],
      ["ctrl+Home", null, 0, () => -Infinity], ["ctrl+End", null, 0, () => Infinity],
      ["Home", null, -Infinity, () => 0], ["End", null, Infinity, () => 0]];
    registerKeys("table", [
      ...moves.map(([key, label, columns, rows]) => ({
        key, ...(label ? { label: t(`table.${label}`) } : {}),
        repeats: true, run: () => this.focusCell(this.row + rows(), this.column + columns),
      })),
      { key: "Enter", label: t("table.open"), run: () => this.openPhoto() },
      { key: "f", label: t("table.filter"), run: () => this.filterByCell() },
      { key: "Escape", label: t("table.clear"), run: () => this.clearFilters() },
      { key: "o", label: t("table.sort"), run: () => this.sortBy(COLUMNS[this.column].sort) },
      { key: "a", label: t("table.acceptKey"), run: () => this.decide("present") },
      { key: "r", label: t("table.rejectKey"), run: () => this.decide("absent") },
      { key: "w", label: t("table.withdraw"), run: () => this.withdraw() },
      { key: "c", label: t("table.copy"), run: () => this.copy() },
    ]);
  }

  filterByCell() {
    const row = this.rows.at(this.row);
    const [filter] = row ? COLUMNS[this.column].filters(row) : [];
    if (filter) this.filterBy(filter);
  }
}

customElements.define("cairn-table", CairnTable);
