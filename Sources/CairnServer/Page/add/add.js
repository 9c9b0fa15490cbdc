// @ts-check
/** @file `<cairn-add>`: adds files, folders and the phone's photos to the dataset. */

import { api } from "../data/api.js";
import { report } from "../edits/actions.js";
import { takeDropped } from "./drop.js";
import { announce, h, icon } from "../common/dom.js";
import { fill } from "../common/fill.js";
import { bytes, count } from "../common/format.js";
import { thumbLink } from "../photo/photo-history.js";
import { createNamedSet } from "../data/sets.js";
import { warnWhile } from "../shell/leaving.js";
import { emit, on, store } from "../data/store.js";
import { plural, said, t } from "../strings/strings.js";
import { looksLikePhoto, UploadQueue } from "./uploads.js";

/** @typedef {import("../data/types.js").Pin} Pin */
/** @typedef {import("./uploads.js").Upload} Upload */

/** Files of each kind that are listed; the others are counted. */
const LISTED = 60;
/** Pins that are offered. */
const MOST_PINS = 2000;
/** Bits in which the fingerprints of similar photos may differ. */
const SIMILAR = 4;
/** Time between two paintings, in milliseconds. */
const PAINT_PAUSE = 100;
/** @type {Upload["state"][]} */
const SECTIONS = ["failed", "similar", "known", "added"];

export class CairnAdd extends HTMLElement {
  #painting = 0;
  /** @type {WeakMap<Upload, HTMLElement>} elements of finished files */
  #elements = new WeakMap();
  #said = 0;
  /** The numbers of files that were left out, and why. */
  #leftOut = { notPhotos: 0, tooMany: 0, unreadable: 0 };
  #visible = false;
  /** What the person chose in the list of locations. The pin of an address is for one visit. */
  #chosen = "";
  /** The location that is selected as soon as the pins are read. */
  #location = "";
  /** @type {Promise<void>} */
  #pins = Promise.resolve();
  #queue = new UploadQueue(
    (path, file, options) => api.upload(path, file, options),
    { limit: () => store.session?.limits.upload ?? 1 << 28, tooLarge: () => t("add.tooLarge", {
      size: bytes(store.session?.limits.upload ?? 1 << 28),
    }) });

  connectedCallback() {
    if (this.result) return;
    warnWhile(() => this.#queue.left > 0);
    const readOnly = store.session?.readOnly ?? false;
    this.pin = h("select", {
      id: "add-pin", onchange: () => { this.#chosen = this.#location = this.pin?.value ?? ""; },
    });
    this.similar = h("input", { type: "checkbox" });
    this.progress = h("progress", { max: 1, value: 0, "aria-label": t("add.progress") });
    this.summary = h("p", { class: "add-summary", role: "status" });
    this.note = h("p", { role: "status", hidden: true });
    this.actions = h("div", { class: "add-actions" });
    this.status = h("section", { class: "add-status panel", hidden: true, "aria-label": t("add.progress") },
      this.summary, this.progress, this.note, this.actions);
    this.result = h("div", { class: "add-result" });
    this.append(h("div", { class: "add-page" },
      h("h2", null, t("add.title")),
      readOnly ? h("p", null, t("app.readOnly")) : this.#form(), this.status, this.result));
    this.#queue.addEventListener("change", () => this.#schedule());
    on("dropped", () => { if (this.#visible) this.#take(); });
    on("server:pins", () => { if (this.#visible) this.#pins = this.#readPins(); });
  }

  #form() {
    /** @param {string} name @param {string} label @param {Record<string, any>} props */
    const picker = (name, label, props) => {
      const input = h("input", {
        type: "file", hidden: true, "aria-label": t(label), ...props,
        onchange: () => { this.add([...input.files ?? []]); input.value = ""; },
      });
      return [input, h("button", { type: "button", onclick: () => input.click() }, icon(name), t(label))];
    };
    const photos = "image/jpeg,image/png,image/webp,image/heic,image/heif,image/avif,image/tiff,image/gif," +
      "image/bmp,.heic,.heif,.hif,.dng,.cr2,.cr3,.nef,.arw,.orf,.rw2,.raf,.pef";
    return h("div", { class: "add-form" },
      h("div", { class: "drop-zone" }, icon("upload"), h("p", { class: "drop-text" }, t("add.drop")),
        h("p", { class: "choose-text" }, t("add.choose")),
        h("div", { class: "add-pickers" },
          picker("add", "add.files", { multiple: true, accept: photos }),
          h("span", { class: "folder-picker" }, picker("grid", "add.folder", { webkitdirectory: true, multiple: true })),
          h("span", { class: "camera-picker" }, picker("camera", "add.camera", { accept: "image/*", capture: "environment" })))),
      h("div", { class: "add-options" },
        h("label", null, h("span", null, t("add.location")), this.pin ?? ""),
        h("label", { class: "check" }, this.similar ?? "", t("add.skipSimilar"))));
  }

  /** @param {Record<string, string>} params */
  show(params) {
    this.#visible = true;
    this.#location = params.pin ?? this.#chosen;
    this.#pins = this.#readPins();
    this.#take();
  }

  hide() {
    this.#visible = false;
  }

  /** Adds the dropped files, once their location is selected. */
  async #take() {
    await this.#pins;
    const { files, tooMany, unreadable } = takeDropped();
    this.#leftOut.tooMany += tooMany;
    this.#leftOut.unreadable += unreadable;
    if (tooMany + unreadable > 0) this.#schedule();
    if (files.length > 0) this.add(files);
  }

  /** Offers the pins; the one that is open is selected. */
  async #readPins() {
    const { pin } = this;
    if (!pin) return;
    const first = ["", "auto", "none"].map((value) =>
      h("option", { value }, t(`add.pin.${value || "near"}`)));
    if (pin.options.length === 0) fill(pin, first);
    /** @type {{pins: Pin[]}} */
    const { pins } = await api.get("/api/pins").catch(() => ({ pins: [] }));
    pins.sort((a, b) => a.name.localeCompare(b.name));
    fill(pin, first, pins.length > 0 && h("optgroup", { label: t("add.pins") },
      pins.filter((entry, at) => at < MOST_PINS || entry.pin === this.#location).map((entry) =>
        h("option", { value: entry.pin }, entry.name || entry.pin.slice(0, 8)))));
    pin.value = this.#location;
    if (pin.selectedIndex < 0) pin.value = "";
  }

  /** @param {File[]} files */
  add(files) {
    if (store.session?.readOnly) return;
    const photos = files.filter(looksLikePhoto);
    if (photos.length < files.length) {
      this.#leftOut.notPhotos += files.length - photos.length;
      this.#schedule();
    }
    this.#queue.add(photos, {
      pin: this.pin?.value || null, similar: this.similar?.checked ? SIMILAR : null,
    });
  }

  // MARK: Progress

  #schedule() {
    if (!this.#painting) this.#painting = window.setTimeout(() => this.#paint(), PAINT_PAUSE);
  }

  #paint() {
    this.#painting = 0;
    if (!this.status || !this.summary || !this.progress || !this.result) return;
    const { items, left } = this.#queue;
    const counts = this.#queue.counts();
    const leftOut = Object.entries(this.#leftOut).filter(([, n]) => n > 0);
    this.status.hidden = items.length + leftOut.length === 0;
    this.summary.hidden = this.progress.hidden = items.length === 0;
    this.progress.max = Math.max(items.length, 1);
    this.progress.value = items.length - counts.waiting - counts.sending;
    const parts = SECTIONS.filter((state) => counts[state] > 0)
      .map((state) => plural(`add.count.${state}`, counts[state])).reverse();
    this.summary.textContent = [left > 0 ? plural("add.left", left) : t("add.finished"), ...parts].join(" · ");
    if (left === 0 && items.length > 0 && this.#said !== items.length) {
      this.#said = items.length;
      announce(this.summary.textContent);
    }
    this.#paintActions(left, counts);
    const sections = SECTIONS.filter((state) => counts[state] > 0);
    fill(this.result, ...sections.map((state) => this.#section(state, counts[state])));
    if (this.note) {
      this.note.hidden = leftOut.length === 0;
      this.note.textContent = leftOut.map(([reason, n]) => plural(`add.${reason}`, n)).join(" ");
    }
  }

  /** @param {number} left @param {ReturnType<UploadQueue["counts"]>} counts */
  #paintActions(left, counts) {
    if (!this.actions) return;
    /** @param {string} name @param {() => void} onclick @param {string} [style] */
    const button = (name, onclick, style = "") => ({ name, onclick, style });
    const buttons = [
      left === 0 && counts.added > 0 && button("add.show", () => this.#showAdded(), "primary"),
      left > 0 && button("add.cancel", () => this.#queue.cancel()),
      counts.failed > 0 && left === 0 && button("add.retry", () => this.#queue.retry()),
      left === 0 && button("add.clear", () => this.#clear()),
    ].filter((entry) => entry !== false);
    const key = JSON.stringify(buttons);
    // Buttons that did not change keep the focus.
    if (this.actions.dataset.key === key) return;
    this.actions.dataset.key = key;
    fill(this.actions, ...buttons.map((entry) => entry && h("button", {
      type: "button", class: entry.style, onclick: entry.onclick,
    }, t(entry.name))).filter((node) => node !== false));
  }

  /** @param {Upload["state"]} state @param {number} total */
  #section(state, total) {
    const items = this.#queue.items.filter((item) => item.state === state);
    const shown = state === "added" ? items.slice(-LISTED).reverse() : items.slice(0, LISTED);
    return h("section", { class: `add-section ${state}` },
      h("h3", null, t(`add.section.${state}`), " ", h("span", { class: "quiet" }, count(total))),
      h("ul", { class: state === "failed" ? "add-problems" : "add-thumbs" },
        shown.map((item) => this.#item(item))),
      total > shown.length && h("p", { class: "quiet" }, plural("add.more", total - shown.length)));
  }

  /**
   * Returns the item's element, the same each time, so that its picture stays.
   * @param {Upload} item
   */
  #item(item) {
    const known = this.#elements.get(item);
    if (known) return known;
    const element = this.#create(item);
    this.#elements.set(item, element);
    return element;
  }

  /** @param {Upload} item */
  #create({ file, photo, state, message }) {
    if (state === "failed") {
      return h("li", null, h("strong", null, file.name), " ", h("span", { class: "problem" }, said(message)));
    }
    return h("li", null, photo && thumbLink(photo),
      h("span", { class: "thumb-name", title: file.name }, file.name),
      message && h("span", { class: "quiet" }, said(message)),
      photo?.removed && h("span", { class: "chip rejected" }, t("add.removed")));
  }

  #clear() {
    this.#leftOut = { notPhotos: 0, tooMany: 0, unreadable: 0 };
    this.#queue.clear();
  }

  async #showAdded() {
    const ids = this.#queue.items.filter(({ state }) => state === "added")
      .map(({ photo }) => photo?.id ?? "").filter(Boolean);
    const photos = [...new Set(ids)];
    try {
      emit("query", { set: await createNamedSet({ photos }, plural("add.shown", photos.length)) });
    } catch (error) {
      report(error);
    }
  }
}

customElements.define("cairn-add", CairnAdd);
