// @ts-check
/** @file The headers of a grid's groups; the browser keeps the one of the visible group on top. */

import { clear, h } from "../common/dom.js";
import { day } from "../common/format.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("./grid-layout.js").GridLayout} GridLayout */
/** @typedef {import("./grid-layout.js").Section} Section */

export class GroupHeaders {
  element = h("div", { class: "grid-headers" });
  /**
   * Sections by the index of their first photo.
   * @type {Map<number, HTMLElement>}
   */
  sections = new Map();

  /** Removes all, for another layout. */
  clear() {
    clear(this.element);
    this.sections.clear();
  }

  /**
   * Places the headers of the sections that touch `top..<bottom` of the grid.
   * @param {GridLayout} layout
   * @param {{top: number, bottom: number, shift: number, moves: boolean, group: string}} options
   *   `shift`: from the grid to the element; `moves`: whether it changes while scrolling
   */
  place(layout, { top, bottom, shift, moves, group }) {
    const shown = layout.headers(top, bottom);
    const starts = new Set(shown.map((section) => section.group.start));
    for (const [start, element] of this.sections) {
      if (starts.has(start)) continue;
      element.remove();
      this.sections.delete(start);
    }
    for (const section of shown) {
      const known = this.sections.get(section.group.start);
      if (known && !moves) continue;
      const element = known ?? this.create(section, group);
      element.style.transform = `translateY(${section.top + shift}px)`;
    }
  }

  /**
   * @param {Section} section
   * @param {string} by
   */
  create({ group, top, bottom }, by) {
    const name = by === "day" && group.key ? day(group.key) : group.name;
    const element = h("div", { class: "grid-section", style: { height: `${bottom - top}px` } },
      h("h2", { class: "grid-header" }, h("span", null, name || t("grid.noGroup")),
        h("span", { class: "quiet" }, plural("grid.photos", group.count))));
    this.sections.set(group.start, element);
    this.element.append(element);
    return element;
  }
}
