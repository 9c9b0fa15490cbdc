// @ts-check
/** @file Boxes on a photo: pure geometry in fractions 0–1 of the upright photo. */

/** @typedef {import("../data/types.js").Box} Box */
/** @typedef {{x: number, y: number}} Point */
/**
 * Sides that move: a handle's compass direction.
 * @typedef {"n"|"ne"|"e"|"se"|"s"|"sw"|"w"|"nw"} Handle
 */

/** @type {readonly Handle[]} */
export const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];
/** The smallest side of a box. */
export const SMALLEST = 0.005;
/** Digits after the point: finer than a pixel of a photo of 50,000 pixels. */
const UNITS = 100_000;

/** @param {number} value */
export function round(value) {
  return Math.round(value * UNITS) / UNITS;
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** @param {number} left @param {number} top @param {number} right @param {number} bottom @returns {Box} */
function fromSides(left, top, right, bottom) {
  const x = round(left);
  const y = round(top);
  return { x, y, width: round(round(right) - x), height: round(round(bottom) - y) };
}

/**
 * Returns the box between two corners, inside the photo; null if it is too small to be meant.
 * @param {Point} from
 * @param {Point} to
 * @returns {Box|null}
 */
export function boxBetween(from, to) {
  const box = fromSides(
    clamp(Math.min(from.x, to.x), 0, 1), clamp(Math.min(from.y, to.y), 0, 1),
    clamp(Math.max(from.x, to.x), 0, 1), clamp(Math.max(from.y, to.y), 0, 1));
  return box.width < SMALLEST || box.height < SMALLEST ? null : box;
}

/**
 * Returns the box moved, kept inside the photo with its size.
 * @param {Box} box
 * @param {number} dx
 * @param {number} dy
 * @returns {Box}
 */
export function moveBox(box, dx, dy) {
  const x = clamp(box.x + dx, 0, 1 - box.width);
  const y = clamp(box.y + dy, 0, 1 - box.height);
  return { ...box, x: round(Math.max(0, x)), y: round(Math.max(0, y)) };
}

/**
 * Returns the box with the sides of a handle moved, inside the photo and not smaller than the
 * smallest box.
 * @param {Box} box
 * @param {Handle} handle
 * @param {number} dx
 * @param {number} dy
 * @returns {Box}
 */
export function resizeBox(box, handle, dx, dy) {
  let { x: left, y: top } = box;
  let right = left + box.width;
  let bottom = top + box.height;
  if (handle.includes("w")) left = clamp(left + dx, 0, right - SMALLEST);
  if (handle.includes("e")) right = clamp(right + dx, left + SMALLEST, 1);
  if (handle.includes("n")) top = clamp(top + dy, 0, bottom - SMALLEST);
  if (handle.includes("s")) bottom = clamp(bottom + dy, top + SMALLEST, 1);
  return fromSides(left, top, right, bottom);
}

/**
 * Returns the smallest box around a point; null if there is none.
 * @template {{box: Box}} T
 * @param {T[]} items
 * @param {Point} point
 * @returns {T|null}
 */
export function smallestAt(items, point) {
  const inside = items.filter(({ box }) => point.x >= box.x && point.x <= box.x + box.width
    && point.y >= box.y && point.y <= box.y + box.height);
  inside.sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height);
  return inside[0] ?? null;
}

/**
 * Returns whether two boxes are the same to the eye.
 * @param {Box} a
 * @param {Box} b
 */
export function sameBox(a, b) {
  const near = (/** @type {number} */ one, /** @type {number} */ two) => Math.abs(one - two) < 2e-4;
  return near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height);
}
