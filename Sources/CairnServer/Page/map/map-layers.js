// @ts-check
/** @file Draws photos, pins and clusters of pins. */

import { count } from "../common/format.js";
import { PHOTO_SIDE, radiusOf, TIP } from "./map-items.js";
import { thumbs } from "../data/thumbs.js";

/** @typedef {import("./map-items.js").Item} Item */
/** @typedef {import("./map-project.js").Camera} Camera */

/** How many pictures are kept for the map. */
const MOST_SPRITES = 400;

/**
 * @typedef {object} LayerState
 * @property {Set<string>} selected keys of items with selected photos
 * @property {string|null} open key of the item that is open beside the map
 * @property {string|null} focus key of the item with the keyboard focus
 * @property {{key: string, x: number, y: number}|null} moved an item that is dragged, in pixels
 * @property {Record<string, string>} colors
 */

/** Small pictures, drawn once each. */
export class Sprites {
  /** @type {Map<string, HTMLCanvasElement|null>} null: the picture is being decoded */
  sprites = new Map();

  /** @param {() => void} changed called when a picture can be drawn */
  constructor(changed) {
    this.changed = changed;
  }

  /**
   * Returns the picture of a photo, or null while there is none.
   * @param {string} id
   */
  get(id) {
    const known = this.sprites.get(id);
    if (known !== undefined) return known;
    const url = thumbs.url(id);
    if (!url) return null;
    this.sprites.set(id, null);
    for (const oldest of this.sprites.keys()) {
      if (this.sprites.size <= MOST_SPRITES) break;
      this.sprites.delete(oldest);
    }
    this.decode(id, url);
    return null;
  }

  /**
   * @param {string} id
   * @param {string} url
   */
  async decode(id, url) {
    const image = new Image();
    image.src = url;
    try {
      await image.decode();
    } catch {
      return;
    }
    if (!this.sprites.has(id)) return;
    const side = PHOTO_SIDE * Math.min(2, devicePixelRatio);
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = side;
    const crop = Math.min(image.naturalWidth, image.naturalHeight);
    canvas.getContext("2d")?.drawImage(image, (image.naturalWidth - crop) / 2,
      (image.naturalHeight - crop) / 2, crop, crop, 0, 0, side, side);
    this.sprites.set(id, canvas);
    this.changed();
  }

  clear() {
    this.sprites.clear();
  }
}

/**
 * Adds a rectangle with round corners to the path.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {number} radius
 */
function box(context, x, y, width, height, radius) {
  context.moveTo(x + radius, y);
  context.arcTo(x + width, y, x + width, y + height, radius);
  context.arcTo(x + width, y + height, x, y + height, radius);
  context.arcTo(x, y + height, x, y, radius);
  context.arcTo(x, y, x + width, y, radius);
  context.closePath();
}

/**
 * Draws the items in view.
 * @param {CanvasRenderingContext2D} context
 * @param {Item[]} items
 * @param {Camera} camera
 * @param {LayerState} state
 * @param {Sprites} sprites
 */
export function drawItems(context, items, camera, state, sprites) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const item of items) {
    const moved = state.moved?.key === item.key ? state.moved : null;
    const { x, y } = moved ?? camera.project(item);
    if (x < -60 || x > camera.width + 60 || y < -30 || y > camera.height + 70) continue;
    if (item.kind === "photos") drawPhotos(context, item, x, y, state, sprites);
    else drawPin(context, item, x, y, state, camera.zoom);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Item} item
 * @param {number} x
 * @param {number} y
 * @param {LayerState} state
 * @param {Sprites} sprites
 */
function drawPhotos(context, item, x, y, { colors, selected, open, focus }, sprites) {
  const left = x - PHOTO_SIDE / 2;
  const top = y - TIP - PHOTO_SIDE;
  const marked = selected.has(item.key) || open === item.key;
  context.fillStyle = marked ? colors.accent : colors.frame;
  context.strokeStyle = colors.border;
  context.lineWidth = 2;
  context.beginPath();
  box(context, left - 2, top - 2, PHOTO_SIDE + 4, PHOTO_SIDE + 4, 6);
  context.moveTo(x - 7, y - TIP + 1);
  context.lineTo(x, y);
  context.lineTo(x + 7, y - TIP + 1);
  context.stroke();
  context.fill();
  const sprite = item.photo ? sprites.get(item.photo) : null;
  if (sprite) {
    context.drawImage(sprite, left, top, PHOTO_SIDE, PHOTO_SIDE);
  } else {
    context.fillStyle = (item.photo && thumbs.color(item.photo)) || colors.empty;
    context.fillRect(left, top, PHOTO_SIDE, PHOTO_SIDE);
  }
  if (marked || focus === item.key) {
    context.strokeStyle = focus === item.key ? colors.focus : colors.accent;
    context.lineWidth = 3;
    context.beginPath();
    box(context, left - 3.5, top - 3.5, PHOTO_SIDE + 7, PHOTO_SIDE + 7, 7);
    context.stroke();
  }
  if (item.count < 2) return;
  const text = count(item.count);
  context.font = "600 11px system-ui, sans-serif";
  const width = Math.max(18, context.measureText(text).width + 9);
  const right = left + PHOTO_SIDE + 6;
  context.fillStyle = colors.badge;
  context.beginPath();
  box(context, right - width, top - 7, width, 18, 9);
  context.fill();
  context.fillStyle = colors.badgeText;
  context.fillText(text, right - width / 2, top + 2.5);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Item} item
 * @param {number} x
 * @param {number} y
 * @param {LayerState} state
 * @param {number} zoom
 */
function drawPin(context, item, x, y, { colors, open, focus }, zoom) {
  const radius = item.kind === "pin" ? 8 : radiusOf(item.count);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = open === item.key ? colors.accent : colors.pin;
  context.fill();
  context.strokeStyle = colors.frame;
  context.lineWidth = 2.5;
  context.stroke();
  if (open === item.key || focus === item.key) {
    context.beginPath();
    context.arc(x, y, radius + 4, 0, 2 * Math.PI);
    context.strokeStyle = focus === item.key ? colors.focus : colors.accent;
    context.lineWidth = 3;
    context.stroke();
  }
  if (item.kind === "pins") {
    context.font = "600 12px system-ui, sans-serif";
    context.fillStyle = colors.pinText;
    context.fillText(count(item.count), x, y + 0.5);
    return;
  }
  context.beginPath();
  context.arc(x, y, 2.5, 0, 2 * Math.PI);
  context.fillStyle = colors.pinText;
  context.fill();
  const name = item.pin?.name;
  if (!name || (zoom < 9 && open !== item.key && focus !== item.key)) return;
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "left";
  context.lineWidth = 3;
  context.strokeStyle = colors.halo;
  context.fillStyle = colors.label;
  const left = x + radius + (open === item.key || focus === item.key ? 12 : 6);
  const shown = name.length > 40 ? `${name.slice(0, 39)}…` : name;
  context.strokeText(shown, left, y);
  context.fillText(shown, left, y);
  context.textAlign = "center";
}
