// @ts-check
/** @file Raster tiles of the user's own map, for close-ups. */

import { api } from "../data/api.js";
import { clamp } from "../canvas/camera.js";
import { store } from "../data/store.js";

/** @typedef {import("./map-project.js").Camera} Camera */

const MOST_TILES = 256;
const REQUESTS = 4;
const SIDE = 256;

/** Tiles that are drawn now, fetched as needed; the latest are kept. */
export class Tiles {
  /** @type {Map<string, ImageBitmap|null>} null: there is none */
  loaded = new Map();
  /** @type {Set<string>} */
  loading = new Set();
  /** @type {string[]} the tiles of the latest drawing that are missing */
  wanted = [];

  /** @param {() => void} changed called when another tile can be drawn */
  constructor(changed) {
    this.changed = changed;
  }

  /** Where the tiles come from. */
  get attribution() {
    return store.session?.map.tiles?.attribution || null;
  }

  /**
   * Draws the tiles in view; a missing one is replaced by a part of a larger one.
   * @param {CanvasRenderingContext2D} context
   * @param {Camera} camera
   * @returns {boolean} whether tiles are shown at this zoom
   */
  draw(context, camera) {
    const tiles = store.session?.map.tiles;
    if (!tiles || camera.zoom < tiles.minzoom - 0.5) return false;
    const zoom = clamp(Math.round(camera.zoom), tiles.minzoom, tiles.maxzoom);
    const count = 2 ** zoom;
    const size = camera.scale / count;
    const left = camera.x - camera.width / 2 / camera.scale;
    const top = camera.y - camera.height / 2 / camera.scale;
    const [west, south, east, north] = tiles.bounds ?? [-180, -90, 180, 90];
    const [from, to] = [(west + 180) / 360 * count, (east + 180) / 360 * count];
    this.wanted = [];
    const firstY = Math.max(0, Math.floor(top * count));
    const lastY = Math.min(count - 1, Math.floor((top + camera.height / camera.scale) * count));
    const lastX = Math.floor((left + camera.width / camera.scale) * count);
    for (let y = firstY; y <= lastY; y += 1) {
      for (let x = Math.floor(left * count); x <= lastX; x += 1) {
        const wrapped = ((x % count) + count) % count;
        if (south <= north && west < east && (wrapped + 1 < from || wrapped > to)) continue;
        const at = {
          x: Math.round((x - left * count) * size), y: Math.round((y - top * count) * size),
        };
        const width = Math.round((x + 1 - left * count) * size) - at.x;
        const height = Math.round((y + 1 - top * count) * size) - at.y;
        this.drawTile(context, zoom, wrapped, y, at, width, height);
      }
    }
    this.pump();
    return true;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} zoom
   * @param {number} x
   * @param {number} y
   * @param {{x: number, y: number}} at
   * @param {number} width
   * @param {number} height
   */
  drawTile(context, zoom, x, y, at, width, height) {
    const own = `${zoom}/${x}/${y}`;
    if (!this.loaded.has(own)) this.wanted.push(own);
    for (let up = 0; up <= 5 && zoom - up >= 0; up += 1) {
      const part = 2 ** up;
      const key = `${zoom - up}/${Math.floor(x / part)}/${Math.floor(y / part)}`;
      const bitmap = this.loaded.get(key);
      if (!bitmap) continue;
      this.loaded.delete(key);
      this.loaded.set(key, bitmap);
      const side = bitmap.width / part;
      context.drawImage(bitmap, (x % part) * side, (y % part) * side, side, side, at.x, at.y,
        width, height);
      return;
    }
  }

  pump() {
    for (const key of this.wanted) {
      if (this.loading.size >= REQUESTS) return;
      if (!this.loading.has(key) && !this.loaded.has(key)) this.load(key);
    }
  }

  /** @param {string} key `zoom/x/y` */
  async load(key) {
    this.loading.add(key);
    let bitmap = null;
    try {
      const blob = await api.blob(`/api/map/tiles/${key}`);
      if (blob.size > 0) bitmap = await createImageBitmap(blob, { resizeQuality: "low" });
    } catch {
      // There is no such tile: the base map shows.
    }
    this.loading.delete(key);
    this.loaded.set(key, bitmap && bitmap.width >= SIDE / 2 ? bitmap : null);
    for (const [oldest, old] of this.loaded) {
      if (this.loaded.size <= MOST_TILES) break;
      old?.close();
      this.loaded.delete(oldest);
    }
    this.changed();
    this.pump();
  }

  clear() {
    for (const bitmap of this.loaded.values()) bitmap?.close();
    this.loaded.clear();
    this.wanted = [];
  }
}
