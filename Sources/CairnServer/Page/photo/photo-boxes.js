// @ts-check
/** @file Edits the boxes and outlines of a photo: asks for classes, and says how to draw. */

import { pickClass } from "../edits/actions.js";
import "./boxes.js";
import { toast } from "../common/dialog.js";
import { h } from "../common/dom.js";
import { fill } from "../common/fill.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./boxes.js").Boxes} Boxes */
/** @typedef {import("./boxes.js").Drawing} Drawing */
/** @typedef {import("../data/types.js").Box} Box */
/** @typedef {import("../data/types.js").Detail} Detail */
/** @typedef {{box: Box} | {polygons: number[][][]}} Drawn */

export class BoxEditor {
  boxes = /** @type {Boxes} */ (h("cairn-boxes"));
  /** Says how to draw, while drawing. */
  element = h("div", { class: "mode-bar", role: "status", hidden: true });
  /** @type {string|null} the class of the box drawn last */
  #latest = null;

  /**
   * @param {{detail: () => Detail|null, edit: (body: Record<string, any>) => Promise<any>,
   *   onMode: (drawing: Drawing) => void}} options
   */
  constructor({ detail, edit, onMode }) {
    this.detail = detail;
    this.edit = edit;
    /** @type {(name: string, run: (detail: any) => void) => void} */
    const listen = (name, run) => this.boxes.addEventListener(name, (event) =>
      run(/** @type {CustomEvent} */ (event).detail));
    listen("draw", (drawn) => { this.#add(drawn); });
    listen("change", (change) => { this.edit({ do: "moveBox", ...change }); });
    listen("remove", ({ label }) => { this.edit({ do: "removeBox", label }); });
    listen("reclass", ({ label }) => { this.#reclass(label); });
    listen("refused", () => toast(t("boxes.few")));
    listen("mode", ({ drawing }) => {
      this.#showMode(drawing);
      onMode(drawing);
    });
  }

  /** @param {Drawing} drawing */
  #showMode(drawing) {
    const { boxes } = this;
    this.element.hidden = drawing === null;
    /** @type {(text: string, onclick: () => void) => HTMLElement} */
    const button = (text, onclick) => h("button", { type: "button", onclick }, t(text));
    fill(this.element, ...(drawing === "outline"
      ? [h("span", null, t("photo.outlineHint")),
        button("photo.outlineClose", () => boxes.outline.close()),
        button("photo.outlineBack", () => {
          boxes.outline.back();
          boxes.outline.element.focus({ preventScroll: true });
        })]
      : [h("span", null, t("photo.drawHint")), button("photo.drawMiddle", () => boxes.drawByKeys())]),
    button("photo.drawEnd", () => boxes.draw(null)));
  }

  /**
   * Shows the boxes of a photo; null: none.
   * @param {Detail|null} detail
   * @param {{readOnly: boolean}} options
   */
  update(detail, { readOnly }) {
    this.boxes.set(detail?.boxes ?? [], { editable: detail !== null && !readOnly });
  }

  /** Saves what waits and ends drawing. */
  finish() {
    this.boxes.save();
    this.boxes.draw(null);
  }

  /** What Enter does outside of the boxes, while drawing. */
  enter() {
    if (this.boxes.drawing === null) return false;
    if (this.boxes.drawing === "outline") this.boxes.outline.close();
    else this.boxes.drawByKeys();
  }

  /** What Backspace does outside of the boxes, while drawing. */
  back() {
    if (this.boxes.drawing !== "outline") return false;
    this.boxes.outline.back();
  }

  /**
   * Selects my box under the pointer.
   * @param {MouseEvent} event
   */
  selectAt(event) {
    if (this.boxes.drawing === null) this.boxes.selectAt(this.boxes.pointOf(event));
  }

  /**
   * Asks for the class of a new box or outline and saves it. Without a class, an outline stays, to
   * be gone on with.
   * @param {Drawn} drawn
   */
  async #add(drawn) {
    const photo = this.detail()?.photo.id;
    const near = this.detail()?.classes.map((entry) => entry.class) ?? [];
    if (this.#latest) near.unshift(this.#latest);
    const isOutline = "polygons" in drawn;
    const name = await pickClass({ title: t(isOutline ? "photo.outlineClass" : "photo.boxClass"), near });
    if (!name && isOutline) return this.boxes.outline.element.focus({ preventScroll: true });
    this.boxes.draw(null);
    if (!name || photo !== this.detail()?.photo.id) return;
    this.#latest = name;
    const answer = await this.edit({ do: "box", class: name, ...drawn });
    if (answer?.label) this.boxes.select(answer.label);
  }

  /** @param {string} label */
  async #reclass(label) {
    const find = () => this.detail()?.boxes.find((other) => other.label === label);
    const before = find();
    if (!before) return;
    const title = t(before.polygons ? "photo.outlineClass" : "photo.boxClass");
    const name = await pickClass({ title, near: [before.class] });
    const now = find();
    if (name && now && name !== now.class) await this.edit({ do: "moveBox", label, class: name });
  }
}
