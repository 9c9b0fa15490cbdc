// @ts-check
/**
 * @file The plane of the similarity map. Pure: no elements. Positions are 0–1 in both directions; at
 * zoom 0 the plane fits into the view.
 */

import { clamp, PlaneView } from "../canvas/camera.js";

/** @typedef {import("../canvas/camera.js").Point} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Area in pixels of the view */

/**
 * @typedef {object} Points
 * @property {number} count
 * @property {Uint32Array} index in the result set
 * @property {Float32Array} x
 * @property {Float32Array} y
 * @property {Int16Array} group the number of its class; -1: another one or none
 * @property {Uint8Array} confirmed 1: people confirmed the class; 0: it is predicted
 */

/** How much of the shorter side of the view the plane takes at zoom 0. */
const FILL = 0.92;
const MOST_ZOOM = 12;

/**
 * Returns the points that the server sends.
 * @param {number[][]} list index, x, y, class, confirmed
 * @returns {Points}
 */
export function decodePoints(list) {
  const points = {
    count: list.length, index: new Uint32Array(list.length), x: new Float32Array(list.length),
    y: new Float32Array(list.length), group: new Int16Array(list.length),
    confirmed: new Uint8Array(list.length),
  };
  list.forEach(([index, x, y, group, confirmed], at) => {
    points.index[at] = index;
    points.x[at] = x;
    points.y[at] = y;
    points.group[at] = group;
    points.confirmed[at] = confirmed;
  });
  return points;
}

/** What part of the plane is shown. */
export class PlaneCamera extends PlaneView {
  get mostZoom() {
    return MOST_ZOOM;
  }

  /** The side of the plane in CSS pixels. */
  get scale() {
    return Math.min(this.width, this.height) * FILL * 2 ** this.zoom;
  }

  /** Keeps the center in the plane. */
  settle() {
    this.zoom = clamp(this.zoom, 0, MOST_ZOOM);
    this.x = clamp(this.x, 0, 1);
    this.y = clamp(this.y, 0, 1);
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.settle();
  }

  /** Shows the whole plane. */
  fit() {
    this.x = this.y = 0.5;
    this.zoom = 0;
  }

  /**
   * Returns where a position is in the view.
   * @param {Point} point
   * @returns {Point}
   */
  project({ x, y }) {
    return {
      x: (x - this.x) * this.scale + this.width / 2, y: (y - this.y) * this.scale + this.height / 2,
    };
  }
}

/** Picks points of a class, or all. */
export class PointFilter {
  /** @type {number|null} the number of the only class that is shown; null: all */
  only = null;

  /**
   * @param {Points} points
   * @param {number} at
   */
  has(points, at) {
    return this.only === null || points.group[at] === this.only;
  }
}

/**
 * Returns the point nearest to a point of the view; -1 if there is none within reach.
 * @param {Points} points
 * @param {PlaneCamera} camera
 * @param {Point} place
 * @param {number} reach in CSS pixels
 * @param {PointFilter} filter
 */
export function nearest(points, camera, place, reach, filter) {
  const { x, y } = camera.unproject(place.x, place.y);
  const far = reach / camera.scale;
  let found = -1;
  let least = far * far;
  for (let at = 0; at < points.count; at += 1) {
    const dx = points.x[at] - x;
    if (dx > far || dx < -far) continue;
    const dy = points.y[at] - y;
    const distance = dx * dx + dy * dy;
    if (distance > least || !filter.has(points, at)) continue;
    least = distance;
    found = at;
  }
  return found;
}

/**
 * Returns the points in an area of the view.
 * @param {Points} points
 * @param {PlaneCamera} camera
 * @param {Area} area
 * @param {PointFilter} filter
 * @returns {number[]}
 */
export function within(points, camera, { x, y, width, height }, filter) {
  const low = camera.unproject(x, y);
  const high = camera.unproject(x + width, y + height);
  const found = [];
  for (let at = 0; at < points.count; at += 1) {
    if (points.x[at] < low.x || points.x[at] > high.x) continue;
    if (points.y[at] < low.y || points.y[at] > high.y) continue;
    if (filter.has(points, at)) found.push(at);
  }
  return found;
}

/**
 * Returns points as one reads them: line by line.
 * @param {Points} points
 * @param {number[]} list
 * @param {number} line the height of a line, in positions
 */
export function inReadingOrder(points, list, line) {
  const row = (/** @type {number} */ at) => Math.floor(points.y[at] / line);
  return [...list].sort((a, b) => row(a) - row(b) || points.x[a] - points.x[b]);
}

/**
 * Returns the side of a point, in CSS pixels.
 * @param {number} zoom
 */
export const pointSide = (zoom) => Math.round(clamp(4 + zoom, 4, 9));

/**
 * @typedef {object} Paint Colors as numbers 0xAABBGGRR.
 * @property {number[]} classes by number
 * @property {number} none of points without one of the classes
 * @property {number} faded of points that the filter leaves out
 * @property {number} selected
 */

/**
 * Draws points as squares: full ones, or only their edges if the class is predicted. Selected ones
 * have an edge of their own and are on top.
 * @param {{data: Uint32Array, width: number, height: number}} image
 * @param {Points} points
 * @param {PlaneCamera} camera
 * @param {{ratio: number, paint: Paint, filter: PointFilter, selected: Uint8Array|null}} options
 */
export function paintPoints(image, points, camera, { ratio, paint, filter, selected }) {
  const side = Math.max(2, Math.round(pointSide(camera.zoom) * ratio));
  const scale = camera.scale * ratio;
  const left = image.width / 2 - camera.x * scale - side / 2;
  const top = image.height / 2 - camera.y * scale - side / 2;
  for (let layer = 0; layer < 4; layer += 1) {
    for (let at = 0; at < points.count; at += 1) {
      const isShown = filter.has(points, at);
      const isSelected = selected !== null && selected[at] === 1;
      const known = points.group[at] >= 0;
      const own = isSelected ? 3 : !isShown || !known ? 0 : 1 + points.confirmed[at];
      if (own !== layer) continue;
      const x = Math.round(left + points.x[at] * scale);
      const y = Math.round(top + points.y[at] * scale);
      const color = !isShown ? paint.faded : known ? paint.classes[points.group[at]] : paint.none;
      const isFull = !known || points.confirmed[at] === 1;
      if (isSelected) {
        square(image, x - 2, y - 2, side + 4, paint.selected, true);
        square(image, x, y, side, color, true);
      } else {
        square(image, x, y, side, color, isFull);
      }
    }
  }
}

/**
 * @param {{data: Uint32Array, width: number, height: number}} image
 * @param {number} left
 * @param {number} top
 * @param {number} side
 * @param {number} color
 * @param {boolean} isFull
 */
function square({ data, width, height }, left, top, side, color, isFull) {
  const right = Math.min(width, left + side);
  const bottom = Math.min(height, top + side);
  for (let y = Math.max(0, top); y < bottom; y += 1) {
    const isEdge = y === top || y === top + side - 1;
    for (let x = Math.max(0, left); x < right; x += 1) {
      if (isFull || isEdge || x === left || x === left + side - 1) data[y * width + x] = color;
    }
  }
}
