// @ts-check
/** @file The photo with the focus, beside the similarity map. */

import { clear, h } from "../common/dom.js";
import { className } from "../common/format.js";
import { thumbs } from "../data/thumbs.js";
import { store } from "../data/store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Row} Row */

export class PointPanel {
  element = h("div", { class: "similarity-photo", hidden: true });
  /** @type {Row|null} */
  row = null;

  /** @param {() => void} open */
  constructor(open) {
    this.open = open;
  }

  /** @param {Row|null} row */
  show(row) {
    this.row = row;
    this.element.hidden = row === null;
    if (!row) return;
    thumbs.want([row.id]);
    this.paint();
  }

  /**
   * Shows what has changed.
   * @param {string} [id] of the only photo that may have
   */
  repaint(id) {
    if (!this.row || id && id !== this.row.id) return;
    this.row = store.rows.get(this.row.id) ?? this.row;
    this.paint();
  }

  /** The photo as text. */
  get text() {
    if (!this.row) return "";
    const { name, classes } = this.row;
    const known = classes.filter(({ state }) => state !== "rejected").map((one) => className(one.class));
    return known.length > 0 ? `${name}: ${known.join(", ")}` : name;
  }

  paint() {
    if (!this.row) return;
    const url = thumbs.url(this.row.id);
    clear(this.element).append(h("button", {
      type: "button", title: t("similarity.open"), onclick: () => this.open(),
    }, h("img", { alt: "", ...(url ? { src: url } : {}) }), h("span", null, this.text)));
  }
}
