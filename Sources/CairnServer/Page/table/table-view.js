// @ts-check
/** @file The rows of the table that are in view, and the cell with the focus. */

import { h } from "../common/dom.js";
import { ScrollScale } from "../grid/grid-layout.js";
import { emit, on, store } from "../data/store.js";
import { t } from "../strings/strings.js";
import { COLUMNS, paintRow } from "./table-cells.js";
import { TablePhotos } from "./table-photos.js";
import { TableRows } from "./table-rows.js";
import { thumbs } from "../data/thumbs.js";

/** The height of a row in CSS pixels; the style sheet has it too. */
const ROW = 48;
const OVERSCAN = 6;

export class TableView extends HTMLElement {
  visible = false;
  row = 0;
  column = 0;
  top = 0;
  bar = 0;
  /**
   * Rows of the page by index.
   * @type {Map<number, HTMLElement>}
   */
  shown = new Map();
  rows = new TableRows(() => this.repaint(), (error) => this.failed(error));
  scale = new ScrollScale(0, 1);
  spacer = h("div", { class: "table-spacer" });
  body = h("div", { class: "table-body", role: "rowgroup" });
  headers = COLUMNS.map((column) => h("div", {
    role: "columnheader", class: `column-${column.name}`,
  }, h("button", {
    type: "button", class: "plain", onclick: () => this.sortBy(column.sort),
  }, t(`table.column.${column.name}`))));
  grid = h("div", {
    class: "table-grid", role: "grid", tabIndex: 0, "aria-label": t("table.name"),
    "aria-colcount": COLUMNS.length,
  }, h("div", { role: "rowgroup", class: "table-head" },
    h("div", { role: "row", class: "table-row", "aria-rowindex": "1" }, this.headers)), this.body);
  scroller = h("div", { class: "table-scroller" }, this.spacer, this.grid);
  empty = h("p", { class: "table-empty", hidden: true }, t("table.empty"));

  stage = h("div", { class: "table-stage" }, this.scroller, this.empty);

  /** Starts listening. Called once. */
  start() {
    this.scroller.addEventListener("scroll", () => this.update());
    new ResizeObserver(() => { if (this.visible) this.layout(); }).observe(this.scroller);
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.body.addEventListener("dblclick", () => this.openPhoto());
    on("thumb", ({ id }) => {
      for (const image of this.body.querySelectorAll(`[data-thumb="${CSS.escape(id)}"]`)) {
        const url = thumbs.url(id);
        if (url) /** @type {HTMLImageElement} */ (image).src = url;
      }
    });
  }

  /** @param {string} _column what the server sorts by */
  sortBy(_column) {}

  /** @param {unknown} _error */
  failed(_error) {}

  /** Called when the rows, the focus or a row's labels have changed. */
  painted() {}

  // Rows

  layout() {
    const { scroller } = this;
    if (scroller.clientHeight === 0) return;
    this.scale = new ScrollScale((this.rows.count + 1) * ROW, scroller.clientHeight);
    this.spacer.style.height = `${this.scale.barHeight}px`;
    this.grid.setAttribute("aria-rowcount", String(this.rows.count + 1));
    this.empty.hidden = this.rows.count > 0;
    for (const index of [...this.shown.keys()]) this.release(index);
    this.scrollTo({ top: this.top });
    this.painted();
  }

  /** @param {any} options `{top}` */
  scrollTo({ top }) {
    this.top = Math.max(0, Math.min(top, this.scale.height - this.scale.viewport));
    this.bar = this.scale.toBar(this.top);
    this.scroller.scrollTop = this.bar;
    this.update(true);
  }

  range() {
    const view = this.scroller.clientHeight;
    return {
      from: Math.max(0, Math.floor(this.top / ROW) - OVERSCAN),
      to: Math.min(this.rows.count, Math.ceil((this.top + view) / ROW) + OVERSCAN),
    };
  }

  update(own = false) {
    const bar = this.scroller.scrollTop;
    if (!own && Math.abs(bar - this.bar) > 1) this.top = this.scale.toGrid(bar);
    if (!this.scale.scaled) this.top = bar;
    this.bar = bar;
    const shift = this.scale.scaled ? bar - this.top : 0;
    const { from, to } = this.range();
    for (const index of this.shown.keys()) if (index < from || index >= to) this.release(index);
    for (let index = from; index < to; index += 1) {
      const element = this.shown.get(index) ?? this.create(index);
      element.style.transform = `translateY(${index * ROW + shift}px)`;
    }
    this.rows.need(from, to);
    this.wantThumbs(from, to);
  }

  /**
   * @param {number} from
   * @param {number} to not included
   */
  wantThumbs(from, to) {
    const ids = [];
    for (let index = from; index < to; index += 1) ids.push(this.rows.at(index)?.photo ?? "");
    thumbs.want([...new Set(ids.filter(Boolean))], { urgent: true });
  }

  /** @param {number} index */
  create(index) {
    const element = h("div", {
      role: "row", class: "table-row", id: `row-${index}`, dataset: { index: String(index) },
      "aria-rowindex": String(index + 2),
    }, COLUMNS.map((column, at) => h("div", {
      role: "gridcell", class: `column-${column.name}`, id: `cell-${index}-${at}`,
      dataset: { column: String(at) }, "aria-colindex": String(at + 1),
    })));
    paintRow(element, this.rows.at(index));
    this.shown.set(index, element);
    this.body.append(element);
    if (index === this.row) this.markFocus(element);
    return element;
  }

  /** @param {number} index */
  release(index) {
    this.shown.get(index)?.remove();
    this.shown.delete(index);
  }

  repaint() {
    for (const [index, element] of this.shown) paintRow(element, this.rows.at(index));
    const { from, to } = this.range();
    this.wantThumbs(from, to);
    this.painted();
  }

  // Focus

  /** @param {HTMLElement} element */
  markFocus(element) {
    for (const old of this.body.querySelectorAll(".focused")) old.classList.remove("focused");
    const cell = element.children[this.column];
    element.classList.add("focused");
    cell?.classList.add("focused");
    if (cell) this.grid.setAttribute("aria-activedescendant", cell.id);
  }

  /**
   * Moves the focus to a cell and scrolls as little as needed.
   * @param {number} row
   * @param {number} column
   */
  focusCell(row, column) {
    if (this.rows.count === 0) return;
    this.row = Math.max(0, Math.min(row, this.rows.count - 1));
    this.column = Math.max(0, Math.min(column, COLUMNS.length - 1));
    const y = this.row * ROW;
    const view = this.scale.viewport - ROW;
    if (y < this.top) this.scrollTo({ top: y });
    else if (y + ROW > this.top + view) this.scrollTo({ top: y + ROW - view });
    const element = this.shown.get(this.row);
    if (element) this.markFocus(element);
    element?.children[this.column]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.grid.focus({ preventScroll: true });
    const id = this.rows.at(this.row)?.photo;
    if (id) store.update({ focus: id });
    this.painted();
  }

  /** @param {Event} event */
  clicked(event) {
    const target = /** @type {Element} */ (event.target);
    const cell = /** @type {HTMLElement|null} */ (target.closest("[data-column]"));
    const row = /** @type {HTMLElement|null} */ (target.closest("[data-index]"));
    if (!cell || !row) return;
    this.focusCell(Number(row.dataset.index), Number(cell.dataset.column));
    if (target.closest(".table-thumb")) this.openPhoto();
  }

  openPhoto() {
    const id = this.rows.at(this.row)?.photo;
    if (id) emit("open-photo", { id, list: new TablePhotos(this.rows, this.row) });
  }
}
