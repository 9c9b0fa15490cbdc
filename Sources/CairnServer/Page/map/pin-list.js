// @ts-check
/** @file `<cairn-pin-list>`: all pins by name, for finding one without the map. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { clear, h } from "../common/dom.js";
import { count } from "../common/format.js";
import { pinName } from "./pins.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Pin} Pin */

/** More pins than this are found by typing. */
const MOST = 200;

export class PinList extends HTMLElement {
  /** @type {Pin[]} */
  pins = [];
  request = 0;

  connectedCallback() {
    if (this.input) return;
    this.input = h("input", {
      type: "search", placeholder: t("pin-list.filter"), "aria-label": t("pin-list.filter"),
      autocomplete: "off", spellcheck: false, oninput: () => this.paint(),
    });
    this.list = h("ul", { class: "pin-items" });
    this.note = h("p", { class: "quiet", role: "status" });
    this.append(this.input, this.note, this.list);
  }

  async load() {
    this.request += 1;
    const own = this.request;
    try {
      const { pins } = await api.get("/api/pins");
      if (own !== this.request) return;
      this.pins = pins.sort((/** @type {Pin} */ a, /** @type {Pin} */ b) =>
        pinName(a).localeCompare(pinName(b)));
      this.paint();
    } catch (error) {
      report(error);
    }
  }

  paint() {
    if (!this.list || !this.input || !this.note) return;
    const text = this.input.value.trim().toLowerCase();
    const found = this.pins.filter((pin) => pinName(pin).toLowerCase().includes(text));
    this.note.textContent = this.pins.length === 0 ? t("pin-list.none")
      : found.length > MOST ? t("pin-list.more", { shown: MOST, n: found.length })
        : plural("pin-list.count", found.length);
    clear(this.list).append(...found.slice(0, MOST).map((pin) => h("li", null, h("button", {
      type: "button", class: "plain pin-item",
      onclick: () => this.dispatchEvent(new CustomEvent("pin-open", { bubbles: true, detail: pin })),
    }, h("span", null, pinName(pin)), h("span", { class: "quiet" }, count(pin.photos))))));
  }
}

customElements.define("cairn-pin-list", PinList);
