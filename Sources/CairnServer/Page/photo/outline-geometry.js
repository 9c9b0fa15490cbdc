// @ts-check
/**
 * @file Outlines on a photo: pure geometry. An outline is a list of polygons, each a list of rings
 * `[x, y, x, y, …]` in fractions 0–1 of the upright photo, the outer one first, then its holes. Corners
 * are numbered through all rings.
 */

import { round, SMALLEST } from "./box-geometry.js";

/** @typedef {import("../data/types.js").Box} Box */
/** @typedef {import("./box-geometry.js").Point} Point */
/** @typedef {number[][][]} Polygons */
/** @typedef {{width: number, height: number}} Size */

/** @param {number} value */
const inside = (value) => round(Math.min(Math.max(value, 0), 1));

/** @param {number[]} numbers @param {number} at @param {number} removed @param {number[]} added */
function spliced(numbers, at, removed, ...added) {
  return [...numbers.slice(0, at), ...added, ...numbers.slice(at + removed)];
}

/**
 * Returns the ring of a corner and the corner's index in it; null if there is no such corner.
 * @param {Polygons} polygons
 * @param {number} corner
 */
function locate(polygons, corner) {
  let rest = corner;
  for (const [polygon, rings] of polygons.entries()) {
    for (const [ring, numbers] of rings.entries()) {
      const count = numbers.length / 2;
      if (rest >= 0 && rest < count) return { polygon, ring, numbers, count, index: rest };
      rest -= count;
    }
  }
  return null;
}

/**
 * Returns the outline with one ring replaced; null removes it.
 * @param {Polygons} polygons
 * @param {{polygon: number, ring: number}} at
 * @param {number[]|null} numbers
 */
function replaced(polygons, at, numbers) {
  return polygons.map((rings, polygon) => polygon !== at.polygon ? rings
    : rings.flatMap((own, ring) => ring !== at.ring ? [own] : numbers ? [numbers] : []));
}

/**
 * Returns the number of corners.
 * @param {Polygons} polygons
 */
export function cornerCount(polygons) {
  return polygons.flat().reduce((sum, ring) => sum + ring.length / 2, 0);
}

/**
 * Returns a corner; null if there is none of this number.
 * @param {Polygons} polygons
 * @param {number} corner
 * @returns {Point|null}
 */
export function cornerAt(polygons, corner) {
  const found = locate(polygons, corner);
  return found && { x: found.numbers[2 * found.index], y: found.numbers[2 * found.index + 1] };
}

/**
 * Returns the outline with a corner moved to a point, inside the photo.
 * @param {Polygons} polygons
 * @param {number} corner
 * @param {Point} point
 */
export function moveCorner(polygons, corner, { x, y }) {
  const found = locate(polygons, corner);
  if (!found) return polygons;
  return replaced(polygons, found, spliced(found.numbers, 2 * found.index, 2, inside(x), inside(y)));
}

/**
 * Returns the outline with a new corner after another one: at a point, or halfway to the next.
 * @param {Polygons} polygons
 * @param {number} corner
 * @param {Point} [point]
 */
export function insertCorner(polygons, corner, point) {
  const found = locate(polygons, corner);
  if (!found) return polygons;
  const { numbers, index, count } = found;
  const next = (index + 1) % count;
  const at = point ?? {
    x: (numbers[2 * index] + numbers[2 * next]) / 2, y: (numbers[2 * index + 1] + numbers[2 * next + 1]) / 2,
  };
  return replaced(polygons, found, spliced(numbers, 2 * index + 2, 0, inside(at.x), inside(at.y)));
}

/**
 * Returns the outline without a corner. A hole of three corners goes as a whole; null if an outer
 * ring would have fewer than three.
 * @param {Polygons} polygons
 * @param {number} corner
 */
export function removeCorner(polygons, corner) {
  const found = locate(polygons, corner);
  if (!found) return polygons;
  if (found.count > 3) return replaced(polygons, found, spliced(found.numbers, 2 * found.index, 2));
  return found.ring > 0 ? replaced(polygons, found, null) : null;
}

/**
 * Returns the box around an outline.
 * @param {Polygons} polygons
 * @returns {Box}
 */
export function boundsOf(polygons) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [outer] of polygons) {
    for (let index = 0; index + 1 < outer.length; index += 2) {
      left = Math.min(left, outer[index]);
      right = Math.max(right, outer[index]);
      top = Math.min(top, outer[index + 1]);
      bottom = Math.max(bottom, outer[index + 1]);
    }
  }
  return { x: left, y: top, width: round(right - left), height: round(bottom - top) };
}

/**
 * Returns the outline moved and scaled as one box becomes another.
 * @param {Polygons} polygons
 * @param {Box} from
 * @param {Box} to
 */
export function fitOutline(polygons, from, to) {
  return polygons.map((rings) => rings.map((ring) => ring.map((value, index) => index % 2 === 0
    ? inside(to.x + (value - from.x) / from.width * to.width)
    : inside(to.y + (value - from.y) / from.height * to.height))));
}

/**
 * Returns the ring through points, without repeated ones; null if it is too small to be meant.
 * @param {Point[]} points
 * @returns {number[]|null}
 */
export function ringOf(points) {
  const own = points.map(({ x, y }) => ({ x: inside(x), y: inside(y) }));
  const ring = own.filter(({ x, y }, index) => {
    const before = own.at(index - 1);
    return own.length === 1 || x !== before?.x || y !== before.y;
  }).flatMap(({ x, y }) => [x, y]);
  if (ring.length < 6) return null;
  const { width, height } = boundsOf([[ring]]);
  return width < SMALLEST || height < SMALLEST ? null : ring;
}

/**
 * Returns the corner nearest to a point; null if none is within reach.
 * @param {Polygons} polygons
 * @param {Point} point
 * @param {Size} size of the photo on the screen
 * @param {number} reach in pixels
 */
export function nearestCorner(polygons, point, size, reach) {
  let [best, least, corner] = [/** @type {number|null} */ (null), reach, 0];
  for (const ring of polygons.flat()) {
    for (let index = 0; index + 1 < ring.length; index += 2, corner += 1) {
      const far = Math.hypot((ring[index] - point.x) * size.width, (ring[index + 1] - point.y) * size.height);
      if (far <= least) [best, least] = [corner, far];
    }
  }
  return best;
}

/**
 * Returns the corner that begins the side nearest to a point, and the point on that side; null if
 * none is within reach.
 * @param {Polygons} polygons
 * @param {Point} point
 * @param {Size} size of the photo on the screen
 * @param {number} reach in pixels
 * @returns {{corner: number, point: Point}|null}
 */
export function nearestSide(polygons, point, size, reach) {
  let best = null;
  let least = reach;
  let corner = 0;
  for (const ring of polygons.flat()) {
    for (let index = 0; index + 1 < ring.length; index += 2, corner += 1) {
      const [x, y] = [ring[index], ring[index + 1]];
      const next = (index + 2) % ring.length;
      const [dx, dy] = [(ring[next] - x) * size.width, (ring[next + 1] - y) * size.height];
      const [px, py] = [(point.x - x) * size.width, (point.y - y) * size.height];
      const along = Math.min(Math.max((px * dx + py * dy) / (dx * dx + dy * dy || 1), 0), 1);
      const far = Math.hypot(px - along * dx, py - along * dy);
      if (far > least) continue;
      least = far;
      best = { corner, point: { x: x + along * (ring[next] - x), y: y + along * (ring[next + 1] - y) } };
    }
  }
  return best;
}

/** The units of drawings with dots. Firefox draws a line without length as long as 1/512 of its width. */
export const UNITS = 1000;
/** The whole photo, for paths in these units. */
export const WHOLE = Object.freeze({ x: 0, y: 0, width: 1 / UNITS, height: 1 / UNITS });

/**
 * Returns the SVG path of dots at corners, in units of the photo: lines without length, whose round
 * ends are the dots.
 * @param {number[]} ring
 */
export function dotPath(ring) {
  return ring.map((value, index) => index % 2 === 0 ? `M${round(value * UNITS)} ` : `${round(value * UNITS)}h0`).join("");
}

/**
 * Returns the SVG path of a polygon with its holes, in fractions of a box: it moves and scales with
 * the box.
 * @param {number[][]} rings each [x, y, x, y, …]
 * @param {Box} box
 */
export function outlinePath(rings, box) {
  return rings.map((ring) => {
    let path = "";
    for (let index = 0; index + 1 < ring.length; index += 2) {
      const x = round((ring[index] - box.x) / box.width);
      const y = round((ring[index + 1] - box.y) / box.height);
      path += `${index === 0 ? "M" : "L"}${x} ${y}`;
    }
    return `${path}Z`;
  }).join("");
}
