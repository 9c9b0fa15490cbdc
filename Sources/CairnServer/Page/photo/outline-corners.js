// @ts-check
/**
 * @file The corners of the selected outline: dots that the pointer takes, and one of them for the
 * keyboard. An outline can have thousands, so only that one is an element.
 */

import { drawing, outlineShape } from "./box-element.js";
import {
  cornerAt, cornerCount, dotPath, insertCorner, moveCorner, nearestCorner, outlinePath, removeCorner, UNITS, WHOLE,
} from "./outline-geometry.js";
import { REACH } from "./box-pointer.js";
import { announce, h } from "../common/dom.js";
import { count, percent } from "../common/format.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./boxes.js").Boxes} Boxes */
/** @typedef {import("./box-geometry.js").Point} Point */
/** @typedef {import("./outline-geometry.js").Polygons} Polygons */

export class OutlineCorners {
  /** @type {string|null} the label of the outline whose corners are shown */
  label = null;
  /** The corner that the keys move. */
  #corner = 0;
  #dots = drawing("corner-dots", ["side-reach", "dot-reach", "dot-edge", "dot"], UNITS);
  /** The chosen corner. */
  element = h("div", { class: "corner", tabIndex: 0, role: "button" });

  /** @param {Boxes} boxes */
  constructor(boxes) {
    this.boxes = boxes;
  }

  /** @param {EventTarget|null} target */
  contains(target) {
    return target instanceof Node && (this.#dots.contains(target) || this.element.contains(target));
  }

  get focused() { return document.activeElement === this.element; }

  /**
   * Shows the corners of an outline, after its box.
   * @param {string} label
   * @param {HTMLElement} box
   */
  show(label, box) {
    if (this.label !== label) this.#corner = 0;
    this.label = label;
    if (box.nextSibling !== this.element) box.after(this.element);
    if (this.boxes.lastElementChild !== this.#dots) this.boxes.append(this.#dots);
    this.paint();
  }

  hide() {
    this.label = null;
    this.element.remove();
    this.#dots.remove();
  }

  /** Shows where the corners are by now. */
  paint() {
    const polygons = this.#polygons();
    if (!polygons) return;
    const total = cornerCount(polygons);
    this.#corner = Math.min(this.#corner, total - 1);
    const [sides, ...dots] = this.#dots.children;
    sides.setAttribute("d", polygons.map((rings) => outlinePath(rings, WHOLE)).join(""));
    const path = polygons.flat().map(dotPath).join("");
    for (const dot of dots) dot.setAttribute("d", path);
    const point = cornerAt(polygons, this.#corner);
    if (!point) return;
    this.element.style.left = `${point.x * 100}%`;
    this.element.style.top = `${point.y * 100}%`;
    this.element.setAttribute("aria-label", t("boxes.corner", {
      n: count(this.#corner + 1), count: count(total), x: percent(point.x), y: percent(point.y),
    }));
  }

  #polygons() {
    return this.label === null ? null : this.boxes.shapeOf(this.label)?.polygons ?? null;
  }

  /**
   * Returns the corner that the pointer takes at a point; null if there is none.
   * @param {Polygons} polygons
   * @param {Point} point
   */
  at(polygons, point) {
    return nearestCorner(polygons, point, this.boxes.size, REACH);
  }

  /**
   * Gives the keys to a corner.
   * @param {number} corner
   */
  choose(corner) {
    this.#corner = corner;
    this.paint();
    this.element.focus({ preventScroll: true });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Point|null} move the fractions that an arrow key moves
   * @returns {boolean} whether the key did something
   */
  press(event, move) {
    const polygons = this.#polygons();
    const point = polygons && cornerAt(polygons, this.#corner);
    if (!polygons || !point || this.label === null) return false;
    if (move) {
      this.#change(moveCorner(polygons, this.#corner, { x: point.x + move.x, y: point.y + move.y }));
      return true;
    }
    const total = cornerCount(polygons);
    switch (event.key) {
      case "PageDown": return this.#step(this.#corner + 1, total);
      case "PageUp": return this.#step(this.#corner - 1, total);
      case "Home": return this.#step(0, total);
      case "End": return this.#step(total - 1, total);
      case "Enter": {
        const more = insertCorner(polygons, this.#corner);
        this.#corner += 1;
        this.#change(more);
        return true;
      }
      case "Delete": case "Backspace": {
        const fewer = removeCorner(polygons, this.#corner);
        if (fewer) this.#change(fewer);
        else this.boxes.send("refused", { reason: "few" });
        return true;
      }
      case "Escape":
        if (!this.boxes.discard()) this.boxes.select(this.label);
        return true;
      default: return false;
    }
  }

  /** @param {number} corner @param {number} total */
  #step(corner, total) {
    this.#corner = (corner + total) % total;
    this.paint();
    announce(this.element.getAttribute("aria-label") ?? "");
    return true;
  }

  /** @param {Polygons} polygons */
  #change(polygons) {
    if (this.label === null) return;
    this.boxes.change(this.label, outlineShape(polygons));
    this.boxes.saveSoon(this.element);
  }
}
