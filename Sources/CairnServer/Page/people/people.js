// @ts-check
/** @file `<cairn-people>`: who is here, and what they look at. */

import { report } from "../edits/actions.js";
import { api } from "../data/api.js";
import { clear, h } from "../common/dom.js";
import { person } from "../common/format.js";
import { hashOf } from "../shell/router.js";
import { emit, on } from "../data/store.js";
import { t } from "../strings/strings.js";
import { thumbs } from "../data/thumbs.js";

/**
 * @typedef {object} PersonState
 * @property {string|null} id
 * @property {string} name
 * @property {boolean} online
 * @property {boolean} me
 * @property {{photo: string|null, view: string|null}|null} [looking]
 */

export class CairnPeople extends HTMLElement {
  visible = false;
  /** @type {PersonState[]} */
  people = [];
  list = h("ul", { class: "people" });

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("div", { class: "page-column" }, h("div", { class: "page-panels" },
      h("section", { class: "panel" }, h("h2", null, t("people.title")), this.list),
      h("section", { class: "panel" }, h("h2", null, t("people.invite")),
        h("p", null, t("people.inviteHint")),
        h("p", null, h("code", null, "cairn serve --lan --invite \"Bob <bob@example.org>\""))))));
    on("server:presence", (detail) => this.moved(detail));
    on("server:reset", () => { if (this.visible) this.load(); });
    on("connection", ({ online }) => { if (online && this.visible) this.load(); });
    on("thumb", ({ id }) => this.paintThumb(id));
  }

  show() {
    this.visible = true;
    this.load();
  }

  hide() { this.visible = false; }

  async load() {
    try {
      this.people = (await api.get("/api/people")).people;
      this.paint();
    } catch (error) {
      report(error);
    }
  }

  /** @param {{person: {id: string|null, name: string}, photo: string|null, view: string|null, online: boolean}} detail */
  moved({ person: one, photo, view, online }) {
    if (!this.visible) return;
    const known = this.people.find((other) => other.id === one.id && other.name === one.name);
    if (!known) {
      this.load();
      return;
    }
    known.online = online;
    // Someone who has just come looks at nothing yet.
    known.looking = view ? { photo, view } : online ? known.looking : null;
    this.paint();
  }

  paint() {
    const order = [...this.people].sort((a, b) => Number(b.me) - Number(a.me)
      || Number(b.online) - Number(a.online) || a.name.localeCompare(b.name));
    const held = document.activeElement instanceof HTMLElement
      && this.list.contains(document.activeElement) ? document.activeElement.dataset.person : null;
    clear(this.list).append(...order.map((one) => this.item(one)));
    thumbs.want(order.flatMap((one) => one.looking?.photo ?? []), { urgent: true });
    if (!held) return;
    const again = this.list.querySelector(`[data-person="${CSS.escape(held)}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {PersonState} one */
  item(one) {
    // People know where they are themselves.
    const looking = one.me ? null : one.looking;
    const view = looking?.view && one.online ? t(`people.view.${looking.view}`) : "";
    const photo = one.online ? looking?.photo : null;
    const name = one.name || person(one.id ?? "") || t("people.nobody");
    return h("li", { class: one.online ? "online" : "offline" },
      h("span", { class: "avatar", "aria-hidden": "true" }, initials(name)),
      h("div", { class: "person-text" },
        h("strong", null, name, one.me ? ` ${t("people.me")}` : ""),
        h("span", { class: "quiet" }, t(one.online ? "people.online" : "people.offline"),
          view ? ` · ${view}` : "")),
      photo ? h("a", {
        class: "person-photo", href: hashOf("photo", { id: photo }),
        dataset: { person: one.id ?? name }, "aria-label": t("people.open", { name }),
        onclick: (/** @type {Event} */ event) => {
          event.preventDefault();
          emit("open-photo", { id: photo, list: [photo] });
        },
      }, this.image(photo)) : "");
  }

  /** @param {string} id */
  image(id) {
    const image = h("img", { alt: "", dataset: { thumb: id } });
    const url = thumbs.url(id);
    if (url) image.src = url;
    image.style.backgroundColor = thumbs.color(id) ?? "";
    return image;
  }

  /** @param {string} id */
  paintThumb(id) {
    const url = thumbs.url(id);
    if (!this.visible || !url) return;
    for (const image of this.list.querySelectorAll(`[data-thumb="${CSS.escape(id)}"]`)) {
      /** @type {HTMLImageElement} */ (image).src = url;
    }
  }
}

/** @param {string} name */
function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  return words.slice(0, 2).map((word) => [...word][0].toUpperCase()).join("") || "?";
}

customElements.define("cairn-people", CairnPeople);
