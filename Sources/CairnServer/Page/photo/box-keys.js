// @ts-check
/** @file The keys on boxes and outlines: move, resize, reclass, remove. */

import { fitShape } from "./box-element.js";
import { moveBox, resizeBox } from "./box-geometry.js";

/** @typedef {import("./boxes.js").Boxes} Boxes */
/** @typedef {import("./box-geometry.js").Point} Point */

/** The label of a box that the keyboard draws and that is not saved yet. */
export const NEW = "";
/** Pixels that an arrow key moves; with Ctrl one. */
const STEP = 8;
const ARROWS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
});

/**
 * Gives a key to what has the focus: the crosshair, a corner, or a box.
 * @param {Boxes} boxes
 * @param {KeyboardEvent} event
 */
export function pressKey(boxes, event) {
  if (event.altKey || event.isComposing) return;
  const step = event.ctrlKey || event.metaKey ? 1 : STEP;
  const arrow = ARROWS[event.key];
  const move = arrow ? { x: arrow[0] * step / boxes.clientWidth, y: arrow[1] * step / boxes.clientHeight } : null;
  const label = boxes.labelOf(event.target);
  const used = event.target === boxes.outline.element ? boxes.outline.press(event, move)
    : boxes.corners.contains(event.target) ? boxes.corners.press(event, move)
      : label !== null && pressBox(boxes, event, label, move);
  if (used) event.preventDefault();
}

/**
 * @param {Boxes} boxes
 * @param {KeyboardEvent} event
 * @param {string} label
 * @param {Point|null} move
 * @returns {boolean} whether the key did something
 */
function pressBox(boxes, event, label, move) {
  const shape = boxes.shapeOf(label);
  if (!shape) return false;
  if (move) {
    const { box } = shape;
    boxes.change(label, fitShape(shape, event.shiftKey
      ? resizeBox(box, "se", move.x, move.y) : moveBox(box, move.x, move.y)));
    boxes.saveSoon(/** @type {HTMLElement} */ (event.target));
  } else if (event.key === "Enter") {
    if (label === NEW) {
      boxes.discard();
      boxes.send("draw", { box: shape.box });
    } else {
      boxes.save();
      boxes.send("reclass", { label });
    }
  } else if (event.key === "Escape") {
    if (label === NEW) boxes.draw(null);
    else if (!boxes.discard()) boxes.focusStage();
  } else if ((event.key === "Delete" || event.key === "Backspace") && label !== NEW) {
    // The next box may have the focus while the key is held.
    if (event.repeat) return true;
    boxes.discard();
    boxes.send("remove", { label });
  } else return false;
  return true;
}
