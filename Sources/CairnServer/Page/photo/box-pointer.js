// @ts-check
/** @file The pointer on boxes and outlines: draws boxes, and moves boxes, their sides, and corners. */

import { fitShape, outlineShape } from "./box-element.js";
import { boxBetween, moveBox, resizeBox } from "./box-geometry.js";
import { insertCorner, moveCorner, nearestSide, removeCorner } from "./outline-geometry.js";

/** @typedef {import("./boxes.js").Boxes} Boxes */
/** @typedef {import("./box-element.js").Shape} Shape */
/** @typedef {import("./box-geometry.js").Handle} Handle */
/** @typedef {import("./box-geometry.js").Point} Point */

/**
 * What is dragged: a new box; a whole shape or a handle of its box; a corner; or a side, which gets
 * a corner when it moves.
 * @typedef {{kind: "new"}
 *   | {kind: "shape", label: string, shape: Shape, handle: Handle|null}
 *   | {kind: "corner", label: string, shape: Shape, corner: number}
 *   | {kind: "side", label: string, shape: Shape, corner: number}} Dragged
 */

/** Pixels that the pointer moves before it drags. */
export const SLOP = 4;
/** How far from a side or corner the pointer takes it, in pixels; as wide as the style sheet draws it. */
export const REACH = 12;

export class BoxPointer {
  /** @type {{pointer: number, from: Point, moved: boolean, dragged: Dragged}|null} */
  #drag = null;
  /** @type {Dragged|null} what was under the pointer when it went down last */
  #last = null;

  /** @param {Boxes} boxes @param {HTMLElement} band shows a box that is being drawn */
  constructor(boxes, band) {
    this.boxes = boxes;
    this.band = band;
    boxes.addEventListener("pointerdown", (event) => this.#down(event));
    boxes.addEventListener("pointermove", (event) => this.#move(event));
    boxes.addEventListener("pointerup", (event) => this.#up(event));
    boxes.addEventListener("pointercancel", () => this.cancel());
    // A click on the stage selects a box: not after a drag of one, or of a corner.
    boxes.addEventListener("click", (event) => event.stopPropagation());
    boxes.addEventListener("dblclick", (event) => this.#double(event));
  }

  get active() { return this.#drag !== null; }

  cancel() {
    this.#drag = null;
    this.band.hidden = true;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const { boxes } = this;
    if (event.button !== 0 || boxes.drawing === "outline") return;
    if (this.#drag) {
      // A second finger: the person wants to zoom.
      event.stopPropagation();
      return this.cancel();
    }
    const dragged = this.#at(event);
    this.#last = dragged;
    if (!dragged) return;
    event.stopPropagation();
    event.preventDefault();
    this.#drag = { pointer: event.pointerId, from: boxes.pointOf(event), moved: false, dragged };
    boxes.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event @returns {Dragged|null} */
  #at(event) {
    const { boxes } = this;
    const part = this.#partAt(event);
    if (part) return part;
    const label = boxes.labelOf(event.target);
    if (label === null) return boxes.drawing ? { kind: "new" } : null;
    boxes.saveOthers(label);
    boxes.select(label);
    const shape = boxes.shapeOf(label);
    const handle = /** @type {Handle|undefined} */ (
      event.target instanceof HTMLElement ? event.target.dataset.handle : undefined);
    return shape && { kind: "shape", label, shape, handle: handle ?? null };
  }

  /**
   * Returns the corner or side of the selected outline under the pointer.
   * @param {MouseEvent} event
   * @returns {Extract<Dragged, {kind: "corner"|"side"}>|null}
   */
  #partAt(event) {
    const { boxes } = this;
    const { corners } = boxes;
    const shape = corners.label === null ? null : boxes.shapeOf(corners.label);
    if (corners.label === null || !shape?.polygons || !corners.contains(event.target)) return null;
    const point = boxes.pointOf(event);
    const corner = corners.at(shape.polygons, point);
    if (corner !== null) {
      corners.choose(corner);
      return { kind: "corner", label: corners.label, shape, corner };
    }
    const side = nearestSide(shape.polygons, point, boxes.size, REACH);
    return side && { kind: "side", label: corners.label, shape, corner: side.corner };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    event.stopPropagation();
    const { boxes } = this;
    const to = boxes.pointOf(event);
    const [dx, dy] = [to.x - drag.from.x, to.y - drag.from.y];
    if (!drag.moved && Math.hypot(dx * boxes.size.width, dy * boxes.size.height) < SLOP) return;
    drag.moved = true;
    const { dragged } = drag;
    if (dragged.kind === "new") return this.#stretch(boxBetween(drag.from, to));
    if (dragged.kind === "shape") {
      const { box } = dragged.shape;
      const moved = dragged.handle ? resizeBox(box, dragged.handle, dx, dy) : moveBox(box, dx, dy);
      return boxes.change(dragged.label, fitShape(dragged.shape, moved));
    }
    if (dragged.kind === "side") {
      const polygons = insertCorner(dragged.shape.polygons ?? [], dragged.corner, to);
      drag.dragged = { ...dragged, kind: "corner", corner: dragged.corner + 1, shape: outlineShape(polygons) };
      boxes.corners.choose(dragged.corner + 1);
      return boxes.change(dragged.label, drag.dragged.shape);
    }
    boxes.change(dragged.label, outlineShape(moveCorner(dragged.shape.polygons ?? [], dragged.corner, to)));
  }

  /** @param {import("../data/types.js").Box|null} box */
  #stretch(box) {
    this.band.hidden = !box;
    if (!box) return;
    const { style } = this.band;
    style.left = `${box.x * 100}%`;
    style.top = `${box.y * 100}%`;
    style.width = `${box.width * 100}%`;
    style.height = `${box.height * 100}%`;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    event.stopPropagation();
    this.cancel();
    if (drag.dragged.kind !== "new") return this.boxes.save();
    const box = drag.moved ? boxBetween(drag.from, this.boxes.pointOf(event)) : null;
    if (box) this.boxes.send("draw", { box });
  }

  /**
   * A double click on a corner removes it; on a box, it asks for another class. The event goes to the
   * element that captured the pointer, so what counts is where the pointer went down.
   * @param {MouseEvent} event
   */
  #double(event) {
    const { boxes } = this;
    const last = this.#last;
    if (boxes.drawing || !last || last.kind === "new") return;
    event.stopPropagation();
    if (last.kind === "shape") return boxes.send("reclass", { label: last.label });
    const polygons = boxes.shapeOf(last.label)?.polygons;
    if (last.kind === "side" || !polygons) return;
    const fewer = removeCorner(polygons, last.corner);
    if (!fewer) return boxes.send("refused", { reason: "few" });
    boxes.change(last.label, outlineShape(fewer));
    boxes.save();
  }
}
