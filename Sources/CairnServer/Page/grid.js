// @ts-check
/** @file The grid of the current set, and the small grid of any set. Only visible cells exist. */

import { api } from "./api.js";
import { announce, clear, h, saveSetting, setting } from "./dom.js";
import { GridLayout, ScrollScale } from "./grid-layout.js";
import { current, navigate } from "./router.js";
import { RowPages, rows } from "./rows.js";
import { selection, selectWithKeys, selectWithPointer } from "./selection.js";
import { emit, on, store } from "./store.js";
import { plural, t } from "./strings.js";
import { createCell, paintCell, paintThumb, thumbs } from "./thumbs.js";
import "./label-bar.js";

/** @typedef {import("./thumbs.js").Cell} Cell */

const GAP = 4;
const HEADER = 36;
/** Screens above and below the visible one whose cells exist, and whose pictures are fetched. */
const OVERSCAN = 0.5;
const AHEAD = 2.5;
/** Screens in one step from which on only colors are shown, and how long until it has settled. */
const FLING = 2.5;
const SETTLE = 60;
let grids = 0;

class PhotoGrid extends HTMLElement {
  cellSize = 160;
  /** @type {RowPages} */
  pages = rows;
  layout = new GridLayout({ count: 0, width: 1, cell: 160, gap: GAP, header: 0 });
  scale = new ScrollScale(0, 1);
  /** @type {Map<number, Cell>} */
  cells = new Map();
  /** @type {Cell[]} */
  pool = [];
  top = 0;
  bar = 0;
  index = -1;
  settle = 0;
  uid = `grid${grids += 1}`;
  stop = new AbortController();

  /** Creates the elements; the name is for screen readers. @param {string} label */
  build(label) {
    this.spacer = h("div", { class: "grid-spacer" });
    this.headers = h("div", { class: "grid-headers" });
    this.list = h("div", {
      class: "grid-list", role: "listbox", tabIndex: 0, "aria-label": label,
      "aria-multiselectable": "true",
    });
    this.scroller = h("div", { class: "grid-scroller" }, this.spacer, this.headers, this.list);
    this.scroller.addEventListener("scroll", () => this.update());
    this.scroller.addEventListener("wheel", (event) => {
      if (!this.scale.scaled || event.ctrlKey) return;
      event.preventDefault();
      this.scrollTo({ top: this.top + event.deltaY * (event.deltaMode === 1 ? 40 : 1) });
    }, { passive: false });
    new ResizeObserver(() => this.relayout()).observe(this.scroller);
    const { signal } = this.stop;
    on("rows", ({ ids }) => this.repaint(new Set(ids)), { signal });
    on("selection", () => this.repaint(null), { signal });
    on("thumb", ({ id }) => {
      for (const cell of this.cells.values()) if (cell.id === id) paintThumb(cell);
    }, { signal });
    return this.scroller;
  }

  /** @param {RowPages} pages */
  setPages(pages) {
    this.pages = pages;
    thumbs.drop();
    for (const index of this.cells.keys()) this.release(index);
    this.top = 0;
    this.index = -1;
    this.relayout();
  }

  /** Computes the places again, with the same photo at the top. */
  relayout() {
    const { scroller, spacer, list } = this;
    if (!scroller || !spacer || !list || scroller.clientWidth === 0) return;
    const first = this.layout.count > 0 ? this.layout.indexAt(0, this.top) : 0;
    const rest = this.layout.count > 0 ? this.top - this.layout.positionOf(first).y : 0;
    this.layout = new GridLayout({
      count: this.pages.count, groups: this.pages.set.groups, width: scroller.clientWidth - 2 * GAP,
      cell: this.cellSize, gap: GAP, header: HEADER,
    });
    this.scale = new ScrollScale(this.layout.height, scroller.clientHeight);
    spacer.style.height = `${this.scale.barHeight}px`;
    list.style.setProperty("--side", `${this.layout.side}px`);
    for (const index of [...this.cells.keys()]) this.release(index);
    const at = this.top > 0 && first < this.layout.count ? this.layout.positionOf(first).y + rest : 0;
    this.scrollTo({ top: at });
  }

  /** Scrolls to a position in the grid. @param {any} options `{top}` */
  scrollTo({ top }) {
    if (!this.scroller) return;
    this.top = Math.max(0, Math.min(top, this.layout.height - this.scale.viewport));
    this.bar = this.scale.toBar(this.top);
    this.scroller.scrollTop = this.bar;
    this.update(true);
  }

  /** Places the cells of the visible part. @param {boolean} [own] the scroll bar follows `top` */
  update(own = false) {
    const { scroller } = this;
    if (!scroller || scroller.clientHeight === 0) return;
    const before = this.top;
    const bar = scroller.scrollTop;
    if (!own && Math.abs(bar - this.bar) > 1) this.top = this.scale.toGrid(bar);
    if (!this.scale.scaled) this.top = bar;
    this.bar = bar;
    const view = scroller.clientHeight;
    const shift = this.scale.scaled ? bar - this.top : 0;
    const { from, to } = this.layout.range(this.top - OVERSCAN * view,
      this.top + (1 + OVERSCAN) * view);
    for (const index of this.cells.keys()) {
      if (index < from || index >= to) this.release(index);
    }
    for (let index = from; index < to; index += 1) this.place(index, shift);
    this.placeHeaders(shift, view);
    this.fetch(this.top - before, view);
  }

  /** @param {number} index @param {number} shift */
  place(index, shift) {
    let cell = this.cells.get(index);
    const fresh = !cell;
    if (!cell) {
      cell = this.pool.pop() ?? createCell();
      this.cells.set(index, cell);
      cell.element.id = `${this.uid}-${index}`;
      cell.element.dataset.index = String(index);
      cell.element.setAttribute("aria-posinset", String(index + 1));
      cell.element.setAttribute("aria-setsize", String(this.layout.count));
      paintCell(cell, this.pages.at(index), this.isSelected(index), index === this.index);
      if (!cell.element.isConnected) this.list?.append(cell.element);
      cell.element.hidden = false;
    }
    if (!fresh && !this.scale.scaled) return;
    const { x, y } = this.layout.positionOf(index);
    cell.element.style.transform = `translate(${x + GAP}px, ${y + shift}px)`;
  }

  /** @param {number} index */
  release(index) {
    const cell = this.cells.get(index);
    if (!cell) return;
    this.cells.delete(index);
    cell.element.hidden = true;
    cell.element.removeAttribute("id");
    this.pool.push(cell);
  }

  /** @param {number} shift @param {number} view */
  placeHeaders(shift, view) {
    if (!this.headers) return;
    const sections = this.layout.headers(this.top - view, this.top + 2 * view);
    clear(this.headers).append(...sections.map(({ group, top }) => h("div", {
      class: "grid-header", style: { transform: `translateY(${top + shift}px)` },
    }, h("strong", null, group.name || t("grid.noGroup")), " ",
    h("span", { class: "quiet" }, plural("grid.photos", group.count)))));
  }

  /** Has rows and pictures loaded. @param {number} step @param {number} view */
  fetch(step, view) {
    clearTimeout(this.settle);
    const down = step >= 0;
    const seen = this.layout.range(this.top, this.top + view);
    if (Math.abs(step) > FLING * view) {
      this.pages.need(seen.from, seen.to);
      this.settle = window.setTimeout(() => this.fetch(0, view), SETTLE);
      return;
    }
    const ahead = this.layout.range(this.top - (down ? 0.5 : AHEAD) * view,
      this.top + (1 + (down ? AHEAD : 0.5)) * view);
    this.pages.need(ahead.from, ahead.to);
    /** @param {number} from @param {number} to */
    const ids = (from, to) => {
      const list = [];
      for (let index = from; index < to; index += 1) {
        const id = this.pages.idAt(index);
        if (id) list.push(id);
      }
      return list;
    };
    thumbs.want(down ? ids(seen.to, ahead.to) : ids(ahead.from, seen.from).reverse());
    thumbs.want(ids(seen.from, seen.to), { urgent: true });
    this.settle = window.setTimeout(() => this.settled(seen.from), 300);
  }

  /** Called when scrolling has ended. @param {number} _first */
  settled(_first) {}

  /** @param {Set<string>|null} ids null: all */
  repaint(ids) {
    let loaded = false;
    for (const [index, cell] of this.cells) {
      const row = this.pages.at(index);
      if (ids && !(row && ids.has(row.id))) continue;
      if (row && cell.id !== row.id) loaded = true;
      paintCell(cell, row, this.isSelected(index), index === this.index);
    }
    if (loaded && this.scroller) this.fetch(0, this.scroller.clientHeight);
  }

  /** @param {number} index */
  isSelected(index) {
    const id = this.pages.idAt(index);
    return id !== null && selection.has(id);
  }

  /** Moves the focus to a photo and scrolls as little as needed. @param {number} index */
  focusIndex(index) {
    if (!this.list || this.layout.count === 0) return;
    const next = Math.max(0, Math.min(index, this.layout.count - 1));
    const old = this.cells.get(this.index);
    const changed = next !== this.index;
    this.index = next;
    if (old && changed) old.element.classList.remove("focused");
    const { y } = this.layout.positionOf(next);
    const view = this.scale.viewport;
    const head = this.layout.header;
    if (y - head < this.top) this.scrollTo({ top: y - head });
    else if (y + this.layout.row > this.top + view) this.scrollTo({ top: y + this.layout.row - view });
    this.cells.get(next)?.element.classList.add("focused");
    this.list.setAttribute("aria-activedescendant", `${this.uid}-${next}`);
    this.pages.load(next).then((row) => {
      if (row && this.index === next) this.focused(row.id);
    }).catch(() => {});
    if (!this.list.matches(":focus")) this.list.focus({ preventScroll: true });
  }

  /** @param {string} id */
  focused(id) {
    store.update({ focus: id });
  }

  /** @param {number} index */
  open(index) {
    const id = this.pages.idAt(index);
    if (id) emit("open-photo", { id, from: this.localName });
  }

  /** @param {EventTarget|null} target */
  indexOfTarget(target) {
    const cell = target instanceof Element ? target.closest("[data-index]") : null;
    return cell instanceof HTMLElement ? Number(cell.dataset.index) : -1;
  }
}

/** The view of the current set. */
export class CairnGrid extends PhotoGrid {
  anchor = 0;
  query = "";
  /** @type {number|null} */
  wanted = null;

  connectedCallback() {
    if (this.list) return;
    this.cellSize = setting("cell", 160);
    const scroller = this.build(t("grid.name"));
    this.empty = h("p", { class: "grid-empty", hidden: true });
    this.slider = h("input", {
      type: "range", min: "80", max: "320", step: "8", value: String(this.cellSize),
      "aria-label": t("grid.size"), oninput: () => this.resize(Number(this.slider?.value)),
    });
    this.append(h("div", { class: "grid-tools" }, this.slider, h("button", {
      type: "button", onclick: () => selection.everything(),
    }, t("grid.all")), h("button", { type: "button", onclick: () => selection.clear() },
      t("grid.none"))), this.empty, scroller, h("cairn-label-bar"));
    selectWithPointer(/** @type {HTMLElement} */ (this.list), {
      indexAt: (target) => this.indexOfTarget(target), idAt: (index) => this.pages.idAt(index),
      focus: (index) => { this.focusIndex(index); this.anchor = index; },
      open: (index) => this.open(index), anchor: () => this.anchor,
    });
    this.addEventListener("advance", () => this.focusIndex(this.index + 1));
    on("store", ({ changed }) => { if (changed.includes("set")) this.opened(); });
    selectWithKeys(this);
    if (store.set) this.opened();
  }

  /** @param {Record<string, string>} params */
  show(params) {
    const index = params.i === undefined ? NaN : Number(params.i);
    if (Number.isInteger(index) && this.index < 0) this.wanted = index;
    const at = store.focus ? rows.indexOf(store.focus) : -1;
    requestAnimationFrame(() => {
      this.relayout();
      if (this.pages === rows && at >= 0) this.focusIndex(at);
      else this.restore();
    });
  }

  hide() { clearTimeout(this.settle); }

  /** Shows another set; the same query again keeps the place. */
  async opened() {
    const same = store.set?.query === this.query && this.index >= 0;
    const keep = same ? store.focus : null;
    this.query = store.set?.query ?? "";
    this.setPages(rows);
    this.list?.removeAttribute("aria-activedescendant");
    if (this.empty) {
      this.empty.hidden = rows.count > 0;
      this.empty.textContent = t(this.query ? "grid.empty" : "grid.emptyDataset");
    }
    announce(plural("grid.photos", rows.count));
    if (keep) {
      const index = await rows.find(keep);
      if (index >= 0) this.focusIndex(index);
    } else {
      this.restore();
    }
  }

  restore() {
    if (this.wanted === null || !this.pages.count || !this.scroller?.clientHeight) return;
    const index = this.wanted;
    this.wanted = null;
    this.focusIndex(index);
  }

  /** @param {number} first */
  settled(first) {
    const { view, params } = current();
    const i = this.index >= 0 && this.cells.has(this.index) ? this.index : first;
    if (view === "grid") navigate(view, { ...params, i: i > 0 ? i : null }, { silent: true });
  }

  /** @param {number} size */
  resize(size) {
    this.cellSize = Math.max(80, Math.min(320, size));
    if (this.slider) this.slider.value = String(this.cellSize);
    saveSetting("cell", this.cellSize);
    this.relayout();
  }
}

/** `<cairn-mini-grid set="s17">`: a small grid of any set. `count` saves a request. */
export class MiniGrid extends PhotoGrid {
  static observedAttributes = ["set"];

  connectedCallback() {
    if (this.list) return;
    this.cellSize = 96;
    this.append(this.build(this.getAttribute("label") ?? t("grid.name")));
    this.list?.addEventListener("click", (event) => this.open(this.indexOfTarget(event.target)));
    this.list?.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.layout.columns,
        ArrowDown: this.layout.columns }[event.key];
      if (step) this.focusIndex(this.index < 0 ? 0 : this.index + step);
      else if (event.key === "Enter") this.open(this.index);
      else return;
      event.preventDefault();
    });
    this.attributeChangedCallback();
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.stop.abort();
      if (this.pages !== rows) this.pages.close();
    });
  }

  async attributeChangedCallback() {
    const set = this.getAttribute("set") ?? "";
    if (!this.list || set === this.pages.set.set) return;
    const known = Number(this.getAttribute("count") ?? NaN);
    const count = Number.isInteger(known) || !set ? known || 0
      : (await api.get(`/api/sets/${set}/changes`)).count;
    if (this.pages !== rows) this.pages.close();
    this.setPages(new RowPages({ set, query: "", sort: "id", descending: false, group: "none", count }));
  }

  /** The focus of a small grid is its own. @param {string} _id */
  focused(_id) {}
}

customElements.define("cairn-grid", CairnGrid);
customElements.define("cairn-mini-grid", MiniGrid);
