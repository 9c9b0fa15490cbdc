// @ts-check
/** @file What lies on the map, and what is at a point of it. Pure: no elements. */

import { clamp } from "../canvas/camera.js";
import { toLocation, toWorld } from "./map-project.js";

/** @typedef {import("../data/types.js").Bounds} Bounds */
/** @typedef {import("../data/types.js").Location} Location */
/** @typedef {import("../data/types.js").Pin} Pin */
/** @typedef {import("./map-project.js").Camera} Camera */

/**
 * @typedef {object} Item Something on the map.
 * @property {"photos"|"pin"|"pins"} kind
 * @property {string} key the same after the map was read again
 * @property {number} x world coordinates
 * @property {number} y
 * @property {Location} location
 * @property {number} count photos, or pins of a cluster
 * @property {string|null} photo one of the photos
 * @property {Pin|null} pin
 * @property {Bounds|null} bounds of a cluster
 */

/**
 * @typedef {object} MapAnswer `GET /api/map`
 * @property {number} total
 * @property {{location: Location, count: number, photo: string|null, bounds: Bounds}[]} clusters
 * @property {Pin[]} pins
 * @property {{location: Location, count: number, bounds: Bounds}[]} pinClusters
 */

/** The side of a photo on the map, in pixels, and how far its tip is below its box. */
export const PHOTO_SIDE = 46;
export const TIP = 12;

/** Pins nearer to each other than about this many pixels are one item. */
const PIN_CELL = 60;

/**
 * Returns the items of an answer in the order in which they are drawn: photos, clusters of pins,
 * whose numbers photos would hide, single pins.
 * @param {MapAnswer} answer
 * @param {number} zoom
 * @returns {Item[]}
 */
export function itemsOf({ clusters, pins, pinClusters }, zoom) {
  /** @type {Item[]} */
  const photos = clusters.map(({ location, count: n, photo, bounds }) => ({
    kind: "photos", key: `photos ${bounds.join(" ")}`, ...toWorld(...location), location, count: n,
    photo, pin: null, bounds,
  }));
  /** @type {Item[]} */
  const groups = pinClusters.map(({ location, count: n, bounds }) => ({
    kind: "pins", key: `pins ${bounds.join(" ")}`, ...toWorld(...location), location, count: n,
    photo: null, pin: null, bounds,
  }));
  // The nearer to the viewer, the later it is drawn.
  const nearby = clusterPins(pins, zoom);
  return [...photos.sort((a, b) => a.y - b.y), ...groups,
    ...nearby.filter((item) => item.kind === "pins"), ...nearby.filter((item) => item.kind === "pin")];
}

/**
 * Returns the box of all photos of an answer, of its pins if it has no photos, or null.
 * @param {MapAnswer} answer
 * @returns {Bounds|null}
 */
export function boundsOf({ clusters, pins, pinClusters }) {
  const boxes = clusters.map(({ bounds }) => bounds);
  if (boxes.length === 0) {
    for (const { location: [y, x] } of pins) boxes.push([x, y, x, y]);
    for (const { bounds } of pinClusters) boxes.push(bounds);
  }
  if (boxes.length === 0) return null;
  return boxes.reduce(([west, south, east, north], box) => [Math.min(west, box[0]),
    Math.min(south, box[1]), Math.max(east, box[2]), Math.max(north, box[3])]);
}

/**
 * Returns pins, and clusters of those that would cover each other, by cells of the whole world,
 * so that clusters stay when the map moves.
 * @param {Pin[]} pins
 * @param {number} zoom
 * @returns {Item[]}
 */
function clusterPins(pins, zoom) {
  const cells = 256 * 2 ** zoom / PIN_CELL;
  /** @type {Map<string, Item[]>} */
  const byCell = new Map();
  for (const item of pins.map(itemOf)) {
    const cell = `${Math.floor(item.x * cells)} ${Math.floor(item.y * cells)}`;
    const others = byCell.get(cell);
    if (others) others.push(item);
    else byCell.set(cell, [item]);
  }
  return [...byCell.values()].map((items) => items.length === 1 ? items[0] : clusterOf(items));
}

/**
 * @param {Item[]} items of pins
 * @returns {Item}
 */
function clusterOf(items) {
  const [first] = items;
  /** @type {Bounds} */
  const bounds = [first.location[1], first.location[0], first.location[1], first.location[0]];
  let [x, y] = [0, 0];
  for (const item of items) {
    const [latitude, longitude] = item.location;
    bounds[0] = Math.min(bounds[0], longitude);
    bounds[1] = Math.min(bounds[1], latitude);
    bounds[2] = Math.max(bounds[2], longitude);
    bounds[3] = Math.max(bounds[3], latitude);
    x += item.x / items.length;
    y += item.y / items.length;
  }
  return {
    kind: "pins", key: `pins ${bounds.join(" ")}`, x, y, location: toLocation({ x, y }),
    count: items.length, photo: null, pin: null, bounds,
  };
}

/**
 * @param {Pin} pin
 * @returns {Item}
 */
export function itemOf(pin) {
  return {
    kind: "pin", key: `pin ${pin.pin}`, ...toWorld(...pin.location), location: pin.location,
    count: pin.photos, photo: null, pin, bounds: null,
  };
}

/**
 * Returns the radius of a cluster of pins in pixels.
 * @param {number} n
 */
export function radiusOf(n) {
  return clamp(12 + 3 * Math.log10(n), 14, 26);
}

/**
 * Returns how far a point is from an item, in pixels; 0 inside of it.
 * @param {Item} item
 * @param {{x: number, y: number}} center where the item is in the view
 * @param {number} x
 * @param {number} y
 */
function distanceTo(item, center, x, y) {
  if (item.kind === "photos") {
    const half = PHOTO_SIDE / 2;
    const dx = Math.max(0, Math.abs(x - center.x) - half);
    const dy = Math.max(0, Math.abs(y - (center.y - TIP - half)) - half);
    return Math.hypot(dx, dy);
  }
  const radius = item.kind === "pin" ? 10 : radiusOf(item.count);
  return Math.max(0, Math.hypot(x - center.x, y - center.y) - radius);
}

/**
 * Returns the item at a point of the view: the nearest; of those that contain the point, the one
 * that is drawn last.
 * @param {Item[]} items
 * @param {Camera} camera
 * @param {number} x
 * @param {number} y
 * @param {number} slop how many pixels the point may be outside
 * @returns {Item|null}
 */
export function pick(items, camera, x, y, slop) {
  let best = null;
  let least = slop;
  for (const item of items) {
    const distance = distanceTo(item, camera.project(item), x, y);
    if (distance > least) continue;
    best = item;
    least = distance;
  }
  return best;
}

/**
 * Returns the items in view in reading order: from the top, then from the left.
 * @param {Item[]} items
 * @param {Camera} camera
 */
export function inReadingOrder(items, camera) {
  return items.map((item) => ({ item, ...camera.project(item) }))
    .filter(({ x, y }) => x >= 0 && x <= camera.width && y >= 0 && y <= camera.height)
    .sort((a, b) => Math.round(a.y / 40) - Math.round(b.y / 40) || a.x - b.x)
    .map(({ item }) => item);
}

/**
 * Returns whether a location is in a box.
 * @param {Bounds|null} bounds
 * @param {Location} location
 */
export function contains(bounds, location) {
  if (!bounds) return false;
  const [west, south, east, north] = bounds;
  const [latitude, longitude] = location;
  if (latitude < south || latitude > north) return false;
  return west <= east ? longitude >= west && longitude <= east
    : longitude >= west || longitude <= east;
}
