// @ts-check
/** @file `<cairn-pin-panel>`: what is open on the map: a pin or an area, with its photos. */

import { edit, pickClass, report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { closeDialog, confirmDialog, showDialog } from "../common/dialog.js";
import { clear, h, icon } from "../common/dom.js";
import "./fetch-panel.js";
import { locationText } from "./map-project.js";
import "./pin-grid.js";
import { pinName, removePin, renamePin } from "./pins.js";
import { hashOf, navigate } from "../shell/router.js";
import { RowPages } from "../data/rows.js";
import { selection } from "../data/selection.js";
import { on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Bounds} Bounds */
/** @typedef {import("../data/types.js").Pin} Pin */
/** @typedef {import("../data/types.js").SetInfo} SetInfo */
/** @typedef {import("./pin-grid.js").PinGrid} PinGrid */
/** @typedef {import("./fetch-panel.js").FetchPanel} FetchPanel */

/**
 * Returns a query that finds what matches both.
 * @param {string} query
 * @param {string} term
 */
export function both(query, term) {
  return query.trim() ? `(${query.trim()}) ${term}` : term;
}

export class PinPanel extends HTMLElement {
  /** @type {Pin|null} */
  pin = null;
  /** @type {Bounds|null} */
  bounds = null;
  /** @type {SetInfo|null} */
  set = null;
  everything = false;
  request = 0;
  stop = new AbortController();

  connectedCallback() {
    if (this.body) return;
    this.body = h("div", { class: "pin-body" });
    this.append(this.body);
    on("selection", () => this.paintSelection());
  }

  /** @param {Pin} pin */
  async openPin(pin) {
    const same = this.pin?.pin === pin.pin;
    this.pin = pin;
    this.bounds = null;
    if (same) return this.paintHead();
    this.everything = false;
    this.build();
    await this.load();
  }

  /** @param {Bounds} bounds */
  async openArea(bounds) {
    this.pin = null;
    this.bounds = bounds;
    this.everything = false;
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

  get term() {
    if (this.pin) return `pin:${this.pin.pin}`;
    // Outward, so that photos on the edge are found.
    const [west, south, east, north] = this.bounds ?? [0, 0, 0, 0];
    const down = (/** @type {number} */ x) => Math.floor(x * 1e6) / 1e6;
    const up = (/** @type {number} */ x) => Math.ceil(x * 1e6) / 1e6;
    return `in:${Math.max(-180, down(west))},${Math.max(-90, down(south))},`
      + `${Math.min(180, up(east))},${Math.min(90, up(north))}`;
  }

  get query() {
    return this.everything ? this.term : both(store.query, this.term);
  }

  build() {
    if (!this.body) return;
    const { pin } = this;
    const writes = !store.session?.readOnly;
    this.head = h("header", { class: "pin-head" });
    this.count = h("p", { class: "pin-count quiet", role: "status" });
    this.only = h("label", { class: "check pin-only", hidden: !store.query }, h("input", {
      type: "checkbox", checked: true, onchange: (/** @type {Event} */ event) => {
        this.everything = !(/** @type {HTMLInputElement} */ (event.target).checked);
        this.load();
      },
    }), h("span", null, t("pin-panel.only"), " ", h("code", null, store.query)));
    this.photos = /** @type {PinGrid} */ (h("cairn-pin-grid", { label: t("pin-panel.photos") }));
    this.chosen = h("div", { class: "pin-chosen", hidden: true });
    this.fetcher = pin && writes
      ? /** @type {FetchPanel} */ (h("cairn-fetch-panel", {
        onfetched: () => this.load(),
      })) : null;
    if (this.fetcher) this.fetcher.pin = pin;
    this.fetching = this.fetcher && h("details", { class: "pin-fetch" },
      h("summary", null, t("pin-panel.fetch")), this.fetcher);
    clear(this.body).append(this.head, this.count, this.only, this.photos, this.chosen,
      this.fetching ?? "");
    this.paintHead();
    this.paintSelection();
  }

  paintHead() {
    if (!this.head) return;
    const { pin } = this;
    if (this.fetcher) this.fetcher.pin = pin;
    const writes = !store.session?.readOnly;
    const title = pin ? pinName(pin) : t("pin-panel.area");
    const place = pin && h("p", { class: "quiet pin-place" }, locationText(pin.location));
    clear(this.head).append(
      h("div", { class: "pin-title" }, h("h2", { tabIndex: -1 }, title),
        h("button", {
          type: "button", class: "icon", "aria-label": t("pin-panel.close"),
          title: t("pin-panel.close"), onclick: () => this.tell("close"),
        }, icon("close"))),
      place ?? "",
      h("div", { class: "pin-tools" },
        h("button", {
          type: "button", onclick: () => navigate("grid", { q: this.query }),
        }, icon("grid"), t("pin-panel.grid")),
        pin && writes && this.tool("edit", t("pin-panel.rename"), () => this.rename()),
        pin && writes && this.tool("map", t("pin-panel.move"), () => this.tell("move")),
        pin && writes && h("a", { class: "button", href: hashOf("add", { pin: pin.pin }) },
          icon("add"), t("pin-panel.add")),
        pin && writes && this.tool("trash", t("pin-panel.remove"), () => this.removePin()),
        !pin && this.tool("check", t("pin-panel.select"), () => this.selectAll())));
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

  /** Reads the photos again; the grid keeps its place if they are the same number. */
  async load() {
    if (!this.pin && !this.bounds) return;
    this.request += 1;
    const own = this.request;
    try {
      const set = await api.post("/api/sets", { query: this.query, sort: "taken" });
      if (own !== this.request) return;
      const before = this.set;
      this.set = set;
      this.photos?.setAttribute("count", String(set.count));
      this.photos?.setAttribute("set", set.set);
      if (before) api.delete(`/api/sets/${before.set}`).catch(() => {});
      if (this.count) this.count.textContent = plural("pin-panel.count", set.count);
      if (this.photos) this.photos.hidden = set.count === 0;
      if (this.fetching && set.count === 0 && !this.everything && !store.query) {
        this.fetching.setAttribute("open", "");
      }
    } catch (error) {
      if (own === this.request) report(error);
    }
  }

  paintSelection() {
    if (!this.chosen || !this.photos) return;
    const n = selection.all ? 0 : selection.ids.size;
    this.chosen.hidden = n === 0 || store.session?.readOnly === true;
    this.photos.choosing = n > 0;
    if (n === 0) return;
    const replace = this.pin && this.fetcher;
    clear(this.chosen).append(
      h("strong", null, plural("pin-panel.chosen", n)),
      this.tool("check", t("pin-panel.label"), () => this.label()),
      this.tool("trash", t("pin-panel.removePhotos"), () => this.removePhotos()),
      replace ? this.tool("download", t("pin-panel.replace"), () => this.replace()) : "",
      h("button", { type: "button", onclick: () => selection.clear() }, t("pin-panel.none")));
  }

  async label() {
    const target = { photos: [...selection.ids] };
    const key = await pickClass();
    if (key) await edit({ do: "label", target, classes: [key] });
  }

  async removePhotos() {
    const done = await edit({ do: "remove", target: { photos: [...selection.ids] }, on: true });
    if (!done) return;
    selection.clear();
    await this.load();
  }

  /** Removes the selected photos and fetches as many others. */
  async replace() {
    const ids = [...selection.ids];
    this.fetching?.setAttribute("open", "");
    selection.clear();
    await this.fetcher?.replace(ids);
    await this.load();
  }

  /** Selects the photos of the area. */
  async selectAll() {
    if (!this.set || this.set.count === 0) return;
    const pages = new RowPages(this.set);
    try {
      selection.only(await pages.ids(0, this.set.count));
    } catch (error) {
      report(error);
    } finally {
      pages.close();
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
