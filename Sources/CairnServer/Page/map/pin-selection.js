// @ts-check
/** @file The selected photos of the open pin or area, and what the panel does with them. */

import { edit, pickClass, report, toastRemoved } from "../edits/actions.js";
import { clear, h, icon } from "../common/dom.js";
import { selectedIn } from "../data/selected-in.js";
import { selection } from "../data/selection.js";
import { on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("./pin-panel.js").PinPanel} PinPanel */

export class PinSelection {
  element = h("div", { class: "pin-chosen", hidden: true });
  #request = 0;
  /** What is painted, as text. */
  #painted = "";

  /** @param {PinPanel} panel */
  constructor(panel) {
    this.panel = panel;
    on("selection", () => this.update());
  }

  /** Returns the ids of the selected photos that the panel shows. */
  async ids() {
    const { set } = this.panel;
    return set ? selectedIn(set) : [];
  }

  /** Paints which photos are selected here. */
  async update() {
    this.#request += 1;
    const own = this.#request;
    try {
      const ids = await this.ids();
      if (own === this.#request) this.#paint(ids);
    } catch {
      // An expired set is read again, and then this, too.
      if (own === this.#request) this.#paint([]);
    }
  }

  /** @param {string[]} ids */
  #paint(ids) {
    const { size } = selection;
    const n = ids.length;
    const hasFetch = Boolean(this.panel.fetcher);
    this.element.hidden = size === 0 || !this.panel.set || store.session?.readOnly === true;
    this.panel.photos?.choose(ids);
    const painted = JSON.stringify([n, size, hasFetch]);
    if (painted === this.#painted) return;
    this.#painted = painted;
    /** @param {string} name @param {string} text @param {() => void} run */
    const tool = (name, text, run) => h("button", { type: "button", onclick: run }, icon(name), text);
    clear(this.element).append(
      h("strong", null, n === size ? plural("pin-panel.chosen", n)
        : plural("pin-panel.chosenHere", size, { here: n })),
      ...n === 0 ? [] : [tool("check", t("pin-panel.label"), () => this.label()),
        tool("trash", t("pin-panel.removePhotos"), () => this.remove())],
      n > 0 && hasFetch ? tool("download", t("pin-panel.replace"), () => this.replace()) : "",
      h("button", { type: "button", onclick: () => this.#none() }, t("pin-panel.none")));
  }

  /** The button is gone afterwards: the photos take the focus. */
  #none() {
    selection.clear();
    this.panel.photos?.list?.focus({ preventScroll: true });
  }

  async label() {
    const photos = await this.ids().catch(report) ?? [];
    const key = photos.length > 0 ? await pickClass() : null;
    if (key) await edit({ do: "label", target: { photos }, classes: [key] });
  }

  /** Removes the selected photos, or the one with the focus if none is selected here. */
  async remove() {
    if (await this.#removed(true)) await this.panel.load();
  }

  /** Removes the selected photos and fetches as many others. */
  async replace() {
    const n = await this.#removed(false);
    if (n === 0) return;
    this.panel.showFetch();
    await this.panel.fetcher?.fetch(n, false);
    await this.panel.load();
  }

  /**
   * Removes photos; returns how many were chosen, 0 if the person canceled it.
   * @param {boolean} orFocused
   */
  async #removed(orFocused) {
    const focused = orFocused ? this.panel.photos?.focusedID() : null;
    const selected = await this.ids().catch(report) ?? [];
    const photos = selected.length > 0 || !focused ? selected : [focused];
    if (photos.length === 0 || store.session?.readOnly) return 0;
    const result = await edit({ do: "remove", target: { photos }, on: true });
    if (!result) return 0;
    toastRemoved(result);
    selection.without(photos);
    return photos.length;
  }
}
