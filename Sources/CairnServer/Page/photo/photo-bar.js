// @ts-check
/** @file The bar over a photo: its name, its place in the set, and commands. */

import { clear, h, icon } from "../common/dom.js";
import { count } from "../common/format.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Row} Row */

/**
 * @typedef {object} Commands
 * @property {() => void} back
 * @property {(step: number) => void} step
 * @property {() => void} toggleFavorite
 * @property {() => void} toggleRemoved
 * @property {(mode: "box"|"outline") => void} draw
 * @property {() => void} onMap
 * @property {() => void} toggleSide
 */

export class PhotoBar {
  #name = h("h2", { class: "photo-name" });
  #place = h("span", { class: "photo-place quiet" });

  /** @param {Commands} commands */
  constructor(commands) {
    this.favorite = button("star", "f", "photo.favorite", () => commands.toggleFavorite());
    this.remove = button("trash", "Delete", "photo.remove", () => commands.toggleRemoved());
    this.drawing = button("box", "b", "photo.draw", () => commands.draw("box"));
    this.outlining = button("outline", "o", "photo.drawOutline", () => commands.draw("outline"));
    this.info = button("info", "i", "photo.info", () => commands.toggleSide());
    this.back = button("grid", "Escape", "photo.back", () => commands.back());
    this.steps = [button("left", "p", "photo.previous", () => commands.step(-1)),
      button("right", "n", "photo.next", () => commands.step(1))];
    this.element = h("div", { class: "photo-bar", role: "group", "aria-label": t("photo.bar") },
      this.back, ...this.steps,
      h("div", { class: "photo-title" }, this.#name, this.#place),
      this.favorite, this.drawing, this.outlining, button("map", "m", "photo.onMap", () => commands.onMap()),
      this.remove, this.info);
  }

  /**
   * @param {Row} row
   * @param {{readOnly: boolean}} options
   */
  update(row, { readOnly }) {
    this.#name.textContent = row.name;
    this.favorite.setAttribute("aria-pressed", String(row.favorite));
    const remove = t(row.removed ? "photo.restore" : "photo.remove");
    this.remove.setAttribute("aria-label", remove);
    this.remove.title = `${remove} (Delete)`;
    for (const control of [this.favorite, this.remove, this.drawing, this.outlining]) control.disabled = readOnly;
  }

  /** @param {string} view that Back returns to */
  origin(view) {
    clear(this.back).append(icon(view));
  }

  /**
   * Shows the place in the set; -1 if the photo is not in it, and so has none before and after it.
   * @param {number} index
   * @param {number} total
   */
  place(index, total) {
    // A button that is disabled would lose the focus, also while the set is created again.
    for (const control of this.steps) control.setAttribute("aria-disabled", String(index < 0));
    this.#place.textContent = index < 0 ? ""
      : t("photo.place", { n: count(index + 1), count: count(total) });
  }
}

/**
 * @param {string} name
 * @param {string} key
 * @param {string} label
 * @param {() => void} onclick
 */
function button(name, key, label, onclick) {
  return h("button", {
    type: "button", class: "icon", "aria-label": t(label), title: `${t(label)} (${key})`,
    "aria-keyshortcuts": key, onclick,
  }, icon(name));
}
