// @ts-check
/** @file Placing a pin: with a tap, or with the arrow keys and Enter in the middle of the map. */

import { clear, h } from "../common/dom.js";
import { store } from "../data/store.js";
import { t } from "../strings/strings.js";
import { pinName } from "./pins.js";

/** @typedef {import("../data/types.js").Pin} Pin */

export class PinPlacing {
  banner = h("div", { class: "map-banner", role: "status", hidden: true });
  cross = h("div", { class: "map-cross", "aria-hidden": "true", hidden: true });
  /**
   * The pin that is being moved, or added (`pin: null`).
   * @type {{pin: Pin|null}|null}
   */
  active = null;

  /**
   * @param {{focus: () => void, place: (pin: Pin|null) => void}} map `place` puts the pin into the
   *   middle of the map
   */
  constructor(map) {
    this.map = map;
  }

  /** @param {Pin|null} pin null: a new one */
  start(pin) {
    if (store.session?.readOnly) return;
    this.active = { pin };
    this.cross.hidden = false;
    this.banner.hidden = false;
    const text = pin ? t("map.placeMoved", { name: pinName(pin) }) : t("map.placeNew");
    clear(this.banner).append(h("span", null, text),
      h("button", { type: "button", class: "primary", onclick: () => this.map.place(pin) },
        t("map.here")),
      h("button", { type: "button", onclick: () => this.stop() }, t("dialog.cancel")));
    this.map.focus();
  }

  stop() {
    this.active = null;
    this.cross.hidden = true;
    this.banner.hidden = true;
  }
}
