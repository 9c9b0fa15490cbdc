// @ts-check
/** @file The offline base map: decoding it and drawing it. Sources/CPage/base-map.md has its layout. */

import { toWorld } from "./map-project.js";

/** @typedef {import("./map-project.js").Camera} Camera */

/**
 * @typedef {object} Ring A closed line of land or, if `hole`, around a part that is none.
 * @property {boolean} hole
 * @property {number} start index of its first number in `points`
 * @property {number} end
 * @property {number} west world coordinates of its box
 * @property {number} east
 * @property {number} north
 * @property {number} south
 */

/** @typedef {{rank: number, x: number, y: number, name: string}} PlaceName rank 0: largest */

/**
 * @typedef {object} BaseMap
 * @property {Ring[]} rings
 * @property {Float64Array} points x, y, x, y, … in world coordinates
 * @property {PlaceName[]} names largest first
 */

/** Reads numbers from bytes; every read beyond the end throws. */
class ByteReader {
  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    this.view = new DataView(buffer);
    this.at = 0;
  }

  byte() {
    this.at += 1;
    return this.view.getUint8(this.at - 1);
  }

  word() {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  varint() {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new RangeError("A number of the base map is too long.");
  }

  zigzag() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** @param {number} length */
  text(length) {
    const bytes = new Uint8Array(this.view.buffer, this.at, length);
    this.at += length;
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Decodes the base map.
 * @param {ArrayBuffer} buffer
 * @returns {BaseMap}
 * @throws RangeError or TypeError if it is cut off or not a base map
 */
export function decodeBase(buffer) {
  const reader = new ByteReader(buffer);
  if (reader.text(4) !== "CNE1") throw new TypeError("This is not a base map.");
  const unit = 10 ** -reader.byte();
  // A point takes two bytes at least.
  const points = new Float64Array(buffer.byteLength);
  let used = 0;
  /** @type {Ring[]} */
  const rings = [];
  for (let left = reader.word(); left > 0; left -= 1) {
    const hole = (reader.byte() & 1) === 1;
    const ring = { hole, start: used, end: used, west: 2, east: -1, north: 2, south: -1 };
    let longitude = 0;
    let latitude = 0;
    for (let count = reader.varint(); count > 0; count -= 1) {
      longitude += reader.zigzag();
      latitude += reader.zigzag();
      const { x, y } = toWorld(latitude * unit, longitude * unit);
      points[used] = x;
      points[used + 1] = y;
      used += 2;
      ring.west = Math.min(ring.west, x);
      ring.east = Math.max(ring.east, x);
      ring.north = Math.min(ring.north, y);
      ring.south = Math.max(ring.south, y);
    }
    ring.end = used;
    rings.push(ring);
  }
  /** @type {PlaceName[]} */
  const names = [];
  for (let left = reader.word(); left > 0; left -= 1) {
    const rank = reader.byte();
    const longitude = reader.zigzag() * unit;
    const point = toWorld(reader.zigzag() * unit, longitude);
    names.push({ rank, ...point, name: reader.text(reader.byte()) });
  }
  names.sort((a, b) => a.rank - b.rank);
  return { rings, points: points.slice(0, used), names };
}

/** @typedef {{left: number, top: number, right: number, bottom: number}} Rectangle */

/**
 * Returns the part of a ring in a rectangle, as x, y, x, y, … in pixels. Points less than
 * `tolerance` pixels from the one before are left out. Parts of its edge are on the rectangle's.
 *
 * Source: Sutherland and Hodgman, “Reentrant polygon clipping”, 1974.
 * @param {Float64Array} points
 * @param {{start: number, end: number}} ring
 * @param {{dx: number, dy: number, scale: number}} place pixels are `(x + dx) · scale`
 * @param {Rectangle} view
 * @param {number} [tolerance]
 * @returns {number[]}
 */
export function clipRing(points, { start, end }, { dx, dy, scale }, view, tolerance = 1) {
  /** @type {number[]} */
  let line = [];
  let lastX = Infinity;
  let lastY = Infinity;
  let outside = false;
  for (let at = start; at < end; at += 2) {
    const x = (points[at] + dx) * scale;
    const y = (points[at + 1] + dy) * scale;
    if (Math.abs(x - lastX) < tolerance && Math.abs(y - lastY) < tolerance) continue;
    line.push(x, y);
    lastX = x;
    lastY = y;
    outside ||= x < view.left || x > view.right || y < view.top || y > view.bottom;
  }
  if (line.length < 6) return [];
  if (!outside) return line;
  line = clipEdge(line, 0, view.left, 1);
  line = clipEdge(line, 0, view.right, -1);
  line = clipEdge(line, 1, view.top, 1);
  return clipEdge(line, 1, view.bottom, -1);
}

/**
 * @param {number[]} line
 * @param {0|1} axis 0: x, 1: y
 * @param {number} edge
 * @param {1|-1} side 1: keeps what is greater
 */
function clipEdge(line, axis, edge, side) {
  /** @type {number[]} */
  const result = [];
  const count = line.length;
  for (let at = 0; at < count; at += 2) {
    const before = (at + count - 2) % count;
    const from = (line[before + axis] - edge) * side;
    const to = (line[at + axis] - edge) * side;
    if ((from < 0) !== (to < 0)) {
      const part = from / (from - to);
      result.push(line[before] + (line[at] - line[before]) * part,
        line[before + 1] + (line[at + 1] - line[before + 1]) * part);
    }
    if (to >= 0) result.push(line[at], line[at + 1]);
  }
  return result;
}

/**
 * @typedef {object} BaseColors CSS colors
 * @property {string} sea
 * @property {string} land
 * @property {string} border
 * @property {string} label
 * @property {string} halo
 */

/** @typedef {{context: CanvasRenderingContext2D, camera: Camera, colors: BaseColors}} Drawing */

/**
 * Draws land and borders. The context is scaled so that its unit is a CSS pixel.
 * @param {BaseMap} base
 * @param {Drawing} drawing
 */
export function drawLand(base, { context, camera, colors }) {
  const { scale, width, height } = camera;
  context.fillStyle = colors.sea;
  context.fillRect(0, 0, width, height);
  const left = camera.x - width / 2 / scale;
  const top = camera.y - height / 2 / scale;
  const right = left + width / scale;
  const view = { left: -8, top: -8, right: width + 8, bottom: height + 8 };
  context.fillStyle = colors.land;
  context.strokeStyle = colors.border;
  // Thin lines and small paths have fast ways of their own: one path of all rings takes ten times
  // as long.
  context.lineWidth = 0.75;
  for (const ring of base.rings) {
    // In each hole lies another country.
    if (ring.hole || ring.south < top || ring.north > top + height / scale) continue;
    for (let copy = Math.ceil(left - ring.east); ring.west + copy <= right; copy += 1) {
      const line = clipRing(base.points, ring, { dx: copy - left, dy: -top, scale }, view);
      if (line.length < 6) continue;
      context.beginPath();
      context.moveTo(line[0], line[1]);
      for (let at = 2; at < line.length; at += 2) context.lineTo(line[at], line[at + 1]);
      context.closePath();
      context.fill();
      context.stroke();
    }
  }
}

/**
 * Returns the names that have room, largest countries first.
 * @param {PlaceName[]} names
 * @param {Camera} camera
 * @param {(name: string) => number} widthOf in pixels
 * @returns {{name: string, x: number, y: number}[]} `x`, `y`: the center, in pixels
 */
export function placeNames(names, camera, widthOf) {
  /** @type {{name: string, x: number, y: number, width: number}[]} */
  const placed = [];
  const height = 18;
  for (const { rank, name, x, y } of names) {
    if (rank > camera.zoom + 0.8) break;
    const point = camera.project({ x, y });
    const width = widthOf(name);
    const isOutside = point.x < width / 2 || point.x > camera.width - width / 2
      || point.y < height || point.y > camera.height - height;
    const collides = placed.some((other) =>
      Math.abs(other.x - point.x) < (other.width + width) / 2 + 6
      && Math.abs(other.y - point.y) < height);
    if (!isOutside && !collides) placed.push({ name, ...point, width });
  }
  return placed;
}

/**
 * Draws the names of countries.
 * @param {BaseMap} base
 * @param {Drawing} drawing
 */
export function drawNames(base, { context, camera, colors }) {
  if (camera.zoom > 9) return;
  context.font = "500 12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 3;
  context.strokeStyle = colors.halo;
  context.fillStyle = colors.label;
  const places = placeNames(base.names, camera, (name) => context.measureText(name).width);
  for (const { name, x, y } of places) {
    context.strokeText(name, x, y);
    context.fillText(name, x, y);
  }
}
