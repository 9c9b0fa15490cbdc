// @ts-check
/** @file `<cairn-pin-panel>`: what is open on the map: a pin or an area, with its photos. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { closeDialog, confirmDialog, showDialog } from "../common/dialog.js";
import { clear, h, icon } from "../common/dom.js";
import "./fetch-panel.js";
import { PanelPhotos } from "./panel-photos.js";
import { locationText } from "./map-project.js";
import "./pin-grid.js";
import { PinSelection } from "./pin-selection.js";
import { pinName, removePin, renamePin } from "./pins.js";
import { hashOf, navigate } from "../shell/router.js";
import { selection } from "../data/selection.js";
import { createNamedSet, idsOf } from "../data/sets.js";
import { emit, on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Bounds} Bounds */
/** @typedef {import("../data/types.js").Pin} Pin */
/** @typedef {import("../data/types.js").SetInfo} SetInfo */
/** @typedef {import("./pin-grid.js").PinGrid} PinGrid */
/** @typedef {import("./fetch-panel.js").FetchPanel} FetchPanel */

/** How long changes are collected before the photos are read again, in milliseconds. */
const PAUSE = 300;

export class PinPanel extends HTMLElement {
  /** @type {Pin|null} */
  pin = null;
  /** @type {Bounds|null} */
  bounds = null;
  /** @type {SetInfo|null} */
  set = null;
  content = new PanelPhotos(null, null);
  request = 0;
  /** Whether the photos may be others by now. */
  stale = false;
  timer = 0;
  chosen = new PinSelection(this);

  connectedCallback() {
    if (this.body) return;
    this.body = h("div", { class: "pin-body" });
    this.append(this.body);
    on("store", ({ changed }) => {
      if (!changed.includes("set")) return;
      this.paintOnly();
      this.later();
    });
    for (const name of ["photos", "dataset", "reset"]) on(`server:${name}`, () => this.later());
  }

  /** @param {Pin} pin */
  async openPin(pin) {
    const same = this.pin?.pin === pin.pin;
    this.pin = pin;
    this.bounds = null;
    if (same) return this.paintHead();
    this.build();
    await this.load();
  }

  /** @param {Bounds} bounds */
  async openArea(bounds) {
    this.pin = null;
    this.bounds = bounds;
    this.build();
    await this.load();
  }

  close() {
    this.pin = null;
    this.bounds = null;
    this.request += 1;
    this.release();
    if (this.body) clear(this.body);
  }

  /** The server keeps few sets: this one is given back. */
  release() {
    if (this.set) api.delete(`/api/sets/${this.set.set}`).catch(() => {});
    this.set = null;
  }

  build() {
    if (!this.body) return;
    this.release();
    this.content = new PanelPhotos(this.pin, this.bounds);
    const { pin } = this;
    const writes = !store.session?.readOnly;
    this.head = h("header", { class: "pin-head" });
    this.count = h("p", { class: "pin-count quiet", role: "status" });
    this.shown = h("span");
    this.only = h("label", { class: "check pin-only" }, h("input", {
      type: "checkbox", checked: true, onchange: (/** @type {Event} */ event) => {
        this.content.everything = !(/** @type {HTMLInputElement} */ (event.target).checked);
        this.load();
      },
    }), this.shown);
    this.photos = /** @type {PinGrid} */ (h("cairn-pin-grid", { label: t("pin-panel.photos") }));
    this.fetcher = pin && writes
      ? /** @type {FetchPanel} */ (h("cairn-fetch-panel", {
        onfetched: () => this.load(),
      })) : null;
    if (this.fetcher) this.fetcher.pin = pin;
    this.fetching = this.fetcher && h("details", { class: "pin-fetch" },
      h("summary", null, t("pin-panel.fetch")), this.fetcher);
    clear(this.body).append(this.head, this.count, this.only, this.photos,
      this.chosen.element, this.fetching ?? "");
    this.paintHead();
    this.paintOnly();
    this.chosen.update();
  }

  /** Names what the photos are limited to. */
  paintOnly() {
    if (!this.only || !this.shown) return;
    const { set, query } = store;
    this.only.hidden = !query && !set?.key;
    clear(this.shown).append(...set?.key ? [t("pin-panel.onlySet", { name: set.name })]
      : [t("pin-panel.only"), " ", h("code", null, query)]);
  }

  paintHead() {
    if (!this.head) return;
    const { pin } = this;
    if (this.fetcher) this.fetcher.pin = pin;
    const writes = !store.session?.readOnly;
    const title = pin ? pinName(pin) : t("pin-panel.area");
    const where = pin && locationText(pin.location);
    const shown = [pin?.pin, title, where].join("\n");
    // The focus may be on one of its buttons.
    if (this.head.dataset.shown === shown) return;
    this.head.dataset.shown = shown;
    const held = [...this.head.querySelectorAll("button, a")]
      .indexOf(/** @type {Element} */ (document.activeElement));
    const place = pin && h("p", { class: "quiet pin-place" }, where);
    clear(this.head).append(
      h("div", { class: "pin-title" }, h("h2", { tabIndex: -1 }, title),
        h("button", {
          type: "button", class: "icon", "aria-label": t("pin-panel.close"),
          title: t("pin-panel.close"), onclick: () => this.tell("close"),
        }, icon("close"))),
      place ?? "",
      h("div", { class: "pin-tools" },
        h("button", {
          type: "button", onclick: () => { this.showInGrid().catch(report); },
        }, icon("grid"), t("pin-panel.grid")),
        pin && writes && this.tool("edit", t("pin-panel.rename"), () => this.rename()),
        pin && writes && this.tool("map", t("pin-panel.move"), () => this.tell("move")),
        pin && writes && h("a", { class: "button", href: hashOf("add", { pin: pin.pin }) },
          icon("add"), t("pin-panel.add")),
        pin && writes && this.tool("trash", t("pin-panel.remove"), () => this.removePin()),
        !pin && this.tool("check", t("pin-panel.select"), () => this.selectAll())));
    if (held < 0) return;
    /** @type {HTMLElement} */ (this.head.querySelectorAll("button, a")[held])?.focus({ preventScroll: true });
  }

  /**
   * @param {string} name of the icon
   * @param {string} text
   * @param {() => void} run
   */
  tool(name, text, run) {
    return h("button", { type: "button", onclick: run }, icon(name), text);
  }

  /** @param {string} name what the map is to do: `close`, `move` */
  tell(name) {
    this.dispatchEvent(new CustomEvent(`pin-${name}`, { bubbles: true }));
  }

  /** Reads the photos again after a pause, once for many changes. */
  later() {
    this.stale = true;
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.refresh();
    }, PAUSE);
  }

  /** Reads the photos again if they are others by now. A hidden panel waits until it is shown. */
  async refresh() {
    if (!this.stale || this.getClientRects().length === 0) return;
    this.stale = false;
    if (await this.content.differFrom(this.set)) await this.load();
  }

  async showInGrid() {
    const { pin, set } = this;
    if (!set?.body.photos) return navigate("grid", { q: this.content.query });
    const name = `${pin ? pinName(pin) : t("pin-panel.area")} · ${store.set?.name ?? ""}`;
    emit("query", { set: await createNamedSet(set.body, name) });
  }

  /** Reads the photos again; the grid keeps its place. */
  async load() {
    if (!this.pin && !this.bounds) return;
    this.request += 1;
    this.stale = false;
    const own = this.request;
    try {
      const set = await this.content.create();
      if (own !== this.request) return;
      const before = this.set;
      this.set = set;
      this.photos?.setAttribute("set", set.set);
      this.chosen.update();
      if (before) api.delete(`/api/sets/${before.set}`).catch(() => {});
      if (this.count) this.count.textContent = plural("pin-panel.count", set.count);
      if (this.photos) this.photos.hidden = set.count === 0;
      if (this.fetching && set.count === 0 && set.body.query === this.content.term) {
        this.fetching.setAttribute("open", "");
      }
    } catch (error) {
      if (own === this.request) report(error);
    }
  }

  /** Selects the photos of the area. */
  async selectAll() {
    if (!this.set || this.set.count === 0) return;
    try {
      selection.only(await idsOf(this.set));
    } catch (error) {
      report(error);
    }
  }

  /** Opens the form that fetches photos, if there is one. */
  showFetch() {
    this.fetching?.setAttribute("open", "");
    this.fetching?.scrollIntoView({ block: "nearest" });
  }

  async rename() {
    const { pin } = this;
    if (!pin) return;
    const input = h("input", {
      type: "text", value: pin.name, maxLength: 200, autofocus: true, autocomplete: "off",
      "aria-label": t("pin-panel.name"),
    });
    const form = h("form", {
      class: "dialog-body", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        closeDialog(form, { name: input.value.trim() });
      },
    }, h("h2", null, t("pin-panel.name")), input, h("div", { class: "dialog-buttons" },
      h("button", { type: "button", onclick: () => closeDialog(form) }, t("dialog.cancel")),
      h("button", { type: "submit", class: "primary" }, t("pin-panel.rename"))));
    const answer = await showDialog(form, { label: t("pin-panel.name") });
    if (!answer || answer.name === pin.name) return;
    const renamed = await renamePin(pin, answer.name);
    if (renamed) await this.openPin(renamed);
  }

  async removePin() {
    const { pin } = this;
    if (!pin) return;
    const sure = pin.photos === 0 || await confirmDialog({
      title: t("pin-panel.removeTitle", { name: pinName(pin) }),
      text: plural("pin-panel.removeText", pin.photos), yes: t("pin-panel.remove"), danger: true,
    });
    if (sure && await removePin(pin)) this.tell("close");
  }
}

customElements.define("cairn-pin-panel", PinPanel);
