// @ts-check
/** @file `<cairn-similarity>`: photos on a plane where similar ones are near each other. */

import { report } from "../edits/actions.js";
import { api, ApiError } from "../data/api.js";
import { shownParams } from "../data/current-set.js";
import { $, announce, clear, h, icon } from "../common/dom.js";
import { count } from "../common/format.js";
import { isRunning, jobProblem, JobProgress } from "../data/jobs.js";
import { attachGestures } from "../map/map-gestures.js";
import { navigate } from "../shell/router.js";
import { rows } from "../data/rows.js";
import { selection } from "../data/selection.js";
import { createNamedSet, GONE, placesOf } from "../data/sets.js";
import { emit, on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";
import { PointPanel } from "./similarity-photo.js";
import { registerSimilarityKeys } from "./similarity-keys.js";
import { decodePoints, inReadingOrder, nearest, within } from "./similarity-plane.js";
import { SimilaritySurface } from "./similarity-surface.js";

/** @typedef {import("./similarity-plane.js").Area} Area */
/** @typedef {import("../data/types.js").Job} Job */
/** @typedef {import("../data/types.js").SetInfo} SetInfo */

/**
 * @typedef {object} Answer
 * @property {boolean} computed
 * @property {number} photos
 * @property {number} missing photos of the set without a position
 * @property {{class: string, name: string, photos: number}[]} classes
 * @property {number[][]} points
 */

/** Milliseconds after a change of labels until the points are read again. */
const PAUSE = 1500;
/** The most photos of one map, as the server sends them. */
const MOST = 100_000;
/** The height of a line of points for the keyboard, in CSS pixels. */
const LINE = 40;

export class CairnSimilarity extends HTMLElement {
  visible = false;
  request = 0;
  timer = 0;
  /** @type {SetInfo|null} the set whose points are shown */
  set = null;
  /** @type {Answer|null} */
  answer = null;
  /** Whether what is shown may be out of date. */
  stale = true;
  /** @type {Promise<string[]>|null} ids of the set by index */
  loading = null;
  /** @type {string[]} those that are loaded */
  ids = [];
  /** Whether dragging draws an area. */
  drawing = false;
  following = false;

  canvas = h("canvas", {
    class: "canvas-surface similarity-canvas", tabIndex: 0, role: "application", "aria-label": t("similarity.name"),
    "aria-describedby": "similarity-hint",
  });
  surface = new SimilaritySurface(this.canvas);
  empty = h("div", { class: "similarity-empty", hidden: true });
  total = h("p", { class: "similarity-total" });
  stage = h("div", { class: "canvas-stage similarity-stage" }, this.canvas,
    h("p", { id: "similarity-hint", class: "visually-hidden" }, t("similarity.hint")), this.total, this.empty);
  colorBy = h("select", { onchange: () => this.read() });
  again = h("button", { type: "button", onclick: () => this.arrange() }, t("similarity.again"));
  notes = h("p", { class: "quiet" });
  progress = new JobProgress(t("similarity.progress"));
  legend = h("ul", { class: "similarity-legend", "aria-label": t("similarity.classes") });
  chosen = h("p", { role: "status" });
  choose = h("div", { class: "similarity-choose" });
  photo = new PointPanel(() => this.open());
  panel = h("aside", { class: "similarity-panel", "aria-label": t("similarity.panel") },
    h("label", { class: "field" }, t("similarity.colorBy"), this.colorBy), this.legend,
    h("p", { class: "quiet" }, t("similarity.legend")), this.chosen, this.choose, this.photo.element,
    this.notes, this.again, this.progress.element);

  connectedCallback() {
    if (this.stage.isConnected) return;
    this.area = h("button", {
      type: "button", class: "icon", "aria-label": t("similarity.area"), title: t("similarity.area"),
      "aria-pressed": "false", onclick: () => this.toggleDrawing(),
    }, icon("box"));
    /** @type {[string, string, () => void][]} */
    const tools = [["plus", "similarity.zoomIn", () => this.zoomBy(1)],
      ["minus", "similarity.zoomOut", () => this.zoomBy(-1)], ["fit", "similarity.fit", () => this.fit()]];
    this.stage.append(h("div", { class: "canvas-tools similarity-tools" }, tools.map(([name, key, run]) => h("button", {
      type: "button", class: "icon", "aria-label": t(key), title: t(key), onclick: run,
    }, icon(name))), this.area));
    const buttons = [["similarity.selectView", () => this.selectView()], ["similarity.grid", () => this.showInGrid()],
      ["similarity.none", () => selection.clear()]];
    this.choose.append(...buttons.map(([key, run]) => h("button", { type: "button", onclick: run },
      t(/** @type {string} */ (key)))));
    this.append(this.stage, this.panel);
    this.surface.idOf = (at) => this.idOf(at);
    attachGestures(/** @type {any} */ (this.surface), {
      itemAt: (place, slop) => {
        const at = nearest(this.surface.points, this.surface.camera, place, slop + 6, this.surface.filter);
        return at < 0 ? null : /** @type {any} */ ({ key: String(at), at });
      },
      canDrag: () => false, moved: () => this.moved(), drop: () => {},
      tap: (_, item) => this.tap(/** @type {any} */ (item)?.at ?? -1),
      longPress: (_, item) => {
        this.setFocus(/** @type {any} */ (item)?.at ?? -1);
        this.toggle();
      },
      area: (area) => this.select(within(this.surface.points, this.surface.camera, area, this.surface.filter)),
      draws: () => this.drawing,
    });
    registerSimilarityKeys(this);
    this.listen();
    this.showChosen();
  }

  listen() {
    new ResizeObserver(() => this.measure()).observe(this.stage);
    for (const name of ["photos", "classes", "dataset", "reset"]) on(`server:${name}`, () => this.readSoon());
    on("undone", () => this.readSoon());
    on("server:job", (/** @type {Job} */ job) => {
      if (job.kind !== "similarity") return;
      if (isRunning(job)) this.follow(Promise.resolve({ job: job.job }));
      else if (job.state === "done") this.readSoon(0);
    });
    on("store", ({ changed }) => {
      if (changed.includes("classSets")) this.showSets();
      if (changed.includes("set") && this.visible) this.read();
    });
    on("selection", () => this.markSelected());
    on("thumb", ({ id }) => {
      if (!this.visible) return;
      this.surface.redraw();
      this.photo.repaint(id);
    });
    on("rows", () => this.photo.repaint());
    on("connection", ({ online }) => { if (online) this.readSoon(0); });
    const recolor = () => { if (this.visible) this.surface.readColors(); };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
    new MutationObserver(recolor).observe(document.documentElement, {
      attributes: true, attributeFilter: ["data-theme"],
    });
  }

  show() {
    this.visible = true;
    this.again.hidden = store.session?.readOnly ?? false;
    this.surface.readColors();
    this.measure();
    this.showSets();
    const running = [...store.jobs.values()].find((job) => job.kind === "similarity" && isRunning(job));
    if (running) this.follow(Promise.resolve({ job: running.job }));
    if (this.stale || this.set !== store.set) this.read();
    else this.markSelected();
  }

  hide() {
    this.visible = false;
    clearTimeout(this.timer);
    this.surface.free();
  }

  /** Gives the map the size of its place, if that has changed. */
  measure() {
    const { clientWidth, clientHeight } = this.stage;
    const { camera, image } = this.surface;
    if (image && clientWidth === camera.width && clientHeight === camera.height) return;
    this.surface.resize(clientWidth, clientHeight);
  }

  // MARK: Reading

  /** @param {number} [pause] in milliseconds */
  readSoon(pause = PAUSE) {
    this.stale = true;
    clearTimeout(this.timer);
    if (this.visible) this.timer = window.setTimeout(() => this.read(), pause);
  }

  /** Offers the exclusive sets to tell photos apart by. */
  showSets() {
    const { value } = this.colorBy;
    const isFirst = this.colorBy.options.length === 0;
    clear(this.colorBy).append(h("option", { value: "" }, t("similarity.mostUsed")),
      ...store.classSets.map((set) => h("option", { value: set }, set)));
    const wanted = isFirst ? store.classSets[0] ?? "" : value;
    this.colorBy.value = store.classSets.includes(wanted) ? wanted : "";
  }

  async read() {
    const { set } = store;
    if (!set?.set) return;
    this.request += 1;
    const own = this.request;
    const search = new URLSearchParams({ set: set.set, exclusiveSet: this.colorBy.value });
    try {
      /** @type {Answer} */
      const answer = await api.get(`/api/similarity?${search}`);
      if (own !== this.request) return;
      if (set !== this.set) this.replaceSet(set);
      this.stale = false;
      this.answer = answer;
      this.paint(answer);
    } catch (error) {
      if (error instanceof ApiError && error.status === 410) emit("set-expired", { set });
      else if (!(error instanceof ApiError) || error.status !== 0) report(error);
    }
  }

  /** @param {SetInfo} set */
  replaceSet(set) {
    this.set = set;
    this.loading = null;
    this.ids = [];
    this.surface.filter.only = null;
    this.setFocus(-1);
  }

  /** @param {Answer} answer */
  paint(answer) {
    const { surface } = this;
    const focused = surface.focus < 0 ? null : surface.points.index[surface.focus];
    surface.points = decodePoints(answer.points);
    surface.focus = focused === null ? -1 : surface.points.index.indexOf(focused);
    if (surface.filter.only !== null && surface.filter.only >= answer.classes.length) surface.filter.only = null;
    this.total.textContent = answer.computed ? plural("similarity.total", answer.photos) : "";
    this.paintLegend();
    this.notes.textContent = answer.computed && answer.missing > 0
      ? plural("similarity.missing", answer.missing) : "";
    const readOnly = store.session?.readOnly ?? false;
    this.again.hidden = readOnly || !answer.computed;
    const isHeld = this.empty.contains(document.activeElement);
    this.empty.hidden = answer.computed;
    clear(this.empty).append(h("p", null, t(readOnly ? "similarity.notYet" : "similarity.start")),
      ...(readOnly ? [] : [h("button", { type: "button", class: "primary", onclick: () => this.arrange() },
        t("similarity.arrange"))]));
    if (isHeld) ((!answer.computed && $("button", this.empty)) || this.canvas).focus({ preventScroll: true });
    this.panel.hidden = !answer.computed;
    (answer.computed ? this.panel : this.empty).append(this.progress.element);
    this.measure();
    this.markSelected();
    surface.redraw();
  }

  paintLegend() {
    const { filter, points } = this.surface;
    const classes = this.answer?.classes ?? [];
    const rest = points.count - classes.reduce((sum, one) => sum + one.photos, 0);
    const swatch = (/** @type {string} */ name) => h("span", { class: "similarity-swatch", dataset: { color: name } });
    clear(this.legend).append(...classes.map((one, number) => h("li", null, h("button", {
      type: "button", "aria-pressed": String(filter.only === number), onclick: () => this.filterBy(number),
    }, swatch(String(number)), h("span", null, one.name), h("small", null, count(one.photos))))),
    ...(rest > 0 ? [h("li", { class: "similarity-rest" }, swatch("none"), h("span", null, t("similarity.rest")),
      h("small", null, count(rest)))] : []));
  }

  /** @param {number} number of a class; the one that is shown alone: shows all again */
  filterBy(number) {
    const { filter } = this.surface;
    filter.only = filter.only === number ? null : number;
    this.legend.querySelectorAll("button").forEach((button, at) =>
      button.setAttribute("aria-pressed", String(filter.only === at)));
    this.surface.redraw();
  }

  // MARK: Ids

  /** Loads the ids of the photos. */
  async load() {
    const { set } = this;
    if (!set) return this.ids;
    this.loading ??= placesOf(set, 0, Math.min(set.count, MOST));
    const { loading } = this;
    try {
      const ids = await loading;
      if (loading === this.loading) {
        this.ids = ids;
        this.surface.redraw();
      }
      return ids;
    } catch (error) {
      if (loading === this.loading) this.loading = null;
      throw error;
    }
  }

  /**
   * Returns the id of a photo; null while it is unknown. Has it loaded.
   * @param {number} at
   */
  idOf(at) {
    const id = this.ids[this.surface.points.index[at]];
    if (id === undefined) this.load().catch(() => {});
    return id && id !== GONE ? id : null;
  }

  // MARK: Selection

  /**
   * Selects photos.
   * @param {number[]} list
   */
  async select(list) {
    if (list.length === 0) {
      selection.clear();
      return announce(t("similarity.nothing"));
    }
    try {
      const ids = await this.load();
      selection.only(list.map((at) => ids[this.surface.points.index[at]]).filter((id) => id && id !== GONE));
      announce(plural("similarity.chosen", selection.size));
    } catch (error) {
      report(error);
    }
  }

  selectView() { this.select(this.surface.inView()); }

  selectAll() { selection.everything(); }

  /** Selects the photo with the focus, or no longer. */
  async toggle() {
    const { focus } = this.surface;
    if (focus < 0) return;
    await this.load().catch(report);
    const id = this.idOf(focus);
    if (id) selection.toggle(id);
  }

  /** Marks the points of selected photos. */
  async markSelected() {
    if (!this.visible || !this.answer) return;
    this.showChosen();
    const { surface } = this;
    if (selection.size === 0) {
      surface.selected = null;
      return surface.redraw();
    }
    const isAll = selection.all !== null && selection.all.except.size === 0;
    const ids = isAll ? [] : await this.load().catch(() => null);
    if (!ids) return;
    const { count: number, index } = surface.points;
    surface.selected = new Uint8Array(number).map((_, at) => isAll || selection.has(ids[index[at]]) ? 1 : 0);
    surface.redraw();
  }

  showChosen() {
    const { size } = selection;
    this.chosen.textContent = size > 0 ? plural("similarity.chosen", size) : t("similarity.noneChosen");
    for (const button of [...this.choose.children].slice(1)) {
      /** @type {HTMLButtonElement} */ (button).disabled = size === 0;
    }
  }

  /** Opens the selected photos in the grid, as a set of their own. */
  async showInGrid() {
    if (selection.size === 0) return announce(t("similarity.noneChosen"));
    if (selection.all) return navigate("grid", shownParams());
    try {
      const ids = [...selection.ids];
      emit("query", { set: await createNamedSet({ photos: ids }, plural("similarity.setName", ids.length)) });
    } catch (error) {
      report(error);
    }
  }

  escape() {
    if (this.drawing) return this.toggleDrawing();
    if (selection.size > 0) return selection.clear();
    if (this.surface.focus < 0) return false;
    this.setFocus(-1);
  }

  toggleDrawing() {
    this.drawing = !this.drawing;
    this.area?.setAttribute("aria-pressed", String(this.drawing));
    this.canvas.classList.toggle("drawing", this.drawing);
  }

  // MARK: Moving and the focus

  moved() {
    this.surface.redraw();
  }

  /** @param {number} dx @param {number} dy */
  panBy(dx, dy) {
    this.surface.camera.panBy(dx, dy);
    this.moved();
  }

  /** @param {number} step */
  zoomBy(step) {
    const { camera } = this.surface;
    camera.zoomAt(Math.round(camera.zoom) + step);
    this.moved();
  }

  fit() {
    this.surface.camera.fit();
    this.moved();
  }

  /** @param {number} at the point; -1: beside all points */
  tap(at) {
    if (at >= 0 && at === this.surface.focus) return this.open();
    this.setFocus(at);
  }

  /**
   * Moves the focus to another photo in view.
   * @param {number} step
   */
  focusNext(step) {
    const { surface } = this;
    const list = inReadingOrder(surface.points, surface.inView(), LINE / surface.camera.scale);
    if (list.length === 0) return announce(t("similarity.nothing"));
    const now = list.indexOf(surface.focus);
    const next = now < 0 ? step > 0 ? 0 : list.length - 1 : (now + step + list.length) % list.length;
    this.setFocus(list[next]);
  }

  /** @param {number} at -1: no photo */
  async setFocus(at) {
    const { surface } = this;
    surface.focus = at;
    surface.redraw();
    this.photo.show(null);
    if (at < 0 || this.set !== store.set) return;
    const row = await rows.load(surface.points.index[at]).catch(() => null);
    if (!row || surface.focus !== at) return;
    store.update({ focus: row.id });
    this.photo.show(row);
    announce(this.photo.text);
  }

  /** Opens the photo with the focus. */
  open() {
    const id = this.photo.row?.id;
    if (!id) return false;
    emit("open-photo", { id });
  }

  // MARK: Arranging

  arrange() {
    if (this.following) return;
    this.follow(api.post("/api/similarity"));
  }

  /**
   * Shows the progress until the photos are arranged.
   * @param {Promise<{job: string}>} request
   */
  async follow(request) {
    if (this.following) return;
    this.following = true;
    // The focus stays on the button, unlike on one that is disabled.
    this.again.setAttribute("aria-disabled", "true");
    const job = await this.progress.run(request);
    this.following = false;
    this.again.setAttribute("aria-disabled", "false");
    if (job?.error) this.notes.textContent = jobProblem(job);
    else if (job?.state === "done") this.readSoon(0);
  }
}

customElements.define("cairn-similarity", CairnSimilarity);
