// @ts-check
/** @file The map itself: camera, photos and pins in view, selection, address. */

import { report } from "../edits/actions.js";
import { api, ApiError } from "../data/api.js";
import { announce, h, saveSetting, setting } from "../common/dom.js";
import { count } from "../common/format.js";
import { decodeBase } from "./map-base.js";
import { boundsOf, contains, inReadingOrder, itemsOf } from "./map-items.js";
import {
  locationText, mostFitZoom, parsePlace, placeText, scaleBar, toWorld,
} from "./map-project.js";
import { MapSurface } from "./map-surface.js";
import { pinName } from "./pins.js";
import { current, navigate } from "../shell/router.js";
import { selection } from "../data/selection.js";
import { emit, on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";
import { thumbs } from "../data/thumbs.js";

/** @typedef {import("./map-items.js").Item} Item */
/** @typedef {import("./map-items.js").MapAnswer} MapAnswer */
/** @typedef {import("../data/types.js").Bounds} Bounds */

/** Milliseconds without movement after which photos and pins are read, and the address changes. */
const PAUSE = 90;
const SETTLED = 400;
/** The zoom at which all photos are read to find where they are. */
const FIT_ZOOM = 3;
/** How far beyond the view photos and pins are read, as a part of its size. */
const MARGIN = 0.3;
/** The greatest width of the scale, in pixels; the smallest is two fifths of it, which has room for its text. */
const MOST_SCALE = 150;

/** @type {Promise<import("./map-base.js").BaseMap|null>|null} */
let base = null;

/** Returns the base map, which is fetched once; null if it could not be, and is again next time. */
function readBase() {
  base ??= api.blob("/api/map/base").then((blob) => blob.arrayBuffer())
    .then(decodeBase).catch((error) => {
      if (!(error instanceof ApiError)) console.error(error);
      base = null;
      return null;
    });
  return base;
}

// The map is shown soon.
readBase();

export class MapView extends HTMLElement {
  visible = false;
  reading = 0;
  settled = 0;
  request = 0;
  placed = false;
  canvas = h("canvas", {
    class: "canvas-surface map-canvas", tabIndex: 0, role: "application", "aria-label": t("map.name"),
    "aria-describedby": "map-hint",
  });
  surface = new MapSurface(this.canvas);
  stage = h("div", { class: "canvas-stage map-stage" }, this.canvas,
    h("p", { id: "map-hint", class: "visually-hidden" }, t("map.hint")));
  scale = h("div", { class: "map-scale", "aria-hidden": "true" });
  credit = h("p", { class: "map-credit" });
  total = h("p", { class: "map-total" });

  /** Starts drawing and listening. Called once. */
  start() {
    this.stage.append(h("div", { class: "map-foot" }, this.total, this.scale, this.credit));
    new ResizeObserver(() => this.measure()).observe(this.stage);
    this.surface.readColors();
    this.drawBase();
    on("connection", ({ online }) => {
      if (!online || !this.visible) return;
      this.drawBase();
      this.read(0);
    });
    const again = () => this.read(300);
    for (const name of ["pins", "photos", "dataset", "reset"]) on(`server:${name}`, again);
    on("undone", again);
    on("store", ({ changed }) => { if (changed.includes("set")) this.read(0); });
    on("selection", () => this.markSelected());
    on("rows", () => { if (selection.ids.size > 0) this.markSelected(); });
    on("thumb", ({ id }) => {
      if (this.visible && this.surface.items.some((item) => item.photo === id)) {
        this.surface.redraw();
      }
    });
    const recolor = () => { if (this.visible) this.surface.readColors(); };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
    new MutationObserver(recolor).observe(document.documentElement, {
      attributes: true, attributeFilter: ["data-theme"],
    });
  }

  /** Draws the base map as soon as it is there. */
  async drawBase() {
    if (this.surface.base) return;
    this.surface.base = await readBase();
    this.surface.redraw();
  }

  /** Gives the map the size of its place, if that has changed. */
  measure() {
    const { clientWidth, clientHeight } = this.stage;
    const { camera, ratio } = this.surface;
    if (clientWidth === camera.width && clientHeight === camera.height
      && ratio === Math.min(devicePixelRatio || 1, 2)) return;
    this.surface.resize(clientWidth, clientHeight);
    this.moved();
  }

  /** @param {Record<string, string>} params */
  show(params) {
    const fresh = !this.visible;
    this.visible = true;
    this.measure();
    if (fresh) {
      this.surface.readColors();
      this.drawBase();
    }
    const wanted = parsePlace(params.at) ?? (this.placed ? null : parsePlace(setting("map", "")));
    if (wanted && params.at !== placeText(this.surface.camera)) {
      Object.assign(this.surface.camera, toWorld(wanted.latitude, wanted.longitude),
        { zoom: wanted.zoom });
      this.surface.camera.settle();
    }
    const isFirst = !wanted && !this.placed;
    this.placed = true;
    this.surface.isPlaced ||= !isFirst;
    this.moved();
    if (isFirst) this.fitAll();
    else this.read(0);
  }

  hide() {
    this.visible = false;
    clearTimeout(this.reading);
    clearTimeout(this.settled);
    this.surface.free();
  }

  /** Called when the camera has moved. */
  moved() {
    if (!this.visible) return;
    this.surface.redraw();
    this.paintScale();
    this.read(PAUSE);
    clearTimeout(this.settled);
    this.settled = window.setTimeout(() => this.keepPlace(), SETTLED);
  }

  keepPlace() {
    const { view, params } = current();
    // Until the photos are found, the camera is where nobody looked.
    if (view !== "map" || !this.surface.isPlaced) return;
    const at = placeText(this.surface.camera);
    navigate(view, { ...params, at, pin: this.openPinID() }, { silent: true });
    saveSetting("map", at);
  }

  paintScale() {
    const { camera } = this.surface;
    const { meters, pixels } = scaleBar(camera.metersPerPixel, MOST_SCALE);
    this.scale.style.width = `${pixels}px`;
    this.scale.textContent = meters < 1000 ? `${count(meters)} m` : `${count(meters / 1000)} km`;
    const tiles = store.session?.map.tiles;
    const shown = tiles && camera.zoom >= tiles.minzoom - 0.5;
    this.credit.textContent = [shown && this.surface.tiles.attribution, "Natural Earth"]
      .filter(Boolean).join(" · ");
  }

  /**
   * Reads what is in view after a pause; a later call replaces the earlier one.
   * @param {number} wait in milliseconds
   */
  read(wait) {
    if (!this.visible) return;
    clearTimeout(this.reading);
    this.reading = window.setTimeout(() => this.readNow(), wait);
  }

  /**
   * @param {Bounds} bounds
   * @param {number} zoom
   */
  ask([west, south, east, north], zoom) {
    // The query as it is now: on the map nothing loses its place. A named set has no query.
    const { set } = store;
    const photos = set?.key ? { set: set.set } : { query: set?.query ?? "" };
    const parts = { west, south, east, north, zoom, ...photos };
    const search = new URLSearchParams(Object.entries(parts).map(([key, x]) => [key, String(x)]));
    return api.get(`/api/map?${search}`);
  }

  async readNow() {
    const { camera } = this.surface;
    if (camera.width <= 1) return;
    this.request += 1;
    const own = this.request;
    try {
      const zoom = Math.round(camera.zoom * 2) / 2;
      const answer = await this.ask(camera.bounds(MARGIN), zoom);
      if (own === this.request) this.showItems(answer, zoom);
    } catch (error) {
      if (error instanceof ApiError && error.status === 410) emit("set-expired", { set: store.set });
      else if (!(error instanceof ApiError) || error.status !== 0) report(error);
    }
  }

  /**
   * @param {MapAnswer} answer
   * @param {number} zoom
   */
  showItems(answer, zoom) {
    this.surface.items = itemsOf(answer, zoom);
    this.total.textContent = plural("map.total", answer.total);
    const photosOf = (/** @type {Item[]} */ items) => items.flatMap((item) => item.photo ?? []);
    thumbs.want(photosOf(this.surface.items));
    thumbs.want(photosOf(inReadingOrder(this.surface.items, this.surface.camera)), { urgent: true });
    this.markSelected();
    this.itemsRead(answer);
  }

  /** Marks the clusters with selected photos. */
  markSelected() {
    if (!this.visible) return;
    const { surface } = this;
    const photos = surface.items.filter((item) => item.kind === "photos");
    const places = [...selection.ids].map((id) => store.rows.get(id)?.location ?? null);
    surface.selected = new Set(photos.filter((item) => selection.all
      || places.some((place) => place && contains(item.bounds, place))).map((item) => item.key));
    surface.redraw();
  }

  /**
   * Shows all photos of the query: at first in large cells, until those of its zoom are read. A map that
   * was moved while it waited stays where it is.
   */
  async fitAll() {
    const { surface } = this;
    clearTimeout(this.reading);
    this.request += 1;
    const own = this.request;
    const before = placeText(surface.camera);
    let answer = null;
    try {
      answer = await this.ask([-180, -90, 180, 90], FIT_ZOOM);
      const all = boundsOf(answer);
      if (all && placeText(surface.camera) === before) {
        surface.camera.fit(all, { padding: 88, mostZoom: mostFitZoom(all, store.session?.map.tiles) });
      }
    } catch {
      // The request below fails, too, and reports why.
    }
    surface.isPlaced = true;
    this.moved();
    if (answer && own === this.request && this.visible) this.showItems(answer, FIT_ZOOM);
    this.read(0);
  }

  /**
   * @param {number} dx
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.surface.camera.panBy(dx, dy);
    this.moved();
  }

  /** @param {number} steps */
  zoomBy(steps) {
    const { camera } = this.surface;
    camera.zoomAt(Math.round(camera.zoom * 2) / 2 + steps);
    this.moved();
  }

  /**
   * Moves the focus to another item in view and says what it is.
   * @param {number} step
   */
  focusNext(step) {
    const items = inReadingOrder(this.surface.items, this.surface.camera);
    if (items.length === 0) return announce(t("map.nothing"));
    const at = items.findIndex((item) => item.key === this.surface.focus);
    const next = items[at < 0 ? 0 : (at + step + items.length) % items.length];
    this.surface.focus = next.key;
    this.surface.redraw();
    this.canvas.focus();
    const place = locationText(next.location);
    announce(next.pin ? `${pinName(next.pin)}, ${plural("pin-panel.count", next.count)}, ${place}`
      : `${plural(next.kind === "pins" ? "map.pins" : "pin-panel.count", next.count)}, ${place}`);
  }

  /**
   * Called when what is in view was read.
   * @param {MapAnswer} _answer
   */
  itemsRead(_answer) {}

  /**
   * The pin of the address.
   * @returns {string|null}
   */
  openPinID() { return null; }
}
