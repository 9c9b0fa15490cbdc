// @ts-check
/** @file Title, caption and metadata of a photo. */

import { shownParams } from "../data/current-set.js";
import { clear, h } from "../common/dom.js";
import { bytes, count, dateTime } from "../common/format.js";
import { hashOf } from "../shell/router.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Detail} Detail */
/** @typedef {import("../data/types.js").Location} Location */
/** Saves a text; returns whether it was saved.
 * @typedef {(field: "title"|"caption", text: string) => Promise<boolean>} SaveText */

/** A text of the photo that is edited in place: saved when the field is left or with Enter. */
class TextField {
  /** @type {string|null} */
  #photo = null;
  #saved = "";
  /** @type {string|null} what is being saved, as it was typed */
  #sent = null;

  /** @param {"title"|"caption"} field @param {SaveText} save */
  constructor(field, save) {
    this.field = field;
    this.save = save;
    const props = {
      "aria-label": t(`photo-facts.${field}`), placeholder: t(`photo-facts.${field}Empty`),
      maxLength: field === "title" ? 500 : 10_000, spellcheck: true,
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      onblur: () => { this.commit(); },
    };
    this.input = field === "title" ? h("input", { type: "text", ...props })
      : h("textarea", { rows: 2, ...props });
    this.note = h("span", { class: "field-note", role: "status" });
    this.element = h("label", { class: `fact-field field-${field}` },
      h("span", { class: "field-name" }, t(`photo-facts.${field}`)), this.input, this.note);
  }

  get dirty() {
    return this.#photo !== null && this.input.value !== this.#saved;
  }

  /**
   * Shows the text of a photo; what the person is typing stays.
   * @param {Detail|null} detail
   * @param {boolean} readOnly
   */
  update(detail, readOnly) {
    const text = detail?.[this.field] ?? "";
    const other = (detail?.photo.id ?? null) !== this.#photo;
    if (other || !this.dirty) this.input.value = text;
    if (other) {
      this.note.textContent = "";
      this.#sent = null;
    }
    this.#photo = detail?.photo.id ?? null;
    this.#saved = text;
    this.input.readOnly = readOnly || !detail;
  }

  /** Saves what was typed; what is typed meanwhile stays, and is saved next. */
  async commit() {
    const typed = this.input.value;
    if (!this.dirty || typed === this.#sent || this.input.readOnly) return;
    const photo = this.#photo;
    const text = typed.trim();
    this.#sent = typed;
    const saved = await this.save(this.field, text);
    if (photo !== this.#photo) return;
    if (this.#sent === typed) this.#sent = null;
    if (saved) {
      this.#saved = text;
      if (this.input.value === typed) this.input.value = text;
    }
    this.note.textContent = t(saved ? "photo-facts.saved" : "photo-facts.notSaved");
    this.element.classList.toggle("failed", !saved);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      this.input.value = this.#saved;
      this.input.blur();
    } else if (event.key === "Enter" && (this.field === "title" || event.ctrlKey || event.metaKey)) {
      this.input.blur();
    } else return;
    event.preventDefault();
  }
}

export class FactsPanel {
  /** @param {SaveText} save */
  constructor(save) {
    this.title = new TextField("title", save);
    this.caption = new TextField("caption", save);
    this.list = h("dl", { class: "facts" });
    this.element = h("section", { class: "facts-panel", "aria-label": t("photo-facts.name") },
      this.title.element, this.caption.element, this.list);
  }

  /** Whether something was typed that is not saved. */
  get dirty() {
    return this.title.dirty || this.caption.dirty;
  }

  /** Saves what was typed, before another photo is shown, or none. */
  commit() {
    this.title.commit();
    this.caption.commit();
  }

  /** @param {Detail|null} detail @param {{readOnly: boolean}} options */
  update(detail, { readOnly }) {
    this.title.update(detail, readOnly);
    this.caption.update(detail, readOnly);
    clear(this.list);
    if (!detail) return;
    const { photo, credit } = detail;
    this.#fact("taken", dateTime(photo.taken));
    this.#fact("location", photo.location && mapLink(photo.location, detail.pinName));
    if (photo.location && detail.fileLocation && detail.pinName) {
      this.#fact("fileLocation", coordinates(detail.fileLocation));
    }
    this.#fact("altitude", detail.altitude != null && `${count(Math.round(detail.altitude))} m`);
    this.#fact("camera", detail.camera);
    this.#fact("size", `${count(photo.width)} × ${count(photo.height)} · ${detail.format} · ${bytes(detail.bytes)}`);
    this.#fact("source", detail.source);
    this.#fact("credit", credit && creditText(credit));
    this.#fact("path", h("code", null, detail.path));
    this.#fact("original", photo.local !== false && h("a", {
      href: `/api/photos/${photo.id}/image?download=1`, download: "",
    }, t("photo-facts.download")));
  }

  /** @param {string} name @param {Node|string|null|undefined|false} value */
  #fact(name, value) {
    if (!value) return;
    this.list.append(h("dt", null, t(`photo-facts.${name}`)), h("dd", null, value));
  }
}

/** @param {Location} location */
function coordinates([latitude, longitude]) {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}

/** @param {Location} location @param {string|null|undefined} pin */
function mapLink(location, pin) {
  const href = hashOf("map", { ...shownParams(), at: `${location[0]},${location[1]},14` });
  const text = pin ? `${pin} (${coordinates(location)})` : coordinates(location);
  return h("a", { href, title: t("photo.onMap") }, text);
}

/** @param {NonNullable<Detail["credit"]>} credit */
function creditText({ author, license, url, source }) {
  const text = [author, license, source].filter(Boolean).join(" · ");
  if (!url || !/^https?:\/\//.test(url)) return text || url || "";
  return h("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, text || url);
}
