// @ts-check
/** @file The canvas of the map: the base map, tiles, photos and pins, drawn when something changes. */

import { setSize, themeColors } from "../canvas/canvas.js";
import { drawLand, drawNames } from "./map-base.js";
import { drawItems, Sprites } from "./map-layers.js";
import { Camera } from "./map-project.js";
import { Tiles } from "./map-tiles.js";

/** @typedef {import("./map-base.js").BaseMap} BaseMap */
/** @typedef {import("./map-items.js").Item} Item */

/** How far the drawn base map goes beyond the view, as a part of its size. */
const MARGIN = 0.2;
/** Milliseconds without movement after which the base map is drawn sharp and whole. */
const REST = 120;
/** How much the drawn base map may be enlarged before it is drawn again. */
const MOST_ENLARGED = 2;

const COLORS = {
  sea: "--map-sea", land: "--map-land", border: "--map-border", label: "--map-label",
  halo: "--map-halo", pin: "--map-pin", pinText: "--map-pin-text", frame: "--map-frame",
  empty: "--hover", accent: "--map-open", focus: "--map-focus", badge: "--map-badge",
  badgeText: "--map-badge-text", shade: "--map-shade",
};

/** Draws the map at the camera's place, at most once a frame. */
export class MapSurface {
  camera = new Camera();
  /** Whether the camera is where the map begins: until then, the base map is not drawn. */
  isPlaced = false;
  /** Whether only the land in view is drawn at first, in a third of the time of the whole. */
  isQuick = true;
  /** @type {BaseMap|null} */
  base = null;
  /** @type {Item[]} */
  items = [];
  /** @type {Set<string>} keys of items with selected photos */
  selected = new Set();
  /** @type {string|null} */
  open = null;
  /** @type {string|null} */
  focus = null;
  /** @type {{key: string, x: number, y: number}|null} */
  moved = null;
  /** @type {{x: number, y: number, width: number, height: number}|null} */
  area = null;
  /** @type {Record<string, string>} */
  colors = {};
  frame = 0;
  rest = 0;
  ratio = 1;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (
      canvas.getContext("2d", { alpha: false }));
    const redraw = () => this.redraw();
    this.tiles = new Tiles(redraw);
    this.sprites = new Sprites(redraw);
    this.layer = document.createElement("canvas");
    /** @type {Camera|null} */
    this.layerCamera = null;
  }

  /**
   * @param {number} width in CSS pixels
   * @param {number} height
   */
  resize(width, height) {
    if (width === 0 || height === 0) return;
    // Drawn at once: setting the size has cleared the canvas.
    this.ratio = setSize(this.canvas, width, height);
    this.camera.resize(width, height);
    this.layerCamera = null;
    this.draw();
  }

  /** Reads the colors of the theme. */
  readColors() {
    this.colors = themeColors(this.canvas, COLORS);
    this.layerCamera = null;
    this.redraw();
  }

  /** Has the map drawn in the next frame. */
  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const { context, camera, ratio } = this;
    if (camera.width <= 1) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawBase();
    if (this.tiles.draw(context, camera)) {
      context.fillStyle = this.colors.shade;
      context.fillRect(0, 0, camera.width, camera.height);
    }
    drawItems(context, this.items, camera, this, this.sprites);
    if (this.area) {
      const { x, y, width, height } = this.area;
      context.globalAlpha = 0.15;
      context.fillStyle = this.colors.accent;
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
      context.lineWidth = 2;
      context.strokeStyle = this.colors.accent;
      context.strokeRect(x, y, width, height);
    }
  }

  /** Copies the drawn base map; draws it again where it does not cover the view. */
  drawBase() {
    const { context, camera, colors } = this;
    if (!this.base || !this.isPlaced) {
      context.fillStyle = colors.sea;
      context.fillRect(0, 0, camera.width, camera.height);
      return;
    }
    let place = this.layerPlace();
    const covers = place && place.x <= 0 && place.y <= 0 && place.x + place.width >= camera.width
      && place.y + place.height >= camera.height;
    if (!place || !covers || place.enlarged > MOST_ENLARGED) {
      this.renderLayer();
      place = this.layerPlace();
    } else if (place.enlarged !== 1) {
      this.renderLater();
    }
    if (!place) return;
    context.drawImage(this.layer, place.x, place.y, place.width, place.height);
  }

  /** Has the base map drawn again when nothing moves. */
  renderLater() {
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => { this.layerCamera = null; this.redraw(); }, REST);
  }

  /** Where the drawn base map is in the view, or null if there is none. */
  layerPlace() {
    const drawn = this.layerCamera;
    if (!drawn) return null;
    const enlarged = this.camera.scale / drawn.scale;
    const center = this.camera.project(drawn);
    const width = drawn.width * enlarged;
    const height = drawn.height * enlarged;
    return {
      x: center.x - width / 2, y: center.y - height / 2, width, height,
      enlarged: Math.abs(enlarged - 1) < 1e-9 ? 1 : enlarged,
    };
  }

  renderLayer() {
    const { base, camera, ratio, layer, isQuick } = this;
    if (!base) return;
    const margin = isQuick ? 0 : MARGIN;
    const drawn = new Camera();
    drawn.width = Math.ceil(camera.width * (1 + 2 * margin));
    drawn.height = Math.ceil(camera.height * (1 + 2 * margin));
    Object.assign(drawn, { x: camera.x, y: camera.y, zoom: camera.zoom });
    layer.width = drawn.width * ratio;
    layer.height = drawn.height * ratio;
    const context = /** @type {CanvasRenderingContext2D} */ (
      layer.getContext("2d", { alpha: false }));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const colors = /** @type {import("./map-base.js").BaseColors} */ (
      /** @type {unknown} */ (this.colors));
    drawLand(base, { context, camera: drawn, colors });
    this.layerCamera = drawn;
    clearTimeout(this.rest);
    if (isQuick) this.renderLater();
    else drawNames(base, { context, camera: drawn, colors });
    this.isQuick = false;
  }

  /** Frees what can be drawn again. */
  free() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
    this.frame = 0;
    this.layer.width = this.layer.height = 1;
    this.layerCamera = null;
    this.isQuick = true;
    this.tiles.clear();
    this.sprites.clear();
  }
}
