// @ts-check
/** @file Edits the boxes of a photo: asks for classes and says what is being drawn. */

import { pickClass } from "../edits/actions.js";
import "./boxes.js";
import { h } from "../common/dom.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./boxes.js").Boxes} Boxes */
/** @typedef {import("../data/types.js").Box} Box */
/** @typedef {import("../data/types.js").Detail} Detail */

export class BoxEditor {
  boxes = /** @type {Boxes} */ (h("cairn-boxes"));
  /** Says how to draw, while drawing. */
  element = h("div", { class: "mode-bar", role: "status", hidden: true },
    h("span", null, t("photo.drawHint")),
    h("button", { type: "button", onclick: () => this.boxes.drawByKeys() }, t("photo.drawMiddle")),
    h("button", { type: "button", onclick: () => this.boxes.draw(false) }, t("photo.drawEnd")));
  /** @type {string|null} the class of the box drawn last */
  #latest = null;

  /**
   * @param {{detail: () => Detail|null, edit: (body: Record<string, any>) => Promise<any>,
   *   onMode: (drawing: boolean) => void}} options
   */
  constructor({ detail, edit, onMode }) {
    this.detail = detail;
    this.edit = edit;
    /** @type {(name: string, run: (detail: any) => void) => void} */
    const listen = (name, run) => this.boxes.addEventListener(name, (event) =>
      run(/** @type {CustomEvent} */ (event).detail));
    listen("draw", ({ box }) => { this.#add(box); });
    listen("change", ({ label, box }) => { this.edit({ do: "moveBox", label, box }); });
    listen("remove", ({ label }) => { this.edit({ do: "removeBox", label }); });
    listen("reclass", ({ label }) => { this.#reclass(label); });
    listen("mode", ({ drawing }) => {
      this.element.hidden = !drawing;
      onMode(drawing);
    });
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
    this.boxes.draw(false);
  }

  /**
   * Selects my box under the pointer.
   * @param {MouseEvent} event
   */
  selectAt(event) {
    const own = this.boxes.getBoundingClientRect();
    this.boxes.selectAt({
      x: (event.clientX - own.left) / own.width, y: (event.clientY - own.top) / own.height,
    });
  }

  /**
   * Asks for the class of a box and saves it.
   * @param {Box} box
   */
  async #add(box) {
    const photo = this.detail()?.photo.id;
    const near = this.detail()?.classes.map((entry) => entry.class) ?? [];
    if (this.#latest) near.unshift(this.#latest);
    const name = await pickClass({ title: t("photo.boxClass"), near });
    this.boxes.draw(false);
    if (!name || photo !== this.detail()?.photo.id) return;
    this.#latest = name;
    const answer = await this.edit({ do: "box", class: name, box });
    if (answer?.label) this.boxes.select(answer.label);
  }

  /** @param {string} label */
  async #reclass(label) {
    const find = () => this.detail()?.boxes.find((other) => other.label === label);
    const before = find();
    if (!before) return;
    const name = await pickClass({ title: t("photo.boxClass"), near: [before.class] });
    const now = find();
    if (name && now && name !== now.class) {
      await this.edit({ do: "moveBox", label, box: now.box, class: name });
    }
  }
}
