// @ts-check
/** @file One photo on a stage: shown when it is decoded, sharper when it is zoomed. */

import { report } from "../edits/actions.js";
import { api, ApiError } from "../data/api.js";
import { decode, free } from "../data/decoded.js";
import { h, icon } from "../common/dom.js";
import { fill } from "../common/fill.js";
import { factor } from "../common/format.js";
import { registerKeys } from "../shell/keys.js";
import { t } from "../strings/strings.js";
import { thumbs } from "../data/thumbs.js";
import { previewSide, ZoomStage } from "./zoom.js";

/** @typedef {import("../data/decoded.js").DecodedImages} DecodedImages */
/** @typedef {import("../data/decoded.js").Picture} Picture */
/** @typedef {import("../data/types.js").Row} Row */

/** The largest preview that is decoded ahead. */
const AHEAD_SIDE = 1600;
/** How long the photo before stays while the next is not decoded, in milliseconds. */
const HOLD = 80;
/** How long the view rests before a sharper picture is loaded, in milliseconds. */
const REST = 200;
/** The largest original that is decoded, in photo pixels. */
const MOST_PIXELS = 40e6;

/** Returns the side of the previews that are decoded ahead. */
export function aheadSide() {
  const pixels = Math.max(innerWidth, innerHeight) * (devicePixelRatio || 1);
  return Math.min(previewSide(pixels) || AHEAD_SIDE, AHEAD_SIDE);
}

export class PhotoStage {
  /** @type {Row|null} what is shown, or will be as soon as it is decoded */
  row = null;
  /** Whether the browser can show the original. */
  original = false;
  /** @type {Picture|null} */
  #image = null;
  #side = 0;
  #hold = 0;
  #rest = 0;
  #request = 0;

  /**
   * @param {DecodedImages} images
   * @param {{overlay?: HTMLElement, onSwipe?: (direction: -1|1) => void}} options `overlay` is
   *   laid over the photo and moves with it
   */
  constructor(images, { overlay, onSwipe } = {}) {
    this.images = images;
    this.picture = h("div", { class: "picture" }, overlay);
    this.note = h("p", { class: "stage-note", hidden: true });
    this.level = h("output", { class: "zoom-level" });
    this.element = h("div", { class: "stage", tabIndex: 0, role: "group" }, this.picture, this.note);
    this.controls = h("div", { class: "zoom-controls", role: "group", "aria-label": t("photo.zoom") },
      this.#button("minus", "photo.zoomOut", () => this.zoom.zoomBy(1 / 1.5)),
      this.level,
      this.#button("plus", "photo.zoomIn", () => this.zoom.zoomBy(1.5)),
      this.#button("fit", "photo.zoomToggle", () => this.zoom.toggle()));
    this.controls.hidden = true;
    this.zoom = new ZoomStage(this.element, this.picture, {
      onSwipe, onChange: () => this.#changed(),
    });
  }

  /** @param {string} name @param {string} label @param {() => void} onclick */
  #button(name, label, onclick) {
    return h("button", {
      type: "button", class: "icon", "aria-label": t(label), title: t(label), onclick,
    }, icon(name));
  }

  /**
   * Shows a photo, or nothing. The photo before stays until this one is decoded, but only for a
   * moment: then the thumbnail or the mean color takes its place. Resolves when the photo is
   * painted or another one is wanted.
   * @param {Row|null} row
   */
  async show(row) {
    const same = row !== null && row.id === this.row?.id;
    this.row = row;
    // With its thumbnail shown, the photo is still being loaded.
    if (same && this.#image) return;
    const request = this.#request += 1;
    clearTimeout(this.#hold);
    if (!row) return this.#paint(null, null, 0);
    this.original = false;
    this.element.setAttribute("aria-label", row.name);
    const side = aheadSide();
    const ready = this.images.get(row.id);
    if (ready) return this.#paint(row, ready, side);
    this.#hold = window.setTimeout(() => this.#paintEarly(row, request), HOLD);
    try {
      const image = await this.images.load(row.id, side);
      if (request === this.#request) this.#paint(row, image, side);
    } catch (error) {
      if (request !== this.#request) return;
      this.#paint(row, null, 0);
      if (error instanceof ApiError && error.kind === "erased") return this.#say(t("photo.erased"));
      const missing = row.local === false || (error instanceof ApiError && error.kind === "missing-image");
      if (!missing) {
        return this.#say(t("photo.undecodable"), h("button", {
          type: "button", onclick: () => { this.show(row); },
        }, t("main.again")));
      }
      this.#say(t("photo.notHere"), h("button", {
        type: "button", onclick: () => {
          api.post("/api/images", { target: { photos: [row.id] } }).catch(report);
        },
      }, t("photo.fetchImage")));
    }
  }

  /** Frees what is shown. */
  hide() {
    this.#request += 1;
    this.row = null;
    this.#paint(null, null, 0);
  }

  /**
   * Replaces the note over the stage; empty: none.
   * @param {string} text
   * @param {Node[]} more
   */
  #say(text, ...more) {
    fill(this.note, text, ...more);
    this.note.hidden = text === "";
  }

  /**
   * Shows the thumbnail, enlarged, or the color.
   * @param {Row} row
   * @param {number} request
   */
  async #paintEarly(row, request) {
    const address = thumbs.url(row.id);
    const small = address ? h("img", { alt: "", src: address }) : null;
    await small?.decode().catch(() => {});
    if (request === this.#request && !this.images.get(row.id)) this.#paint(row, small, 320);
  }

  /** @param {Row|null} row @param {Picture|null} image @param {number} side */
  #paint(row, image, side) {
    clearTimeout(this.#hold);
    clearTimeout(this.#rest);
    this.#say("");
    this.#swap(image);
    this.#side = side;
    const painted = this.picture.dataset.photo ?? null;
    this.picture.hidden = row === null;
    this.controls.hidden = row === null;
    if (!row) {
      delete this.picture.dataset.photo;
      return;
    }
    this.picture.style.backgroundColor = thumbs.color(row.id) ?? "";
    this.picture.dataset.photo = row.id;
    this.picture.dataset.side = String(image ? side : 0);
    if (painted === row.id) this.#changed();
    else this.zoom.reset({ width: row.width, height: row.height });
  }

  /** @param {Picture|null} image */
  #swap(image) {
    const before = this.#image;
    if (before === image) return;
    if (image) this.picture.prepend(image);
    before?.remove();
    if (before) this.images.release(before);
    this.#image = image;
  }

  #changed() {
    const text = factor(this.zoom.percent / 100);
    if (this.level.textContent !== text) this.level.textContent = text;
    clearTimeout(this.#rest);
    if (this.#image && this.#sharperSide() !== null) {
      this.#rest = window.setTimeout(() => this.#sharpen(), REST);
    }
  }

  /** Returns the side of a preview with more detail than the one shown, if the view has use for it. */
  #sharperSide() {
    const { row } = this;
    if (!row || this.#side === 0) return null;
    const frame = this.zoom.frame();
    const pixels = Math.max(frame.width, frame.height) * (devicePixelRatio || 1);
    const longest = Math.max(row.width, row.height);
    let side = previewSide(Math.min(pixels, longest));
    if (side === 0 && !(this.original && row.width * row.height <= MOST_PIXELS)) side = 2560;
    const better = side === 0 || side > this.#side;
    return better && longest > this.#side ? side : null;
  }

  async #sharpen() {
    const { row } = this;
    const side = this.#sharperSide();
    if (!row || side === null) return;
    const request = this.#request;
    const sharper = await decode(row.id, side).catch(() => null);
    if (!sharper) return;
    if (request !== this.#request) return free(sharper);
    this.#swap(sharper);
    this.#side = side;
    this.picture.dataset.side = String(side);
  }

  /**
   * Adds the keys for zoom and pan to a view.
   * @param {string} scope
   */
  keys(scope) {
    /** @param {number} x @param {number} y */
    const pan = (x, y) => () => {
      if (!this.zoom.zoomed) return false;
      this.zoom.panBy(x, y);
    };
    return registerKeys(scope, [
      { key: "+", label: t("photo.zoomIn"), repeats: true, run: () => this.zoom.zoomBy(1.25) },
      { key: "=", repeats: true, run: () => this.zoom.zoomBy(1.25) },
      { key: "-", label: t("photo.zoomOut"), repeats: true, run: () => this.zoom.zoomBy(0.8) },
      { key: "z", label: t("photo.zoomToggle"), run: () => this.zoom.toggle() },
      { key: "0", label: t("photo.fit"), run: () => this.zoom.reset(this.zoom.photo) },
      { key: "ArrowLeft", label: t("photo.pan"), repeats: true, run: pan(-0.15, 0) },
      { key: "ArrowRight", repeats: true, run: pan(0.15, 0) },
      { key: "ArrowUp", repeats: true, run: pan(0, -0.15) },
      { key: "ArrowDown", repeats: true, run: pan(0, 0.15) },
    ]);
  }
}
