// @ts-check
/**
 * @file Web Mercator. Pure: no elements. World coordinates are 0–1, x from 180° west to the east,
 * y from the north; at zoom z the world is 256 · 2^z CSS pixels wide.
 *
 * Source: EPSG:3857; https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames
 */

import { clamp, PlaneView } from "../canvas/camera.js";

/** @typedef {import("../data/types.js").Location} Location */
/** @typedef {import("../data/types.js").Bounds} Bounds */
/** @typedef {import("../canvas/camera.js").Point} Point */

/** The latitude where the square world ends, in degrees. */
export const MOST_LATITUDE = 85.0511287798;
export const MOST_ZOOM = 20;
const TILE = 256;
/** The circumference of the earth at the equator, in meters. */
const EQUATOR = 40_075_016.686;

/**
 * Returns `x` as 0 ≤ x < 1, at the same place of the world.
 * @param {number} x
 */
export function wrap(x) {
  return x - Math.floor(x);
}

/**
 * Returns the world point of a location; latitudes beyond the world's end are on its edge.
 * @param {number} latitude
 * @param {number} longitude
 * @returns {Point}
 */
export function toWorld(latitude, longitude) {
  const radians = clamp(latitude, -MOST_LATITUDE, MOST_LATITUDE) * Math.PI / 180;
  return {
    x: (longitude + 180) / 360,
    y: 0.5 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / (2 * Math.PI),
  };
}

/**
 * Returns the location of a world point; the longitude is from -180 to 180.
 * @param {Point} point
 * @returns {Location}
 */
export function toLocation({ x, y }) {
  const latitude = (2 * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - Math.PI / 2) * 180 / Math.PI;
  return [latitude, wrap(x) * 360 - 180];
}

/** How far the base map, of coasts and borders only, is enlarged: for an area, and for one place. */
const AREA_ZOOM = 9;
const PLACE_ZOOM = 5;

/**
 * Returns how far the map zooms in by itself.
 * @param {Bounds} bounds of what is to be seen
 * @param {{maxzoom: number}|null|undefined} tiles
 */
export function mostFitZoom([west, south, east, north], tiles) {
  if (tiles) return clamp(tiles.maxzoom, AREA_ZOOM, 15);
  return west === east && south === north ? PLACE_ZOOM : AREA_ZOOM;
}

/** What part of the world is shown. */
export class Camera extends PlaneView {
  y = 0.4;
  zoom = 1;

  /** The width of the world in CSS pixels. */
  get scale() {
    return TILE * 2 ** this.zoom;
  }

  /** The zoom at which the world is as high as the view. */
  get leastZoom() {
    return Math.max(0, Math.log2(this.height / TILE));
  }

  get mostZoom() {
    return MOST_ZOOM;
  }

  /** Keeps the center in the world, and the view within its northern and southern edges. */
  settle() {
    this.zoom = clamp(this.zoom, this.leastZoom, MOST_ZOOM);
    const half = this.height / this.scale / 2;
    this.x = wrap(this.x);
    this.y = half >= 0.5 ? 0.5 : clamp(this.y, half, 1 - half);
  }

  /**
   * Changes the size; what is in the top left corner stays there. The first size keeps the center.
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    if (this.width > 1) {
      this.x += (width - this.width) / this.scale / 2;
      this.y += (height - this.height) / this.scale / 2;
    }
    this.width = width;
    this.height = height;
    this.settle();
  }

  /**
   * Returns where a world point is in the view; of its copies around the world, the nearest to
   * the center.
   * @param {Point} point
   * @returns {Point}
   */
  project({ x, y }) {
    const dx = x - this.x;
    return {
      x: (dx - Math.round(dx)) * this.scale + this.width / 2,
      y: (y - this.y) * this.scale + this.height / 2,
    };
  }

  /**
   * Returns the part of the world in view with a margin, as fractions of its size.
   * @param {number} [margin]
   * @returns {Bounds} west may be greater than east, across the date line
   */
  bounds(margin = 0) {
    const { width, height } = this;
    return this.boundsOf({
      x: -width * margin, y: -height * margin,
      width: width * (1 + 2 * margin), height: height * (1 + 2 * margin),
    });
  }

  /**
   * Returns the part of the world in a rectangle of the view. What is nearer to the poles than the
   * world's edges is drawn on them, and is part of a rectangle that has them.
   * @param {{x: number, y: number, width: number, height: number}} rectangle
   * @returns {Bounds} west may be greater than east, across the date line
   */
  boundsOf({ x, y, width, height }) {
    const from = this.unproject(x, y);
    const to = this.unproject(x + width, y + height);
    const north = from.y <= 0 ? 90 : toLocation(from)[0];
    const south = to.y >= 1 ? -90 : toLocation(to)[0];
    if (width >= this.scale) return [-180, south, 180, north];
    return [toLocation(from)[1], south, toLocation(to)[1], north];
  }

  /**
   * Shows a part of the world.
   * @param {Bounds} bounds
   * @param {{padding?: number, mostZoom?: number}} [options] `padding` in pixels
   */
  fit([west, south, east, north], options = {}) {
    const { padding = 48, mostZoom = 15 } = options;
    const from = toWorld(north, west);
    const to = toWorld(south, east);
    const width = Math.max(east < west ? to.x + 1 - from.x : to.x - from.x, 1e-9);
    const height = Math.max(to.y - from.y, 1e-9);
    const room = {
      x: Math.max(this.width - 2 * padding, 64), y: Math.max(this.height - 2 * padding, 64),
    };
    const scale = Math.min(room.x / width, room.y / height);
    this.zoom = clamp(Math.log2(scale / TILE), this.leastZoom, mostZoom);
    this.x = from.x + width / 2;
    this.y = from.y + height / 2;
    this.settle();
  }

  /** Returns how many meters a pixel is at the center. */
  get metersPerPixel() {
    const latitude = toLocation(this)[0] * Math.PI / 180;
    return EQUATOR * Math.cos(latitude) / this.scale;
  }
}

/**
 * Returns the longest round distance (1, 2 or 5 times a power of ten) that fits.
 * @param {number} metersPerPixel
 * @param {number} mostPixels
 * @returns {{meters: number, pixels: number}}
 */
export function scaleBar(metersPerPixel, mostPixels) {
  const most = metersPerPixel * mostPixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const meters = [5, 2, 1].map((digit) => digit * power).find((value) => value <= most) ?? power;
  return { meters, pixels: meters / metersPerPixel };
}

/**
 * Reads `lat,lon,zoom` of the address.
 * @param {string|undefined} text
 * @returns {{latitude: number, longitude: number, zoom: number}|null} null if it is not valid
 */
export function parsePlace(text) {
  const numbers = (text ?? "").split(",").map(Number);
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return null;
  const [latitude, longitude, zoom] = numbers;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  return { latitude, longitude, zoom: clamp(zoom, 0, MOST_ZOOM) };
}

/**
 * Returns `lat,lon,zoom` of a camera, as exact as a pixel is.
 * @param {Camera} camera
 */
export function placeText(camera) {
  const [latitude, longitude] = toLocation(camera);
  const digits = clamp(Math.ceil(camera.zoom * 0.301 + 0.5), 1, 7);
  return `${latitude.toFixed(digits)},${longitude.toFixed(digits)},${camera.zoom.toFixed(2)}`;
}

/** @param {Location} location */
export function locationText([latitude, longitude]) {
  const ns = latitude < 0 ? "S" : "N";
  const ew = longitude < 0 ? "W" : "E";
  return `${Math.abs(latitude).toFixed(5)}° ${ns}, ${Math.abs(longitude).toFixed(5)}° ${ew}`;
}
