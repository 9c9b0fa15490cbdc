// @ts-check
/** @file Draws a new outline, corner by corner, by pointer or keyboard. */

import { drawing } from "./box-element.js";
import { dotPath, ringOf, UNITS } from "./outline-geometry.js";
import { REACH, SLOP } from "./box-pointer.js";
import { announce, h } from "../common/dom.js";
import { count, percent } from "../common/format.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./boxes.js").Boxes} Boxes */
/** @typedef {import("./box-geometry.js").Point} Point */

/** @param {Point[]} points */
function path(points) {
  return points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x * UNITS} ${y * UNITS}`).join("");
}

export class OutlineDrawing {
  /** @type {Point[]} */
  points = [];
  /** @type {Point} where the next corner would be */
  #at = { x: 0.5, y: 0.5 };
  #pointer = -1;
  #active = false;
  /** Whether the pointer closed the outline when it went down. */
  #closed = false;
  #lines = drawing("outline-draft", ["draft-edge", "draft", "next", "dot-edge", "dot"], UNITS);
  /** Has the focus while drawing; the keys move it. */
  element = h("div", { class: "crosshair", tabIndex: 0, role: "application", hidden: true });

  /** @param {Boxes} boxes */
  constructor(boxes) {
    this.boxes = boxes;
    boxes.addEventListener("pointerdown", (event) => this.#down(event));
    boxes.addEventListener("pointermove", (event) => this.#move(event));
    boxes.addEventListener("pointerup", (event) => this.#up(event));
    boxes.addEventListener("pointercancel", () => this.#cancel());
    // The question that follows can be under the finger, which must not click beside it: that cancels.
    boxes.addEventListener("touchend", (event) => {
      if (this.#closed) event.preventDefault();
      this.#closed = false;
    });
    boxes.addEventListener("dblclick", (event) => {
      if (!this.#active) return;
      event.stopPropagation();
      this.close();
    });
  }

  start() {
    this.#active = true;
    this.points = [];
    this.#at = this.boxes.middle();
    this.element.hidden = false;
    this.boxes.append(this.#lines, this.element);
    this.#paint();
    this.element.focus({ preventScroll: true });
  }

  stop() {
    this.#active = false;
    this.#pointer = -1;
    this.points = [];
    this.element.hidden = true;
    this.element.remove();
    this.#lines.remove();
  }

  /** Sends the outline, if it is one. */
  close() {
    const ring = ringOf(this.points);
    if (ring) this.boxes.send("draw", { polygons: [[ring]] });
    else this.boxes.send("refused", { reason: "few" });
  }

  /** Removes the corner set last. */
  back() {
    this.points = this.points.slice(0, -1);
    this.#paint();
    announce(this.#count());
  }

  // MARK: Pointer

  /** @param {PointerEvent} event */
  #down(event) {
    if (!this.#active || event.button !== 0) return;
    event.stopPropagation();
    event.preventDefault();
    if (this.#pointer !== -1) {
      // A second finger: the person wants to zoom, and the first one set no corner.
      this.points.pop();
      return this.#cancel();
    }
    this.element.focus({ preventScroll: true });
    const point = this.boxes.pointOf(event);
    const [first] = this.points;
    this.#closed = this.points.length >= 3 && this.#isNear(first, point, REACH);
    if (this.#closed) return this.close();
    this.#at = point;
    this.#pointer = event.pointerId;
    this.boxes.setPointerCapture(event.pointerId);
    // The second click of a double click closes: it sets no corner.
    const last = this.points.at(-1);
    if (last && this.#isNear(last, point, SLOP)) this.points.pop();
    this.points.push(point);
    this.#paint();
  }

  /** @param {Point} one @param {Point} other @param {number} reach in pixels */
  #isNear(one, other, reach) {
    const { width, height } = this.boxes.size;
    return Math.hypot((one.x - other.x) * width, (one.y - other.y) * height) <= reach;
  }

  /**
   * A corner follows the pointer until it is let go.
   * @param {PointerEvent} event
   */
  #move(event) {
    if (!this.#active) return;
    if (this.#pointer === event.pointerId) {
      event.stopPropagation();
      this.points.splice(-1, 1, this.boxes.pointOf(event));
    }
    this.#at = this.boxes.pointOf(event);
    this.#paint();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    if (this.#pointer !== event.pointerId) return;
    event.stopPropagation();
    this.#cancel();
    announce(this.#count());
  }

  #cancel() {
    this.#pointer = -1;
    this.#paint();
  }

  // MARK: Keys

  /**
   * @param {KeyboardEvent} event
   * @param {Point|null} move the fractions that an arrow key moves
   * @returns {boolean} whether the key did something
   */
  press(event, move) {
    if (move) {
      const clamp = (/** @type {number} */ value) => Math.min(Math.max(value, 0), 1);
      this.#at = { x: clamp(this.#at.x + move.x), y: clamp(this.#at.y + move.y) };
      this.#paint();
      announce(this.element.getAttribute("aria-label") ?? "");
    } else if (event.key === " ") {
      this.points.push(this.#at);
      this.#paint();
      announce(this.#count());
    } else if (event.key === "Enter") this.close();
    else if (event.key === "Backspace" || event.key === "Delete") this.back();
    else if (event.key === "Escape") this.boxes.draw(null);
    else return false;
    return true;
  }

  // MARK: Painting

  #count() {
    return t("boxes.corners", { count: count(this.points.length) });
  }

  #paint() {
    if (!this.#active) return;
    const { points } = this;
    const at = this.#at;
    const line = path(points);
    const last = points.at(-1);
    const next = last ? path(points.length > 1 ? [last, at, points[0]] : [last, at]) : "";
    const dots = dotPath(points.flatMap(({ x, y }) => [x, y]));
    [line, line, next, dots, dots].forEach((text, index) => {
      this.#lines.children[index].setAttribute("d", text || "M0 0");
    });
    this.element.style.left = `${at.x * 100}%`;
    this.element.style.top = `${at.y * 100}%`;
    this.element.setAttribute("aria-label", `${t("boxes.crosshair", { x: percent(at.x), y: percent(at.y) })}, ${this.#count()}`);
  }
}
