// @ts-check
/** @file The canvas of the similarity map, drawn when something changes. */

import { setSize, themeColors } from "../canvas/canvas.js";
import { PHOTO_SIDE } from "../map/map-items.js";
import { Sprites } from "../map/map-layers.js";
import { thumbs } from "../data/thumbs.js";
import { decodePoints, paintPoints, PlaneCamera, PointFilter, pointSide, within } from "./similarity-plane.js";

/** @typedef {import("./similarity-plane.js").Area} Area */
/** @typedef {import("./similarity-plane.js").Paint} Paint */
/** @typedef {import("./similarity-plane.js").Points} Points */

/** The number of classes that have a color; the server sends as many. */
export const COLORS = 12;
/** If no more points than this are in view, they are drawn as pictures. */
const MOST_PICTURES = 60;

/**
 * Returns a color of a style sheet as a number 0xAABBGGRR.
 * @param {string} text such as rgb(10, 20, 30)
 */
export function colorNumber(text) {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** Draws the points at the camera's place, at most once a frame. */
export class SimilaritySurface {
  camera = new PlaneCamera();
  filter = new PointFilter();
  points = decodePoints([]);
  /** @type {Uint8Array|null} 1 for each selected point */
  selected = null;
  /** The number of the point with the focus; -1: none. */
  focus = -1;
  /** @type {Area|null} an area that is being drawn */
  area = null;
  /** What gestures move; nothing can be moved here. */
  moved = null;
  /** @type {Paint} */
  paint = { classes: [], none: 0, faded: 0, selected: 0 };
  background = 0;
  accent = "";
  frame = 0;
  ratio = 1;
  /** @type {ImageData|null} */
  image = null;
  /** @type {(at: number) => string|null} returns the id of a photo; null while it is unknown */
  idOf = () => null;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    this.sprites = new Sprites(() => this.redraw());
  }

  /**
   * @param {number} width in CSS pixels
   * @param {number} height
   */
  resize(width, height) {
    if (width === 0 || height === 0) return;
    this.ratio = setSize(this.canvas, width, height);
    this.camera.resize(width, height);
    this.image = null;
    this.draw();
  }

  /** Reads the colors of the theme. */
  readColors() {
    const classes = Array.from({ length: COLORS }, (_, number) => String(number));
    const names = [...classes, "none", "faded", "selected", "background"];
    const colors = themeColors(
      this.canvas, Object.fromEntries(names.map((name) => [name, `--similar-${name}`])));
    this.paint = {
      classes: classes.map((name) => colorNumber(colors[name])), none: colorNumber(colors.none),
      faded: colorNumber(colors.faded), selected: colorNumber(colors.selected),
    };
    this.background = colorNumber(colors.background);
    this.accent = colors.selected;
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

  /** The points in view. */
  inView() {
    const { width, height } = this.camera;
    return within(this.points, this.camera, { x: 0, y: 0, width, height }, this.filter);
  }

  draw() {
    const { context, canvas, camera, ratio } = this;
    if (camera.width <= 1) return;
    this.image ??= context.createImageData(canvas.width, canvas.height);
    const data = new Uint32Array(this.image.data.buffer);
    data.fill(this.background);
    paintPoints({ data, width: canvas.width, height: canvas.height }, this.points, camera, {
      ratio, paint: this.paint, filter: this.filter, selected: this.selected,
    });
    context.putImageData(this.image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawPictures();
    if (this.focus >= 0) this.drawFocus();
    if (!this.area) return;
    const { x, y, width, height } = this.area;
    context.globalAlpha = 0.15;
    context.fillStyle = this.accent;
    context.fillRect(x, y, width, height);
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeStyle = this.accent;
    context.strokeRect(x, y, width, height);
  }

  /** Draws pictures above their points, if only a few are in view. */
  drawPictures() {
    const list = this.inView();
    if (list.length > MOST_PICTURES) return;
    /** @type {string[]} */
    const wanted = [];
    for (const at of list) {
      const id = this.idOf(at);
      if (!id) continue;
      wanted.push(id);
      const sprite = this.sprites.get(id);
      const { x, y } = this.placeOf(at);
      const top = y - PHOTO_SIDE - pointSide(this.camera.zoom);
      if (sprite) this.context.drawImage(sprite, x - PHOTO_SIDE / 2, top, PHOTO_SIDE, PHOTO_SIDE);
    }
    thumbs.want(wanted, { urgent: true });
  }

  drawFocus() {
    const { context } = this;
    const { x, y } = this.placeOf(this.focus);
    const side = pointSide(this.camera.zoom) + 10;
    context.lineWidth = 3;
    context.strokeStyle = this.accent;
    context.strokeRect(x - side / 2, y - side / 2, side, side);
  }

  /** @param {number} at */
  placeOf(at) {
    return this.camera.project({ x: this.points.x[at], y: this.points.y[at] });
  }

  /** Frees what can be drawn again. */
  free() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.image = null;
    this.sprites.clear();
  }
}
