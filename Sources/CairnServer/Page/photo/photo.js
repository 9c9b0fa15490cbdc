// @ts-check
/** @file `<cairn-photo>`: one photo with its labels, boxes, history and metadata. */

import { report } from "../edits/actions.js";
import { api, ApiError, CLIENT } from "../data/api.js";
import { shownParams } from "../data/current-set.js";
import { DecodedImages } from "../data/decoded.js";
import { toast } from "../common/dialog.js";
import { announce, h, saveSetting, setting } from "../common/dom.js";
import { classKeys } from "../edits/class-keys.js";
import { PhotoBar } from "./photo-bar.js";
import { BoxEditor } from "./photo-boxes.js";
import { PhotoEdits } from "./photo-edits.js";
import { FactsPanel } from "./photo-facts.js";
import { HistoryPanel } from "./photo-history.js";
import { registerPhotoKeys } from "./photo-keys.js";
import { LabelsPanel } from "./photo-labels.js";
import { aheadSide, PhotoStage } from "./photo-stage.js";
import { PhotoSteps } from "./photo-steps.js";
import { warnWhile } from "../shell/leaving.js";
import { current, navigate, origin } from "../shell/router.js";
import { patchRows } from "../data/rows.js";
import { emit, on, store } from "../data/store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Detail} Detail */
/** @typedef {import("../data/types.js").Row} Row */

/** How long changes are collected before the photo is read again, in milliseconds. */
const COLLECT = 40;

export class CairnPhoto extends HTMLElement {
  /** @type {string|null} */
  photo = null;
  /** @type {Detail|null} */
  detail = null;
  steps = new PhotoSteps();
  #images = new DecodedImages();
  #loading = 0;
  #collect = 0;
  #patching = false;
  edits = new PhotoEdits({
    photo: () => this.photo, detail: () => this.detail,
    reload: (id) => {
      clearTimeout(this.#collect);
      return this.#load(id);
    },
    goOn: () => { this.step(1); },
  });

  connectedCallback() {
    if (this.stage) return;
    this.bar = new PhotoBar(this);
    this.editor = new BoxEditor({
      detail: () => this.detail, edit: (body) => this.edits.send(body), onMode: (drawing) => this.#mode(drawing),
    });
    this.stage = new PhotoStage(this.#images, {
      overlay: this.editor.boxes, onSwipe: (direction) => this.step(-direction),
    });
    this.labels = new LabelsPanel({
      // What the panel shows is of the photo before, until this one is read.
      edit: (body) => { if (this.detail) this.edits.send(body); }, type: () => this.edits.typeClass(),
      draw: (mode) => this.draw(mode), selectBox: (label) => this.editor?.boxes.select(label),
    });
    this.facts = new FactsPanel((field, text) => this.saveText(field, text));
    this.past = new HistoryPanel();
    this.side = h("aside", { class: "photo-side", "aria-label": t("photo.side") },
      this.labels.element, this.facts.element, this.past.element);
    this.side.hidden = !setting("photoSide", true);
    this.append(this.bar.element, h("div", { class: "photo-body" },
      h("div", { class: "photo-stage" }, this.stage.element, this.editor.element,
        this.stage.controls), this.side));
    this.#listen();
    registerPhotoKeys(this);
    this.stage.keys("photo");
  }

  // MARK: Showing

  /** @param {Record<string, string>} params */
  show(params) {
    this.steps.choose(params.list);
    this.bar?.origin(origin()?.view ?? "grid");
    if (params.id && /^[0-9a-f]{64}$/.test(params.id)) this.open(params.id);
    else this.back();
  }

  hide() {
    this.editor?.finish();
    this.facts?.commit();
    this.stage?.hide();
    this.#images.keep([]);
    this.steps.choose();
    this.photo = null;
    this.detail = null;
  }

  /** @param {string} id */
  async open(id) {
    const { stage, editor, facts } = this;
    if (!stage || !editor || !facts) return;
    const fresh = this.photo === null;
    if (this.photo !== id) {
      editor.finish();
      facts.commit();
      this.detail = null;
      editor.update(null, { readOnly: true });
      facts.update(null, { readOnly: true });
      this.side?.setAttribute("aria-busy", "true");
    }
    this.photo = id;
    store.update({ focus: id });
    const row = store.rows.get(id);
    if (row) {
      this.#paintRow(row);
      stage.show(row);
    }
    const position = this.#locate(id);
    await this.#load(id);
    if (this.photo !== id) return;
    if (fresh && /** @type {any} */ (navigator).userActivation?.hasBeenActive) stage.element.focus({ preventScroll: true });
    await position;
    this.#prefetch();
  }

  /**
   * Reads the photo and paints it; the newest answer wins.
   * @param {string} id
   */
  async #load(id) {
    const request = this.#loading += 1;
    try {
      /** @type {Detail} */
      const detail = await api.get(`/api/photos/${id}`);
      if (request !== this.#loading || this.photo !== id) return;
      this.detail = detail;
      this.#patching = true;
      patchRows([detail.photo]);
      this.#patching = false;
      this.#paint();
    } catch (error) {
      if (this.photo !== id) return;
      if (error instanceof ApiError && error.status === 404) {
        toast(t("photo.unknown"));
        return this.back();
      }
      if (!this.detail) this.labels?.update(null, { readOnly: true, keys: new Map() });
      this.side?.removeAttribute("aria-busy");
      report(error);
    }
  }

  #paint() {
    const { detail, stage, editor, labels, facts, past } = this;
    if (!detail || !stage || !editor || !labels || !facts || !past) return;
    const readOnly = store.session?.readOnly ?? false;
    const keys = new Map(classKeys.list("photo").map((entry) => [entry.class, entry.key]));
    this.#paintRow(detail.photo);
    stage.show(detail.photo);
    stage.original = ["jpeg", "png", "webp"].includes(detail.format);
    editor.update(detail, { readOnly });
    labels.update(detail, { readOnly, keys });
    facts.update(detail, { readOnly });
    this.side?.removeAttribute("aria-busy");
    past.update(detail.photo.id, detail.version);
  }

  /** @param {Row} row */
  #paintRow(row) {
    this.bar?.update(row, { readOnly: store.session?.readOnly ?? false });
    this.bar?.info.setAttribute("aria-pressed", String(!this.side?.hidden));
    this.classList.toggle("removed", row.removed);
  }

  /**
   * Finds the photo in its list.
   * @param {string} id
   */
  async #locate(id) {
    const index = await this.steps.find(id);
    if (this.photo !== id) return;
    this.steps.index = index;
    this.bar?.place(index, this.steps.count);
  }

  /** Decodes the photos before and after this one. */
  async #prefetch() {
    const { photo: id } = this;
    if (!id) return;
    const ids = await this.steps.near();
    if (this.photo !== id) return;
    this.#images.keep([id, ...ids]);
    for (const other of ids) this.#images.load(other, aheadSide()).catch(() => {});
  }

  // MARK: Commands

  /**
   * Opens the photo before or after this one.
   * @param {number} step
   */
  async step(step) {
    const { photo: from, steps } = this;
    if (steps.index < 0) return;
    const found = await steps.next(step, from);
    if (!found) return announce(t(step > 0 ? "photo.last" : "photo.first"));
    if (this.photo !== from) return;
    steps.index = found.index;
    announce(found.row.name);
    navigate("photo", { ...current().params, id: found.row.id }, { replace: true });
  }

  /** Returns to the view that the photo was opened from. */
  back() {
    const { view, params } = origin() ?? { view: "grid", params: shownParams() };
    navigate(view, params);
  }

  onMap() {
    if (this.photo) emit("show-on-map", { id: this.photo });
  }

  toggleSide() {
    if (!this.side) return;
    this.side.hidden = !this.side.hidden;
    saveSetting("photoSide", !this.side.hidden);
    this.bar?.info.setAttribute("aria-pressed", String(!this.side.hidden));
  }

  toggleFavorite() {
    const row = this.#shownRow();
    if (row) this.edits.send({ do: "favorite", on: !row.favorite });
  }

  toggleRemoved() {
    const row = this.#shownRow();
    if (row) this.edits.send({ do: "remove", on: !row.removed });
  }

  /** The photo with the edits that the server has not acknowledged; null until it is read. */
  #shownRow() {
    const photo = this.detail?.photo;
    return photo ? store.rows.get(photo.id) ?? photo : null;
  }

  /**
   * Starts drawing; a second time ends it.
   * @param {"box"|"outline"} mode
   */
  draw(mode) {
    const boxes = this.editor?.boxes;
    if (this.detail) boxes?.draw(boxes.drawing === mode ? null : mode);
  }

  editTitle() {
    if (this.side?.hidden) this.toggleSide();
    this.facts?.title.input.focus();
  }

  escape() {
    if (this.editor?.boxes.drawing) this.editor.finish();
    else if (this.stage?.zoom.zoomed) this.stage.zoom.reset(this.stage.zoom.photo);
    else this.back();
  }

  /** @param {"title"|"caption"} field @param {string} text */
  async saveText(field, text) {
    return await this.edits.send({ do: field, text }) !== null;
  }

  // MARK: Events

  #listen() {
    warnWhile(() => this.edits.pending > 0 || (this.photo !== null && Boolean(this.facts?.dirty)));
    /** @param {string[]|null} ids */
    const changed = (ids) => {
      const id = this.photo;
      if (!id || this.#patching || (ids && !ids.includes(id))) return;
      clearTimeout(this.#collect);
      this.#collect = window.setTimeout(() => { if (this.photo === id) this.#load(id); }, COLLECT);
    };
    on("rows", ({ ids }) => {
      const row = this.photo ? store.rows.get(this.photo) : null;
      if (row?.pending && ids.includes(row.id)) this.#paintRow(row);
      else changed(ids);
    });
    on("server:photos", ({ ids, session }) => { if (session !== CLIENT) changed(ids); });
    on("server:dataset", () => changed(null));
    on("server:reset", () => changed(null));
    on("set-expired", async ({ set }) => {
      if (await this.steps.renew(set) && this.photo) this.#locate(this.photo);
    });
    on("store", ({ changed: names }) => {
      if (names.includes("classes")) this.#paint();
      if (names.includes("set") && this.photo) this.#locate(this.photo).then(() => this.#prefetch());
    });
    this.stage?.element.addEventListener("click", (event) => {
      if (!this.stage?.zoom.moved) this.editor?.selectAt(event);
    });
  }

  /** @param {import("./boxes.js").Drawing} drawing */
  #mode(drawing) {
    this.bar?.drawing.setAttribute("aria-pressed", String(drawing === "box"));
    this.bar?.outlining.setAttribute("aria-pressed", String(drawing === "outline"));
    this.stage?.element.classList.toggle("drawing", drawing !== null);
    if (drawing === "box") this.stage?.element.focus({ preventScroll: true });
  }
}

customElements.define("cairn-photo", CairnPhoto);
