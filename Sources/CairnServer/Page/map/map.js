// @ts-check
/** @file `<cairn-map>`: the map with its tools, and a panel for what is open on it. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { announce, h, icon } from "../common/dom.js";
import { attachGestures } from "./map-gestures.js";
import { itemOf, pick } from "./map-items.js";
import { registerMapKeys } from "./map-keys.js";
import { MOST_ZOOM, toLocation, toWorld } from "./map-project.js";
import { MapView } from "./map-view.js";
import "./pin-list.js";
import "./pin-panel.js";
import { PinPlacing } from "./pin-placing.js";
import { addPin, movePin } from "./pins.js";
import { on, store } from "../data/store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./map-items.js").Item} Item */
/** @typedef {import("./map-items.js").MapAnswer} MapAnswer */
/** @typedef {import("./map-project.js").Point} Point */
/** @typedef {import("./pin-list.js").PinList} PinList */
/** @typedef {import("./pin-panel.js").PinPanel} PinPanel */
/** @typedef {import("../data/types.js").Bounds} Bounds */
/** @typedef {import("../data/types.js").Pin} Pin */

/** From this zoom on, a tap opens a cluster of photos instead of enlarging it. */
const CLOSE = 15;
/** At most this many photos are opened instead of enlarged. */
const FEW = 60;

export class CairnMap extends MapView {
  placing = new PinPlacing({
    focus: () => this.canvas.focus(), place: (pin) => this.place(this.surface.camera, pin),
  });
  pinPanel = /** @type {PinPanel} */ (h("cairn-pin-panel"));
  pinList = /** @type {PinList} */ (h("cairn-pin-list"));
  list = h("div", { class: "map-list", hidden: true }, h("div", { class: "pin-title" },
    h("h2", null, t("pin-list.title")), h("button", {
      type: "button", class: "icon", "aria-label": t("pin-panel.close"),
      onclick: () => this.toggleList(),
    }, icon("close"))), this.pinList);
  panel = h("aside", { class: "map-panel", "aria-label": t("map.panel"), hidden: true },
    this.list, this.pinPanel);

  connectedCallback() {
    if (this.stage.isConnected) return;
    /** @type {[string, string, () => any][]} */
    const tools = [["plus", "map.zoomIn", () => this.zoomBy(1)],
      ["minus", "map.zoomOut", () => this.zoomBy(-1)], ["fit", "map.fit", () => this.fitAll()],
      ["search", "map.list", () => this.toggleList()]];
    if (!store.session?.readOnly) tools.push(["map", "map.newPin", () => this.placing.start(null)]);
    this.stage.append(this.placing.cross, h("div", { class: "canvas-tools" }, tools.map(([name, key, run]) =>
      h("button", {
        type: "button", class: "icon", "aria-label": t(key), title: t(key), onclick: run,
      }, icon(name)))), this.placing.banner);
    this.append(this.stage, this.panel);
    this.start();
    attachGestures(this.surface, {
      itemAt: ({ x, y }, slop) => pick(this.surface.items, this.surface.camera, x, y, slop),
      canDrag: (item) => item.kind === "pin" && this.surface.open === item.key
        && !store.session?.readOnly && !this.placing.active,
      moved: () => this.moved(),
      tap: (point, item) => this.tap(point, item),
      longPress: (point, item) => this.longPress(point, item),
      drop: (item, point) => this.drop(item, point),
      area: (rectangle) => this.openArea(this.surface.camera.boundsOf(rectangle)),
    });
    registerMapKeys(this);
    on("server:pins", () => { if (!this.list.hidden) this.pinList.load(); });
    this.addEventListener("pin-close", () => this.closePanel());
    this.addEventListener("pin-move", () => this.movePin());
    this.addEventListener("pin-open", (event) => this.goTo(/** @type {CustomEvent} */ (event).detail));
  }

  /** @param {Record<string, string>} params */
  show(params) {
    super.show(params);
    const open = this.pinPanel.pin?.pin;
    if (params.pin && params.pin !== open) return void this.openPinByID(params.pin);
    this.pinPanel.refresh();
    // The pin that stayed open belongs to the address.
    if (open) this.keepPlace();
  }

  hide() {
    this.placing.stop();
    super.hide();
  }

  openPinID() { return this.pinPanel.pin?.pin ?? null; }

  /**
   * Shows the open pin as it is now.
   * @param {MapAnswer} answer
   */
  itemsRead(answer) {
    const { pin } = this.pinPanel;
    if (!pin) return;
    const now = answer.pins.find((other) => other.pin === pin.pin);
    const item = itemOf(now ?? pin);
    // An open pin is shown even where it is part of a cluster.
    if (!this.surface.items.some((other) => other.key === item.key)) this.surface.items.push(item);
    if (now) this.pinPanel.openPin(now);
  }

  /** @param {string} id */
  async openPinByID(id) {
    try {
      /** @type {Pin} */
      const pin = await api.get(`/api/pins/${encodeURIComponent(id)}`);
      if (!pin.removed) this.openItem(itemOf(pin));
    } catch (error) {
      report(error);
    }
  }

  // Pointer

  /**
   * @param {Point} point
   * @param {Item|null} item
   */
  tap(point, item) {
    const { active } = this.placing;
    if (active) this.place(this.surface.camera.unproject(point.x, point.y), active.pin);
    else if (item) this.openItem(item);
    else this.closePanel();
  }

  /**
   * A long press on a pin opens its fetching, elsewhere it drops a pin.
   * @param {Point} point
   * @param {Item|null} item
   */
  async longPress(point, item) {
    navigator.vibrate?.(15);
    if (item?.kind === "pin") {
      await this.openItem(item);
      this.pinPanel.showFetch();
    } else if (!store.session?.readOnly) {
      await this.place(this.surface.camera.unproject(point.x, point.y), null);
    }
  }

  /**
   * @param {Item} item
   * @param {Point} point
   */
  async drop(item, point) {
    if (!item.pin) return;
    const { x, y } = this.surface.camera.unproject(point.x, point.y);
    await this.place({ x, y }, item.pin);
  }

  movePin() {
    const { pin } = this.pinPanel;
    if (pin) this.placing.start(pin);
  }

  /**
   * Puts a pin at a point of the world.
   * @param {Point} at
   * @param {Pin|null} moved null: a new pin
   */
  async place(at, moved) {
    this.placing.stop();
    const location = toLocation(at);
    const pin = moved ? await movePin(moved, location) : await addPin(location);
    if (!pin) return this.read(0);
    const item = itemOf(pin);
    this.surface.items = [...this.surface.items.filter((one) => one.key !== item.key), item];
    await this.openItem(item);
    this.read(0);
  }

  // Panel

  /** @param {Item} item */
  async openItem(item) {
    const { surface } = this;
    const { camera } = surface;
    const [west, south, east, north] = item.bounds ?? [0, 0, 0, 0];
    const wide = west !== east || south !== north;
    const many = item.kind === "pins" || item.count > FEW;
    if (item.bounds && wide && many && camera.zoom < (item.kind === "pins" ? MOST_ZOOM - 1 : CLOSE)) {
      const least = camera.zoom + 1;
      camera.fit(item.bounds, { padding: 96, mostZoom: MOST_ZOOM });
      camera.zoomAt(Math.max(camera.zoom, least));
      announce(t("map.enlarged"));
      return this.moved();
    }
    surface.open = item.key;
    this.list.hidden = true;
    this.pinPanel.hidden = false;
    this.panel.hidden = false;
    this.keepInView(item);
    surface.redraw();
    const opened = item.pin ? this.pinPanel.openPin(item.pin) : item.bounds && this.pinPanel.openArea(item.bounds);
    // One of its photos may be opened before all is read, and returns to this address.
    this.keepPlace();
    await opened;
  }

  /** @param {Bounds} bounds */
  async openArea(bounds) {
    this.surface.open = null;
    this.list.hidden = true;
    this.pinPanel.hidden = false;
    this.panel.hidden = false;
    await this.pinPanel.openArea(bounds);
  }

  /** Opens the photos of what is in view. */
  openView() {
    this.openArea(this.surface.camera.bounds());
  }

  /**
   * Moves the map so that the panel does not cover an item.
   * @param {Item} item
   */
  keepInView(item) {
    this.measure();
    const { camera } = this.surface;
    const { x, y } = camera.project(item);
    const margin = Math.min(80, camera.width / 4, camera.height / 3);
    const dx = Math.max(margin - x, 0) || Math.min(camera.width - margin - x, 0);
    const dy = Math.max(margin - y, 0) || Math.min(camera.height - margin - y, 0);
    if (dx !== 0 || dy !== 0) this.panBy(dx, dy);
  }

  closePanel() {
    const inside = this.panel.contains(document.activeElement);
    this.pinPanel.close();
    this.panel.hidden = true;
    this.surface.open = null;
    this.surface.redraw();
    this.keepPlace();
    this.read(0);
    if (inside) this.canvas.focus({ preventScroll: true });
  }

  toggleList() {
    const opens = this.panel.hidden || this.list.hidden;
    this.closePanel();
    this.panel.hidden = this.list.hidden = !opens;
    this.pinPanel.hidden = opens;
    if (!opens) return;
    this.pinList.load();
    this.pinList.input?.focus();
  }

  /**
   * Shows and opens a pin.
   * @param {Pin} pin
   */
  goTo(pin) {
    const { camera } = this.surface;
    Object.assign(camera, toWorld(...pin.location), { zoom: Math.max(camera.zoom, 11) });
    camera.settle();
    this.moved();
    this.openItem(itemOf(pin));
    this.canvas.focus();
  }

  // Keyboard

  enter() {
    const { active } = this.placing;
    if (active) return this.place(this.surface.camera, active.pin);
    const item = this.surface.items.find((one) => one.key === this.surface.focus);
    if (!item) return false;
    this.openItem(item);
    return true;
  }

  /**
   * Does something with the open pin, otherwise with the one that has the focus.
   * @param {(panel: PinPanel) => any} run
   */
  async withPin(run) {
    const item = this.surface.items.find((one) => one.key === this.surface.focus);
    if (!this.pinPanel.pin && item?.pin) await this.openItem(item);
    if (this.pinPanel.pin && (this.pinPanel.fetcher || !store.session?.readOnly)) run(this.pinPanel);
  }

  escape() {
    if (this.placing.active) return this.placing.stop();
    if (!this.panel.hidden) return this.closePanel();
    if (this.surface.focus === null) return false;
    this.surface.focus = null;
    return this.surface.redraw();
  }
}

customElements.define("cairn-map", CairnMap);
