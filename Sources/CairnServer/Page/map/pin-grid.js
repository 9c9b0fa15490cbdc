// @ts-check
/**
 * @file `<cairn-pin-grid set="s17">`: the photos beside the map. A tap opens a photo; Ctrl-click,
 * a long press, `x`, or any tap while `choosing` selects it.
 */

import { MiniGrid } from "../grid/mini-grid.js";
import { selection } from "../data/selection.js";

const LONG_PRESS = 450;

export class PinGrid extends MiniGrid {
  choosing = false;
  /** @type {Set<string>} the selected photos of the set */
  chosen = new Set();

  connectedCallback() {
    const first = !this.list;
    super.connectedCallback();
    if (!first || !this.list) return;
    let timer = 0;
    let pressed = false;
    this.list.addEventListener("click", (event) => {
      // The click that ends a long press must not open the photo.
      if (pressed) return event.stopImmediatePropagation();
      if (!this.choosing && !event.ctrlKey && !event.metaKey && !event.shiftKey) return;
      event.stopImmediatePropagation();
      this.toggle(this.indexOfTarget(event.target));
    }, { capture: true });
    this.list.addEventListener("pointerdown", (event) => {
      pressed = false;
      const index = this.indexOfTarget(event.target);
      if (event.pointerType === "mouse" || index < 0) return;
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        pressed = true;
        this.toggle(index);
      }, LONG_PRESS);
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
      this.list.addEventListener(name, () => clearTimeout(timer));
    }
    this.scroller?.addEventListener("scroll", () => clearTimeout(timer));
  }

  /**
   * Selects or deselects a photo, as soon as its row has loaded.
   * @param {number} index
   */
  async toggle(index) {
    const { pages } = this;
    const id = pages.idAt(index) ?? (await pages.load(index).catch(() => null))?.id;
    if (!id) return;
    const { all } = selection;
    // A photo that does not match cannot be one of “all that match”.
    if (all && !all.except.has(id) && !this.chosen.has(id)) selection.only([id]);
    else selection.toggle(id);
    if (pages === this.pages) this.focusIndex(index);
  }

  /** @param {string[]} ids the selected photos of the set */
  choose(ids) {
    this.chosen = new Set(ids);
    this.choosing = ids.length > 0;
    this.repaint(null);
  }

  /** Returns the id of the photo with the keyboard focus, or null. */
  focusedID() {
    return this.list?.matches(":focus") ? this.pages.idAt(this.index) : null;
  }

  /**
   * Shows the set as it is now: the place and the photo with the focus stay.
   * @param {import("../data/types.js").SetInfo} set
   */
  async showSet(set) {
    const { top } = this;
    /** @type {number} */
    const index = this.index;
    const id = this.pages.idAt(index);
    await super.showSet(set);
    const { pages } = this;
    this.scrollToPlace(top);
    const found = id ? await pages.find(id) ?? -1 : -1;
    // Meanwhile another photo may have got the focus.
    if (index < 0 || this.index >= 0 || pages !== this.pages || pages.count === 0) return;
    const next = found < 0 ? Math.min(index, pages.count - 1) : found;
    if (this.list?.matches(":focus")) return this.focusIndex(next);
    this.index = next;
    this.update(true);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "x" && event.key !== " ") return super.key(event);
    this.toggle(this.index);
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Photos are selected here and in the large grid alike.
   * @param {number} [index]
   * @returns {boolean}
   */
  isSelected(index = -1) {
    const id = this.pages.idAt(index);
    return id !== null && selection.has(id) && (!selection.all || this.chosen.has(id));
  }
}

customElements.define("cairn-pin-grid", PinGrid);
