// @ts-check
/** @file `<cairn-mini-grid set="s17">`: a small grid of any set. */

import { t } from "../strings/strings.js";
import { PhotoGrid } from "./photo-grid.js";
import { NO_SET, RowPages, rows } from "../data/rows.js";
import { findSet } from "../data/sets.js";

/** @typedef {import("../data/types.js").SetInfo} SetInfo */

export class MiniGrid extends PhotoGrid {
  static observedAttributes = ["set"];

  connectedCallback() {
    if (this.list) return;
    this.cellSize = 96;
    this.append(this.build(this.getAttribute("label") ?? t("grid.name")));
    const list = /** @type {HTMLElement} */ (/** @type {unknown} */ (this.list));
    list.addEventListener("click", (event) => this.open(this.indexOfTarget(event.target)));
    list.addEventListener("keydown", (event) => this.key(event));
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
    await this.showSet(set ? await findSet(set) : NO_SET);
  }

  /** @param {SetInfo} set */
  async showSet(set) {
    if (set.set !== (this.getAttribute("set") ?? "")) return;
    if (this.pages !== rows) this.pages.close();
    this.setPages(new RowPages(set));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { columns } = this.layout;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[event.key];
    if (step) this.focusIndex(this.index < 0 ? 0 : this.index + step);
    else if (event.key === "Enter") this.open(this.index);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** A small grid shows no selection: it may be of another set. */
  isSelected() { return false; }

  /** The focus of a small grid is its own. */
  focused() {}
  async focusing() {}
}

customElements.define("cairn-mini-grid", MiniGrid);
