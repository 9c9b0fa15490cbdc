// @ts-check
/** @file The dialog that picks a class by its name, and creates new ones. */

import { confirmClass, report } from "./actions.js";
import { api, ApiError } from "../data/api.js";
import { closeDialog, showDialog, toast } from "../common/dialog.js";
import { clear, h } from "../common/dom.js";
import { count } from "../common/format.js";
import { store } from "../data/store.js";
import { t } from "../strings/strings.js";

/**
 * Has the person type a class, with completion; a new one is created after a question.
 * @param {{title?: string, near?: string[]}} options `near`: keys offered before typing
 * @returns {Promise<string|null>} the key of the class
 */
export async function pickClass({ title = t("actions.pick"), near = [] } = {}) {
  const first = [...near, ...store.classes.keys()]
    .filter((key, index, keys) => keys.indexOf(key) === index).slice(0, 9)
    .map((key) => store.classes.get(key)?.name ?? key);
  const name = await askName(title, first);
  if (!name) return null;
  try {
    const { exact, valid } = await api.get(
      `/api/classes/complete?text=${encodeURIComponent(name)}`);
    if (exact) return exact;
    if (valid === false) {
      toast(t("actions.invalidName", { name }), { kind: "error" });
      return null;
    }
    return await createClass(name);
  } catch (error) {
    report(error);
    return null;
  }
}

/**
 * @param {string} name
 * @returns {Promise<string|null>}
 */
async function createClass(name) {
  try {
    return (await api.post("/api/classes", { name })).class;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    const unknown = error.body.unknown ?? [{ name, suggestions: [] }];
    if (!(await confirmClass(unknown))) return null;
    const { class: key } = await api.post("/api/classes", { name, confirm: true });
    if (!store.classes.has(key)) {
      const info = { class: key, name, aliases: [], photos: 0 };
      store.update({ classes: new Map([...store.classes, [key, info]]) });
    }
    return key;
  }
}

/**
 * @param {string} text
 * @returns {string[]} names of the classes that contain it, those that begin with it first
 */
function knownNames(text) {
  const wanted = text.toLowerCase();
  const names = [...store.classes.values()].map(({ name }) => name);
  const starts = names.filter((name) => name.toLowerCase().startsWith(wanted));
  const contain = names.filter((name) => name.toLowerCase().indexOf(wanted) > 0);
  return [...starts, ...contain].slice(0, 9);
}

/** Reads on how many photos each class is now. */
async function readCounts() {
  /** @type {{classes: {class: string, photos: number}[]}} */
  const { classes } = await api.get("/api/classes").catch(() => ({ classes: [] }));
  for (const { class: key, photos } of classes) {
    const info = store.classes.get(key);
    if (info) info.photos = photos;
  }
}

/**
 * @param {string} title
 * @param {string[]} first
 * @returns {Promise<string|null>}
 */
function askName(title, first) {
  let names = first;
  let at = -1;
  let asked = 0;
  const list = h("ul", { class: "options", role: "listbox", id: "pick-list", tabIndex: -1, "aria-label": title });
  const input = h("input", {
    type: "text", class: "pick-input", autocomplete: "off", spellcheck: false, autofocus: true,
    role: "combobox", "aria-expanded": "true", "aria-controls": "pick-list",
    "aria-autocomplete": "list", "aria-label": title,
    oninput: async () => {
      const text = input.value.trim();
      asked += 1;
      const own = asked;
      // At once from what is known, so that a key never chooses from an old list.
      paint(text ? knownNames(text) : first);
      if (!text) return;
      const path = `/api/classes/complete?text=${encodeURIComponent(text)}`;
      const found = await api.get(path).catch(() => ({ names: [] }));
      if (own === asked && at === -1 && found.names.length > 0) paint(found.names);
    },
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.isComposing) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const step = event.key === "ArrowDown" ? 1 : -1;
        at = names.length === 0 ? -1 : (at + step + names.length) % names.length;
        mark();
      } else if (event.key === "Tab" && !event.shiftKey && names[Math.max(at, 0)]) {
        input.value = names[Math.max(at, 0)];
      } else if (event.key === "Enter") {
        closeDialog(body, at >= 0 ? names[at] : input.value.trim());
      } else return;
      event.preventDefault();
    },
  });
  const body = h("div", { class: "dialog-body pick" }, h("h2", null, title), input, list,
    h("p", { class: "quiet" }, t("actions.pickHint")));

  /** @param {string[]} next */
  function paint(next) {
    names = next;
    at = -1;
    clear(list).append(...names.map((name, index) => {
      const info = [...store.classes.values()].find((entry) => entry.name === name);
      return h("li", {
        role: "option", id: `pick-${index}`, "aria-selected": "false",
        onclick: () => closeDialog(body, name),
      }, h("span", null, name), info && h("span", { class: "quiet" }, count(info.photos)));
    }));
    mark();
  }

  function mark() {
    [...list.children].forEach((item, index) => {
      item.setAttribute("aria-selected", String(index === at));
      if (index === at) item.scrollIntoView({ block: "nearest" });
    });
    if (at >= 0) input.setAttribute("aria-activedescendant", `pick-${at}`);
    else input.removeAttribute("aria-activedescendant");
  }

  paint(first);
  readCounts().then(() => { if (at === -1) paint(names); });
  return showDialog(body, { label: title });
}
