// @ts-check
/** @file What all grids of photos share. Only cells in and near the visible part exist. */

import { createCell, paintCell, paintThumb } from "./cell.js";
import { h } from "../common/dom.js";
import { GridLayout, ScrollScale } from "./grid-layout.js";
import { GroupHeaders } from "./group-headers.js";
import { rows } from "../data/rows.js";
import { selection } from "../data/selection.js";
import { emit, on, store } from "../data/store.js";
import { thumbs } from "../data/thumbs.js";

/** @typedef {import("./cell.js").Cell} Cell */
/** @typedef {import("../data/rows.js").RowPages} RowPages */

/** Lengths in CSS pixels. */
const GAP = 4;
const HEADER = 44;
/** A cell narrower than this has marks instead of texts. */
const SMALL = 112;
/** Screens above and below the visible one whose cells exist. */
const OVERSCAN = 0.75;
/** Screens, and photos at most, whose pictures are fetched before they are visible. */
const AHEAD = 2.5;
const MOST_AHEAD = 800;
/** Screens in one step from which on pictures wait until scrolling has settled, in milliseconds. */
const FLING = 2.5;
const SETTLE = 60;
const SETTLED = 300;
let grids = 0;

export class PhotoGrid extends HTMLElement {
  cellSize = 160;
  /** @type {RowPages} */
  pages = rows;
  layout = new GridLayout({ count: 0, width: 1, cell: 160, gap: GAP, header: 0 });
  scale = new ScrollScale(0, 1);
  /**
   * Cells by index.
   * @type {Map<number, Cell>}
   */
  cells = new Map();
  /** @type {Cell[]} */
  pool = [];
  headers = new GroupHeaders();
  /** Position in the grid, and of the scroll bar. */
  top = 0;
  bar = 0;
  /** The photo with the keyboard focus, -1: none. */
  index = -1;
  settle = 0;
  uid = `grid${grids += 1}`;
  stop = new AbortController();

  /**
   * Creates the elements.
   * @param {string} label the name for screen readers
   */
  build(label) {
    this.spacer = h("div", { class: "grid-spacer" });
    this.list = h("div", {
      class: "grid-list", role: "listbox", tabIndex: 0, "aria-label": label,
      "aria-multiselectable": "true",
    });
    this.list.addEventListener("focus", () => {
      if (this.index < 0 && this.layout.count > 0) this.focusIndex(this.layout.indexAt(0, this.top));
    });
    this.scroller = h("div", { class: "grid-scroller", tabIndex: -1 },
      this.spacer, this.list, this.headers.element);
    this.scroller.addEventListener("scroll", () => this.update());
    this.scroller.addEventListener("wheel", (event) => {
      if (!this.scale.scaled || event.ctrlKey) return;
      event.preventDefault();
      this.scrollToPlace(this.top + event.deltaY * (event.deltaMode === 1 ? 40 : 1));
    }, { passive: false });
    new ResizeObserver(() => this.relayout()).observe(this.scroller);
    const { signal } = this.stop;
    on("rows", ({ ids }) => this.repaint(new Set(ids)), { signal });
    on("selection", () => this.repaint(null), { signal });
    on("thumb", ({ id }) => {
      const cell = this.cells.get(this.pages.indexOf(id));
      if (cell && cell.id === id) paintThumb(cell);
    }, { signal });
    on("store", ({ changed }) => { if (changed.includes("classes")) this.repaint(null); },
      { signal });
    // What could not be read while the server did not answer.
    on("connection", ({ online }) => { if (online) this.fetchSeen(); }, { signal });
    return this.scroller;
  }

  /** @param {RowPages} pages */
  setPages(pages) {
    this.pages = pages;
    thumbs.drop();
    this.releaseAll();
    this.top = 0;
    this.index = -1;
    this.list?.removeAttribute("aria-activedescendant");
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
    list.classList.toggle("small", this.layout.side < SMALL);
    this.releaseAll();
    const keep = this.top > 0 && first < this.layout.count;
    this.scrollToPlace(keep ? this.layout.positionOf(first).y + rest : 0);
  }

  /**
   * Scrolls to a position in the grid.
   * @param {number} top
   */
  scrollToPlace(top) {
    if (!this.scroller) return;
    this.top = Math.max(0, Math.min(top, this.layout.height - this.scale.viewport));
    this.bar = this.scale.toBar(this.top);
    this.scroller.scrollTop = this.bar;
    this.update(true);
  }

  /**
   * Places the cells in and near the visible part.
   * @param {boolean} [own] the scroll bar follows `top`
   */
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
      // The photo with the focus stays: `aria-activedescendant` names it.
      if ((index < from || index >= to) && index !== this.index) this.release(index);
    }
    for (let index = from; index < to; index += 1) this.place(index, shift);
    if (this.index >= 0 && this.index < this.layout.count) this.place(this.index, shift);
    this.headers.place(this.layout, {
      top: this.top - view, bottom: this.top + 2 * view, shift, moves: this.scale.scaled,
      group: this.pages.set.group,
    });
    this.fetch(this.top - before, view);
  }

  /**
   * @param {number} index
   * @param {number} shift
   */
  place(index, shift) {
    let cell = this.cells.get(index);
    if (cell && !this.scale.scaled) return;
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

  /** Releases all cells so that each is at the same place when they are used again: its picture stays. */
  releaseAll() {
    for (const index of [...this.cells.keys()].sort((a, b) => b - a)) this.release(index);
    this.headers.clear();
  }

  /**
   * Has rows and pictures loaded.
   * @param {number} step pixels since the last time
   * @param {number} view
   */
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
    const below = this.idsOf(seen.to, Math.min(ahead.to, seen.to + MOST_AHEAD));
    const above = this.idsOf(Math.max(ahead.from, seen.from - MOST_AHEAD), seen.from).reverse();
    // What was asked for last comes first.
    thumbs.want(down ? above : below);
    thumbs.want(down ? below : above);
    thumbs.want(this.idsOf(seen.from, seen.to), { urgent: true });
    this.settle = window.setTimeout(() => this.settled(seen), SETTLED);
  }

  /**
   * Returns the ids of the loaded rows of `from..<to`.
   * @param {number} from
   * @param {number} to
   */
  idsOf(from, to) {
    const ids = [];
    for (let index = from; index < to; index += 1) {
      const id = this.pages.idAt(index);
      if (id) ids.push(id);
    }
    return ids;
  }

  /**
   * Called when scrolling has ended.
   * @param {{from: number, to: number}} _seen the visible photos
   */
  settled(_seen) {}

  /** @param {Set<string>|null} ids null: all */
  repaint(ids) {
    let wants = false;
    for (const [index, cell] of this.cells) {
      const row = this.pages.at(index);
      // A row that was loaded needs its picture; one that is missing is read again.
      if (cell.id !== row?.id) wants = true;
      if (ids && !(row && ids.has(row.id))) continue;
      paintCell(cell, row, this.isSelected(index), index === this.index);
    }
    if (wants) this.fetchSeen();
  }

  /** Has rows and pictures loaded that are missing, if the grid is visible. */
  fetchSeen() {
    if (this.scroller?.clientHeight) this.fetch(0, this.scroller.clientHeight);
  }

  /** @param {number} index */
  isSelected(index) {
    const id = this.pages.idAt(index);
    return id !== null && selection.has(id);
  }

  /**
   * Moves the focus to a photo and scrolls as little as needed.
   * @param {number} index
   */
  focusIndex(index) {
    if (!this.list || this.layout.count === 0) return;
    const next = Math.max(0, Math.min(index, this.layout.count - 1));
    this.cells.get(this.index)?.element.classList.remove("focused");
    this.index = next;
    const { y } = this.layout.positionOf(next);
    const { row, header } = this.layout;
    const view = this.scale.viewport;
    if (y - header < this.top) this.scrollToPlace(y - header);
    else if (y + row > this.top + view) this.scrollToPlace(y + row - view);
    else this.place(next, this.scale.scaled ? this.bar - this.top : 0);
    this.cells.get(next)?.element.classList.add("focused");
    this.list.setAttribute("aria-activedescendant", `${this.uid}-${next}`);
    const id = this.pages.idAt(next);
    if (id) this.focused(id);
    else this.focusing(next, this.pages.load(next).then((row) => row?.id ?? null, () => null));
    if (!this.list.matches(":focus")) this.list.focus({ preventScroll: true });
  }

  /** @param {string} id */
  focused(id) {
    store.update({ focus: id });
  }

  /**
   * Called when the photo with the focus is not loaded yet.
   * @param {number} index
   * @param {Promise<string|null>} loaded its id; null if it could not be read
   */
  async focusing(index, loaded) {
    selection.focusing(loaded);
    const id = await loaded;
    if (id && this.index === index) this.focused(id);
  }

  /** @param {number} index */
  open(index) {
    const id = this.pages.idAt(index);
    if (id) emit("open-photo", { id, list: this.pages === rows ? undefined : this.pages });
  }

  /** @param {EventTarget|null} target */
  indexOfTarget(target) {
    const cell = target instanceof Element ? target.closest("[data-index]") : null;
    return cell instanceof HTMLElement ? Number(cell.dataset.index) : -1;
  }
}
