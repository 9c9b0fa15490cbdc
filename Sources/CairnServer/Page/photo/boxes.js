// @ts-check
/** @file `<cairn-boxes>`: the boxes and outlines over a photo, and the changes that wait. */

import { boxElement, lookOf, nameShape, newBoxElement, placeShape } from "./box-element.js";
import { boxBetween, sameBox, smallestAt } from "./box-geometry.js";
import { NEW, pressKey } from "./box-keys.js";
import { BoxPointer } from "./box-pointer.js";
import { OutlineCorners } from "./outline-corners.js";
import { OutlineDrawing } from "./outline-drawing.js";
import { announce, h } from "../common/dom.js";

/** @typedef {import("../data/types.js").BoxLabel} BoxLabel */
/** @typedef {import("./box-element.js").Shape} Shape */
/** @typedef {import("./box-geometry.js").Point} Point */
/** @typedef {"box"|"outline"|null} Drawing */

/** How long after the last key a change is saved, in milliseconds. */
const SAVE_AFTER = 800;

/**
 * Sends `draw` and `change` `{box}` or `{polygons}`, the latter with `{label}`; `remove` `{label}`,
 * `reclass` `{label}`, `refused` and `mode` `{drawing}`.
 */
export class Boxes extends HTMLElement {
  /** @type {BoxLabel[]} */
  items = [];
  editable = false;
  /** @type {Drawing} what is being drawn */
  drawing = null;
  /** @type {Map<string, HTMLElement>} */
  #elements = new Map();
  /** @type {WeakMap<HTMLElement, string>} */
  #looks = new WeakMap();
  /** @type {{label: string, shape: Shape}|null} a change that is not saved */
  #draft = null;
  #timer = 0;
  /** @type {string|null} the box that gets the focus when it appears */
  #wanted = null;
  #setting = false;
  #band = h("div", { class: "box band", hidden: true });
  #pointer = new BoxPointer(this, this.#band);
  corners = new OutlineCorners(this);
  outline = new OutlineDrawing(this);

  connectedCallback() {
    if (this.contains(this.#band)) return;
    this.append(this.#band);
    this.addEventListener("keydown", (event) => pressKey(this, event));
    this.addEventListener("focusin", ({ target }) => this.#mark(this.labelOf(target) ?? this.#cornersOf(target)));
    this.addEventListener("focusout", ({ relatedTarget }) => {
      if (this.#setting) return;
      this.save();
      if (!(relatedTarget instanceof Node && this.contains(relatedTarget))) this.#mark(null);
    });
  }

  /**
   * Shows the boxes of a photo. One that is being changed keeps its place.
   * @param {BoxLabel[]} items
   * @param {{editable: boolean}} options
   */
  set(items, { editable }) {
    const focused = [...this.#elements].find(([, element]) => element === document.activeElement)?.[0];
    const before = this.items.find(({ label }) => label === focused);
    const cornersOf = this.corners.focused ? this.corners.label : null;
    this.#setting = true;
    this.items = items;
    this.editable = editable;
    if (this.#draft && this.#draft.label !== NEW && !this.#find(this.#draft.label)) this.discard();
    const fresh = this.#draft?.label === NEW ? this.#elements.get(NEW) : undefined;
    const elements = new Map(items.map((item) => [item.label, this.#elementOf(item)]));
    const kept = new Set(elements.values());
    for (const element of this.#elements.values()) {
      if (element !== fresh && !kept.has(element)) element.remove();
    }
    this.#elements = elements;
    for (const item of items) this.#place(item.label);
    const shown = [...this.children].filter((child) => kept.has(/** @type {HTMLElement} */ (child)));
    if ([...kept].some((element, index) => element !== shown[index])) this.prepend(...kept);
    if (fresh) this.#elements.set(NEW, fresh);
    this.#setting = false;
    if (cornersOf !== null && this.#find(cornersOf)) {
      this.#mark(cornersOf);
      return this.corners.element.focus({ preventScroll: true });
    }
    // A saved change can give the box another label: the focus follows the place.
    const after = focused === undefined ? null : (this.#find(focused)
      ?? items.find((item) => item.mine && before && sameBox(item.box, before.box)));
    const next = this.#wanted && this.#find(this.#wanted) ? this.#wanted : after?.label;
    if (next) this.select(next);
    else {
      this.#mark(null);
      if (focused !== undefined && focused !== NEW) this.focusStage();
    }
  }

  /**
   * Returns the element of a label: the one that it has, if that shows the same.
   * @param {BoxLabel} item
   */
  #elementOf(item) {
    const mine = item.mine && this.editable;
    const look = lookOf(item, mine);
    const known = this.#elements.get(item.label);
    if (known && this.#looks.get(known) === look) return known;
    const element = boxElement(item, mine);
    this.#looks.set(element, look);
    return element;
  }

  /** @param {string} label */
  #place(label) {
    const element = this.#elements.get(label);
    const shape = this.shapeOf(label);
    if (!element || !shape) return;
    placeShape(element, shape);
    nameShape(element, shape, this.#find(label));
  }

  /**
   * Marks the selected box, and shows the corners of an outline.
   * @param {string|null} label
   */
  #mark(label) {
    for (const [other, element] of this.#elements) element.classList.toggle("selected", other === label);
    const box = label === null ? null : this.#elements.get(label);
    if (label !== null && box?.classList.contains("mine") && this.shapeOf(label)?.polygons) {
      this.corners.show(label, box);
    } else this.corners.hide();
  }

  /** @param {EventTarget|null} target @returns {string|null} */
  #cornersOf(target) {
    return this.corners.contains(target) ? this.corners.label : null;
  }

  focusStage() {
    /** @type {HTMLElement|null} */ (this.closest(".stage"))?.focus({ preventScroll: true });
  }

  /** @param {string} label */
  #find(label) {
    return this.items.find((item) => item.label === label) ?? null;
  }

  // MARK: What the pointer and the keys ask

  /** The size of the photo on the screen. */
  get size() { return { width: this.clientWidth, height: this.clientHeight }; }

  /** @param {MouseEvent} event @returns {Point} */
  pointOf(event) {
    const own = this.getBoundingClientRect();
    return { x: (event.clientX - own.left) / own.width, y: (event.clientY - own.top) / own.height };
  }

  /** Returns the middle of what is visible. */
  middle() {
    const view = (this.closest(".stage") ?? this).getBoundingClientRect();
    const own = this.getBoundingClientRect();
    return {
      x: (view.left + view.width / 2 - own.left) / own.width,
      y: (view.top + view.height / 2 - own.top) / own.height,
    };
  }

  /** @param {EventTarget|null} target @returns {string|null} the label of my box around the target */
  labelOf(target) {
    const element = target instanceof Element ? target.closest(".box.mine") : null;
    return element instanceof HTMLElement ? element.dataset.label ?? null : null;
  }

  /**
   * Returns the shape of a box as it is on the screen; null if there is no such box.
   * @param {string} label
   * @returns {Shape|null}
   */
  shapeOf(label) {
    if (this.#draft?.label === label) return this.#draft.shape;
    const item = this.#find(label);
    return item && { box: item.box, polygons: item.polygons ?? null };
  }

  /** @param {string} name @param {any} detail */
  send(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  // MARK: Modes

  /**
   * Starts drawing, or ends it: null.
   * @param {Drawing} mode
   */
  draw(mode) {
    if ((mode && !this.editable) || this.drawing === mode) return;
    this.#pointer.cancel();
    if (this.drawing === "outline") {
      if (this.outline.element === document.activeElement) this.focusStage();
      this.outline.stop();
    }
    if (this.#draft?.label === NEW) this.discard();
    this.drawing = mode;
    this.classList.toggle("drawing", mode !== null);
    this.send("mode", { drawing: mode });
    if (mode === "outline") this.outline.start();
  }

  /** Puts a new box into the middle of what is visible, for the keyboard. */
  drawByKeys() {
    const view = (this.closest(".stage") ?? this).getBoundingClientRect();
    const middle = this.middle();
    const half = {
      x: Math.min(0.5, view.width / this.clientWidth / 6), y: Math.min(0.5, view.height / this.clientHeight / 6),
    };
    const box = boxBetween({ x: middle.x - half.x, y: middle.y - half.y },
      { x: middle.x + half.x, y: middle.y + half.y });
    if (!box) return;
    this.#elements.get(NEW)?.remove();
    const element = newBoxElement();
    this.#draft = { label: NEW, shape: { box, polygons: null } };
    this.#elements.set(NEW, element);
    this.#place(NEW);
    this.append(element);
    element.focus({ preventScroll: true });
  }

  /**
   * Selects the smallest of my boxes at a point of the photo.
   * @param {Point} point
   */
  selectAt(point) {
    const item = this.editable ? smallestAt(this.items.filter(({ mine }) => mine), point) : null;
    if (item) this.select(item.label);
    return item !== null;
  }

  /**
   * Moves the keyboard to a box, now or when it is there.
   * @param {string} label
   */
  select(label) {
    const element = this.#elements.get(label);
    this.#wanted = element ? null : label;
    element?.focus({ preventScroll: true });
  }

  // MARK: Changes

  /**
   * Shows a change that is not saved yet.
   * @param {string} label
   * @param {Shape} shape
   */
  change(label, shape) {
    this.#draft = { label, shape };
    this.#place(label);
    if (this.corners.label === label) this.corners.paint();
  }

  /** Sends a change that waits. */
  save() {
    clearTimeout(this.#timer);
    const draft = this.#draft;
    if (!draft || draft.label === NEW || this.#pointer.active) return;
    this.#draft = null;
    const { label, shape: { box, polygons } } = draft;
    const item = this.#find(label);
    if (!item) return;
    const same = polygons ? JSON.stringify(item.polygons) === JSON.stringify(polygons) : sameBox(item.box, box);
    if (same) return;
    item.box = box;
    item.polygons = polygons;
    this.send("change", polygons ? { label, polygons } : { label, box });
  }

  /**
   * Sends a change that waits, if it is not one of this box.
   * @param {string} label
   */
  saveOthers(label) {
    if (this.#draft && this.#draft.label !== label) this.save();
  }

  /**
   * Saves a change of the keyboard when it rests, and says where it is by then.
   * @param {HTMLElement|undefined} element
   */
  saveSoon(element) {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      announce(element?.getAttribute("aria-label") ?? "");
      this.save();
    }, SAVE_AFTER);
  }

  /** Drops a change that waits; returns whether there was one. */
  discard() {
    clearTimeout(this.#timer);
    const draft = this.#draft;
    this.#draft = null;
    if (!draft) return false;
    this.#place(draft.label);
    if (this.corners.label === draft.label) this.corners.paint();
    if (draft.label !== NEW) return true;
    const element = this.#elements.get(NEW);
    if (element === document.activeElement) this.focusStage();
    this.#elements.delete(NEW);
    element?.remove();
    return true;
  }
}

customElements.define("cairn-boxes", Boxes);
