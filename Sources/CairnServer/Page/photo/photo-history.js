// @ts-check
/** @file What happened to a photo: commits, and photos that look the same. Read when opened. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { shownParams } from "../data/current-set.js";
import { clear, h } from "../common/dom.js";
import { dateTime } from "../common/format.js";
import { hashOf } from "../shell/router.js";
import { emit } from "../data/store.js";
import { plural, said, t } from "../strings/strings.js";
import { thumbs } from "../data/thumbs.js";

/** @typedef {import("../data/types.js").Row} Row */
/** @typedef {{commit: string, author: string, time: string, summary: string, changes: {text: string}[]}} Entry */

/** A part of the panel that is read from the server each time it is open for another version. */
class LazyPart {
  /** @type {string|null} */
  #wanted = null;
  #shown = "";
  body = h("div", { class: "lazy-body" });

  /** @param {string} title @param {(id: string) => Promise<Node[]>} read */
  constructor(title, read) {
    this.read = read;
    this.element = h("details", { class: "lazy", ontoggle: () => this.#load() },
      h("summary", null, title), this.body);
  }

  /** @param {string|null} id @param {string} version */
  update(id, version) {
    const next = id && `${id} ${version}`;
    if (next === this.#wanted) return;
    if (id !== this.#wanted?.split(" ")[0]) clear(this.body);
    this.#wanted = next;
    this.#load();
  }

  async #load() {
    const wanted = this.#wanted;
    if (!this.element.open || !wanted || wanted === this.#shown) return;
    this.#shown = wanted;
    if (!this.body.firstChild) this.body.append(h("p", { class: "quiet" }, t("photo-history.reading")));
    try {
      const nodes = await this.read(wanted.split(" ")[0]);
      if (wanted === this.#wanted) this.body.replaceChildren(...nodes);
    } catch (error) {
      this.#shown = "";
      clear(this.body);
      report(error);
    }
  }
}

export class HistoryPanel {
  history = new LazyPart(t("photo-history.title"), readHistory);
  similar = new LazyPart(t("photo-history.similar"), readSimilar);
  element = h("section", { class: "history-panel", "aria-label": t("photo-history.name") },
    this.history.element, this.similar.element);

  /** @param {string|null} id @param {string} [version] */
  update(id, version = "") {
    this.history.update(id, version);
    this.similar.update(id, "");
  }
}

/** @param {string} id */
async function readHistory(id) {
  /** @type {{entries: Entry[], uncommitted: string[]}} */
  const { entries, uncommitted } = await api.get(`/api/photos/${id}/history?limit=50`);
  const items = entries.map((entry) => h("li", null,
    h("p", null, h("strong", null, entry.author), " ",
      h("span", { class: "quiet" }, `${dateTime(entry.time)} · ${entry.commit.slice(0, 8)}`)),
    h("ul", null, entry.changes.map(({ text }) => h("li", null, said(text))))));
  if (uncommitted?.length > 0) {
    items.unshift(h("li", null, h("p", null, h("strong", null, t("photo-history.uncommitted"))),
      h("ul", null, uncommitted.map((text) => h("li", null, said(text))))));
  }
  if (items.length === 0) return [h("p", { class: "quiet" }, t("photo-history.none"))];
  return [h("ol", { class: "history" }, items)];
}

/** @param {string} id */
async function readSimilar(id) {
  /** @type {{photos: {photo: Row, distance: number}[]}} */
  const { photos } = await api.get(`/api/photos/${id}/similar?distance=10`);
  if (photos.length === 0) return [h("p", { class: "quiet" }, t("photo-history.noSimilar"))];
  return [h("ul", { class: "similar" }, photos.slice(0, 24).map(({ photo, distance }) =>
    h("li", null, thumbLink(photo), h("span", { class: "quiet" },
      distance === 0 ? t("photo-history.same") : plural("photo-history.distance", distance)))))];
}

/**
 * Returns a thumbnail that opens its photo.
 * @param {Row} photo
 */
export function thumbLink(photo) {
  const image = h("img", {
    alt: photo.name, width: 96, height: 96, loading: "lazy", decoding: "async",
    src: thumbs.url(photo.id) ?? `/api/photos/${photo.id}/thumbnail`,
  });
  return h("a", {
    href: hashOf("photo", { ...shownParams(), id: photo.id }), class: "thumb-link",
    onclick: (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      emit("open-photo", { id: photo.id });
    },
  }, image);
}
