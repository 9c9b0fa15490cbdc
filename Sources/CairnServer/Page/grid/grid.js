// @ts-check
/** @file `<cairn-grid>`: the view of the current set, with its size and the bar of labels. */

import { announce, clear, h, icon, saveSetting, setting } from "../common/dom.js";
import { PhotoGrid } from "./photo-grid.js";
import { resizeWithPinch } from "./pinch.js";
import { current, hashOf, navigate } from "../shell/router.js";
import { rows } from "../data/rows.js";
import { identity } from "../data/sets.js";
import { selection, selectWithKeys, selectWithPointer } from "../data/selection.js";
import { emit, on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";
import "../edits/label-bar.js";

export { MiniGrid } from "./mini-grid.js";

/** Sides of a cell in CSS pixels. */
const SMALLEST = 80;
const LARGEST = 320;

/** Three photos beside each other on a phone, larger ones on a large screen. */
function defaultSize() {
  if (window.innerWidth < 600) return 120;
  return window.innerWidth > 2200 ? 208 : 160;
}

export class CairnGrid extends PhotoGrid {
  /** Where a range begins. */
  anchor = 0;
  /** What is shown, as `identity` names it. */
  shown = "";
  /**
   * The photo of the address, until it is shown.
   * @type {number|null}
   */
  wanted = null;

  connectedCallback() {
    if (this.list) return;
    this.cellSize = setting("cell", defaultSize());
    this.slider = h("input", {
      type: "range", min: String(SMALLEST), max: String(LARGEST), step: "8",
      value: String(this.cellSize), "aria-label": t("grid.size"),
      oninput: () => this.resize(Number(this.slider?.value)),
    });
    const scroller = this.build(t("grid.name"));
    const list = /** @type {HTMLElement} */ (/** @type {unknown} */ (this.list));
    this.empty = h("p", { class: "grid-empty", hidden: true });
    this.append(h("div", { class: "grid-stage" }, scroller, this.empty),
      h("div", { class: "grid-side" }, h("cairn-label-bar"),
        h("div", { class: "grid-size" }, icon("small"), this.slider, icon("large"))));
    selectWithPointer(list, {
      indexAt: (target) => this.indexOfTarget(target), toggle: (index) => this.toggle(index),
      focus: (index) => this.focusIndex(index),
      open: (index) => this.open(index), anchor: () => this.anchor,
    });
    resizeWithPinch(scroller, {
      size: () => this.cellSize, resize: (size) => this.resize(size),
    });
    this.addEventListener("advance", () => this.focusIndex(this.index + 1));
    on("store", ({ changed }) => { if (changed.includes("set")) this.opened(); });
    selectWithKeys(this);
    if (store.set) this.opened();
  }

  /** @param {Record<string, string>} params */
  async show(params) {
    const index = params.i === undefined ? NaN : Number(params.i);
    if (Number.isInteger(index) && this.index < 0) this.wanted = index;
    const { focus } = store;
    const at = focus && this.pages === rows ? rows.indexOf(focus) : -1;
    this.relayout();
    if (at >= 0) return this.focusIndex(at);
    this.restore();
    if (focus) await this.showFocused(focus);
  }

  /**
   * Shows the photo that another view gave the focus. If it is not in the set, the photo that had the
   * focus here has it again: the keys label the one that is marked.
   * @param {string} id
   */
  async showFocused(id) {
    const { pages } = this;
    const found = await pages.find(id);
    if (store.focus !== id || this.pages !== pages || current().view !== "grid") return;
    if (found !== null && found >= 0) this.focusIndex(found);
    else if (this.index >= 0) this.focusIndex(this.index);
    else if (found !== null) store.update({ focus: null });
  }

  hide() { clearTimeout(this.settle); }

  /** Shows another set; the same query again keeps the place. */
  async opened() {
    const keep = identity(store.set) === this.shown && this.index >= 0 ? store.focus : null;
    this.shown = identity(store.set);
    this.setPages(rows);
    this.anchor = 0;
    if (this.empty) {
      this.empty.hidden = rows.count > 0;
      const isAll = this.shown === identity(null);
      const add = store.session?.readOnly ? ""
        : h("a", { class: "button primary", href: hashOf("add") }, t("add.title"));
      clear(this.empty).append(h("span", null, t(isAll ? "grid.emptyDataset" : "grid.empty")),
        isAll ? add : h("button", {
          type: "button", onclick: () => emit("query", { text: "" }),
        }, t("grid.showAll")));
    }
    announce(plural("grid.photos", rows.count));
    const index = keep ? await rows.find(keep) ?? -1 : -1;
    if (index >= 0 && this.pages === rows) this.focusIndex(index);
    else this.restore();
  }

  restore() {
    if (this.wanted === null || !this.pages.count || !this.scroller?.clientHeight) return;
    const index = this.wanted;
    this.wanted = null;
    this.focusIndex(index);
  }

  /** @param {{from: number, to: number}} seen */
  settled({ from, to }) {
    const { view, params } = current();
    const i = this.index >= from && this.index < to ? this.index : from;
    if (view === "grid") navigate(view, { ...params, i: i > 0 ? i : null }, { silent: true });
  }

  /**
   * Moves the focus to a photo.
   * @param {number} index
   * @param {{extends?: boolean}} [options] `extends`: a range ends here; otherwise it begins here
   */
  focusIndex(index, options = {}) {
    super.focusIndex(index);
    if (!options.extends) this.anchor = this.index;
  }

  /**
   * Selects or deselects a photo, as soon as its row has loaded.
   * @param {number} index
   */
  toggle(index) {
    const { pages } = this;
    const id = pages.idAt(index);
    if (id) return selection.toggle(id);
    pages.load(index).then((row) => {
      if (row && pages === this.pages) selection.toggle(row.id);
    }).catch(() => {});
  }

  /** @param {number} size */
  resize(size) {
    this.cellSize = Math.max(SMALLEST, Math.min(LARGEST, size));
    if (this.slider) this.slider.value = String(this.cellSize);
    saveSetting("cell", this.cellSize);
    this.relayout();
  }
}

customElements.define("cairn-grid", CairnGrid);
