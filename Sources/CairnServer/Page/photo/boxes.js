// @ts-check
/** @file `<cairn-boxes>`: the boxes over a photo; draws, moves and resizes by pointer and keys. */

import { HANDLES, boxBetween, moveBox, outlinePath, resizeBox, sameBox, smallestAt } from "./box-geometry.js";
import { announce, clear, h } from "../common/dom.js";
import { className, percent, person } from "../common/format.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Box} Box */
/** @typedef {import("../data/types.js").BoxLabel} BoxLabel */
/** @typedef {import("./box-geometry.js").Handle} Handle */
/** @typedef {import("./box-geometry.js").Point} Point */

/** Pixels that an arrow key moves a side; with Ctrl one. */
const STEP = 8;
/** How long after the last arrow key a box is saved, in milliseconds. */
const SAVE_AFTER = 800;
/** Pixels that the pointer moves before it drags. */
const SLOP = 4;
/** The label of a box that the keyboard draws and that is not saved yet. */
const NEW = "";

/**
 * Sends `draw` `{box}`, `change` `{label, box}`, `remove` `{label}`, `reclass` `{label}` and
 * `mode` `{drawing}`.
 */
export class Boxes extends HTMLElement {
  /** @type {BoxLabel[]} */
  items = [];
  editable = false;
  drawing = false;
  /** @type {Map<string, HTMLElement>} */
  #elements = new Map();
  /** @type {{label: string, box: Box}|null} a change that is not saved */
  #draft = null;
  /** @type {{pointer: number, from: Point, box: Box|null, handle: Handle|null, label: string, moved: boolean}|null} */
  #drag = null;
  #timer = 0;
  /** @type {string|null} the box that gets the focus when it appears */
  #wanted = null;
  #band = h("div", { class: "box band", hidden: true });

  connectedCallback() {
    if (this.contains(this.#band)) return;
    this.append(this.#band);
    this.addEventListener("pointerdown", (event) => this.#down(event));
    this.addEventListener("pointermove", (event) => this.#move(event));
    this.addEventListener("pointerup", (event) => this.#up(event));
    this.addEventListener("pointercancel", () => this.#cancelDrag());
    this.addEventListener("dblclick", (event) => {
      const label = this.#labelOf(event.target);
      if (label === null) return;
      event.stopPropagation();
      this.#send("reclass", { label });
    });
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusout", () => this.save());
  }

  /**
   * Shows the boxes of a photo. One that is being changed keeps its place.
   * @param {BoxLabel[]} items
   * @param {{editable: boolean}} options
   */
  set(items, { editable }) {
    const focused = [...this.#elements].find(([, element]) => element === document.activeElement)?.[0];
    const before = this.items.find(({ label }) => label === focused);
    this.items = items;
    this.editable = editable;
    if (this.#draft && this.#draft.label !== NEW && !this.#find(this.#draft.label)) this.#dropDraft();
    const fresh = this.#draft?.label === NEW ? this.#elements.get(NEW) : undefined;
    this.#elements = new Map(items.map((item) => [item.label, this.#element(item)]));
    if (fresh) this.#elements.set(NEW, fresh);
    clear(this).append(...this.#elements.values(), this.#band);
    // A saved change can give the box another label: the focus follows the place.
    const after = focused === undefined ? null : (this.#find(focused)
      ?? items.find((item) => item.mine && before && sameBox(item.box, before.box)));
    const next = this.#wanted && this.#find(this.#wanted) ? this.#wanted : after?.label;
    if (next) this.#focus(next);
    else if (focused !== undefined && focused !== NEW) this.#focusStage();
  }

  /** @param {string} label */
  #focus(label) {
    if (label === this.#wanted) this.#wanted = null;
    this.#elements.get(label)?.focus({ preventScroll: true });
  }

  #focusStage() {
    /** @type {HTMLElement|null} */ (this.closest(".stage"))?.focus({ preventScroll: true });
  }

  /** @param {string} label */
  #find(label) {
    return this.items.find((item) => item.label === label) ?? null;
  }

  /** @param {BoxLabel} item */
  #element(item) {
    const mine = item.mine && this.editable;
    const sure = item.annotator.kind === "model" ? ` ${percent(item.confidence)}` : "";
    const element = h("div", {
      class: `box ${mine ? "mine" : item.annotator.kind}${item.polygons ? " outlined" : ""}`, dataset: { label: item.label },
      role: mine ? "button" : "img", tabIndex: mine ? 0 : null,
    }, item.polygons && outline(item.polygons, item.box), h("span", { class: "box-tag" }, `${className(item.class)}${sure}`),
    mine && HANDLES.map((handle) => h("span", { class: `handle ${handle}`, dataset: { handle } })));
    const box = this.#draft?.label === item.label ? this.#draft.box : item.box;
    this.#place(element, box, item);
    return element;
  }

  /** @param {HTMLElement} element @param {Box} box @param {BoxLabel|null} item null: a new box */
  #place(element, box, item) {
    const { style } = element;
    style.left = `${box.x * 100}%`;
    style.top = `${box.y * 100}%`;
    style.width = `${box.width * 100}%`;
    style.height = `${box.height * 100}%`;
    if (element === this.#band) return;
    const where = t("boxes.where", {
      x: percent(box.x), y: percent(box.y), width: percent(box.width), height: percent(box.height),
    });
    const name = !item ? t("boxes.new")
      : t(item.mine ? "boxes.mine" : "boxes.by", {
        name: className(item.class), person: person(item.annotator.name),
      });
    element.setAttribute("aria-label", `${name}, ${where}`);
    element.classList.toggle("low", box.y < 0.06);
  }

  // MARK: Modes

  /**
   * Starts or ends drawing.
   * @param {boolean} on
   */
  draw(on) {
    if (on && !this.editable) return;
    if (this.drawing === on) return;
    this.drawing = on;
    this.classList.toggle("drawing", on);
    if (!on) {
      this.#cancelDrag();
      if (this.#draft?.label === NEW) this.#dropDraft();
    }
    this.#send("mode", { drawing: on });
  }

  /** Puts a new box into the middle of what is visible, for the keyboard. */
  drawByKeys() {
    const view = (this.closest(".stage") ?? this).getBoundingClientRect();
    const own = this.getBoundingClientRect();
    const middle = {
      x: (view.left + view.width / 2 - own.left) / own.width,
      y: (view.top + view.height / 2 - own.top) / own.height,
    };
    const half = { x: Math.min(0.5, view.width / own.width / 6), y: Math.min(0.5, view.height / own.height / 6) };
    const box = boxBetween({ x: middle.x - half.x, y: middle.y - half.y },
      { x: middle.x + half.x, y: middle.y + half.y });
    if (!box) return;
    this.#elements.get(NEW)?.remove();
    const element = h("div", { class: "box mine new", role: "button", tabIndex: 0, dataset: { label: NEW } },
      HANDLES.map((handle) => h("span", { class: `handle ${handle}`, dataset: { handle } })));
    this.#draft = { label: NEW, box };
    this.#elements.set(NEW, element);
    this.#place(element, box, null);
    this.append(element);
    element.focus({ preventScroll: true });
  }

  /**
   * Selects the smallest of my boxes at a point of the photo.
   * @param {Point} point
   */
  selectAt(point) {
    const item = this.editable ? smallestAt(this.items.filter(({ mine }) => mine), point) : null;
    if (item) this.#focus(item.label);
    return item !== null;
  }

  /**
   * Moves the keyboard to a box, now or when it is there.
   * @param {string} label
   */
  select(label) {
    this.#wanted = label;
    if (this.#elements.has(label)) this.#focus(label);
  }

  /** Sends a change that waits. */
  save() {
    clearTimeout(this.#timer);
    const draft = this.#draft;
    if (!draft || draft.label === NEW || this.#drag) return;
    this.#draft = null;
    const item = this.#find(draft.label);
    if (!item || sameBox(item.box, draft.box)) return;
    item.box = draft.box;
    this.#send("change", draft);
  }

  #dropDraft() {
    clearTimeout(this.#timer);
    const draft = this.#draft;
    this.#draft = null;
    if (!draft) return;
    const element = this.#elements.get(draft.label);
    const item = this.#find(draft.label);
    if (element && item) this.#place(element, item.box, item);
    if (draft.label !== NEW) return;
    if (element === document.activeElement) this.#focusStage();
    this.#elements.delete(NEW);
    element?.remove();
  }

  /** @param {string} name @param {any} detail */
  #send(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** @param {EventTarget|null} target @returns {string|null} the label of my box around the target */
  #labelOf(target) {
    const element = target instanceof Element ? target.closest(".box.mine") : null;
    return element instanceof HTMLElement ? element.dataset.label ?? null : null;
  }

  /**
   * Shows a change that is not saved yet.
   * @param {string} label
   * @param {Box} box
   */
  #change(label, box) {
    this.#draft = { label, box };
    const element = this.#elements.get(label);
    if (element) this.#place(element, box, this.#find(label));
  }

  /** @param {string} label */
  #boxOf(label) {
    return this.#draft?.label === label ? this.#draft.box : this.#find(label)?.box ?? null;
  }

  // MARK: Pointer

  /** @param {PointerEvent} event @returns {Point} */
  #point(event) {
    const own = this.getBoundingClientRect();
    return { x: (event.clientX - own.left) / own.width, y: (event.clientY - own.top) / own.height };
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0) return;
    if (this.#drag) {
      // A second finger: the person wants to zoom.
      event.stopPropagation();
      return this.#cancelDrag();
    }
    const label = this.#labelOf(event.target);
    if (label === null && !this.drawing) return;
    event.stopPropagation();
    event.preventDefault();
    const handle = /** @type {Handle|undefined} */ (
      event.target instanceof HTMLElement ? event.target.dataset.handle : undefined);
    if (label !== null) {
      if (this.#draft && this.#draft.label !== label) this.save();
      this.#elements.get(label)?.focus({ preventScroll: true });
    }
    this.#drag = {
      pointer: event.pointerId, from: this.#point(event), label: label ?? NEW, moved: false,
      box: label === null ? null : this.#boxOf(label), handle: handle ?? null,
    };
    this.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    event.stopPropagation();
    const to = this.#point(event);
    const [dx, dy] = [to.x - drag.from.x, to.y - drag.from.y];
    if (!drag.moved && Math.hypot(dx * this.clientWidth, dy * this.clientHeight) < SLOP) return;
    drag.moved = true;
    if (drag.box) {
      const { box, handle, label } = drag;
      this.#change(label, handle ? resizeBox(box, handle, dx, dy) : moveBox(box, dx, dy));
      return;
    }
    const box = boxBetween(drag.from, to);
    this.#band.hidden = !box;
    if (box) this.#place(this.#band, box, null);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    event.stopPropagation();
    this.#cancelDrag();
    if (drag.box) return this.save();
    const box = drag.moved ? boxBetween(drag.from, this.#point(event)) : null;
    if (box) this.#send("draw", { box });
  }

  #cancelDrag() {
    this.#drag = null;
    this.#band.hidden = true;
  }

  // MARK: Keys

  /** @param {KeyboardEvent} event */
  #key(event) {
    const label = this.#labelOf(event.target);
    if (label === null || event.altKey || event.isComposing) return;
    if (this.#press(event, label)) event.preventDefault();
  }

  /** @param {KeyboardEvent} event @param {string} label @returns {boolean} whether the key did something */
  #press(event, label) {
    const box = this.#boxOf(label);
    if (!box) return false;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (arrow) {
      const step = event.ctrlKey || event.metaKey ? 1 : STEP;
      const [dx, dy] = [arrow[0] * step / this.clientWidth, arrow[1] * step / this.clientHeight];
      this.#change(label, event.shiftKey ? resizeBox(box, "se", dx, dy) : moveBox(box, dx, dy));
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => {
        announce(this.#elements.get(label)?.getAttribute("aria-label") ?? "");
        this.save();
      }, SAVE_AFTER);
      return true;
    }
    if (event.key === "Enter") {
      if (label === NEW) {
        this.#dropDraft();
        this.#send("draw", { box });
      } else {
        this.save();
        this.#send("reclass", { label });
      }
    } else if (event.key === "Escape") {
      if (label === NEW) this.draw(false);
      else if (this.#draft) this.#dropDraft();
      else this.#focusStage();
    } else if ((event.key === "Delete" || event.key === "Backspace") && label !== NEW) {
      this.#dropDraft();
      this.#send("remove", { label });
    } else return false;
    return true;
  }
}

/**
 * Returns the drawing of an outline, which fills its box.
 * @param {number[][][]} polygons
 * @param {Box} box
 */
function outline(polygons, box) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "outline");
  svg.setAttribute("viewBox", "0 0 1 1");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  for (const rings of polygons) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", outlinePath(rings, box));
    svg.append(path);
  }
  return svg;
}

customElements.define("cairn-boxes", Boxes);
