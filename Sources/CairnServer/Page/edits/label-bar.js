// @ts-check
/** @file The classes with keys: 1–9 and free letters; and the commands on the chosen photos. */

import { edit, pickClass } from "./actions.js";
import { closeDialog, showDialog, toast } from "../common/dialog.js";
import { $, clear, h, saveSetting, setting } from "../common/dom.js";
import { className, count } from "../common/format.js";
import { registerKeys } from "../shell/keys.js";
import { selection } from "../data/selection.js";
import { emit, on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Row} Row */
/** @typedef {import("../data/types.js").Target} Target */

/** Keys for classes, in the order in which they are given out; the grid has no others of these. */
const KEYS = [..."123456789", ..."bdehijklmnopqtvyz"];

/** @returns {string} */
function settingName() {
  return `classKeys.${store.session?.dataset.name ?? ""}`;
}

/** @type {Map<string, string>} class by key */
let assigned = new Map();
/** @type {() => void} */
let unregister = () => {};

/** Gives keys to classes that have none; a class keeps its key while its numbers change. */
function assign() {
  /** @type {Record<string, string>} */
  const saved = setting(settingName(), {});
  const next = new Map(Object.entries(saved).filter(([key, name]) =>
    KEYS.includes(key) && store.classes.has(name)));
  const taken = new Set(next.values());
  const free = KEYS.filter((key) => !next.has(key));
  for (const name of store.classes.keys()) {
    const key = taken.has(name) ? undefined : free.shift();
    if (key) next.set(key, name);
  }
  assigned = new Map(KEYS.filter((key) => next.has(key))
    .map((key) => [key, /** @type {string} */ (next.get(key))]));
  if (store.classes.size > 0) saveSetting(settingName(), Object.fromEntries(assigned));
  unregister();
  unregister = registerKeys("grid", classKeys.list().flatMap((entry) => [
    { key: entry.key, run: () => { labelChosen(entry.class, "present"); } },
    { key: `shift+${entry.key}`, run: () => { labelChosen(entry.class, "absent"); } },
  ]));
}

export const classKeys = {
  /**
   * Returns the classes with keys: digits first.
   * @returns {{key: string, class: string, name: string}[]}
   */
  list() {
    return [...assigned].map(([key, name]) => ({ key, class: name, name: className(name) }));
  },

  /**
   * Returns the class of a key, or null.
   * @param {string} key
   */
  classOf(key) {
    return assigned.get(key) ?? null;
  },

  /**
   * Returns the key of a class, or null.
   * @param {string} name
   */
  keyOf(name) {
    for (const [key, other] of assigned) if (other === name) return key;
    return null;
  },

  /**
   * Gives a class a key; a class that had it gets another.
   * @param {string} key
   * @param {string} name
   */
  set(key, name) {
    const next = new Map([...assigned].filter(([other, held]) => other !== key && held !== name));
    next.set(key, name);
    saveSetting(settingName(), Object.fromEntries(next));
    assign();
    for (const bar of document.querySelectorAll("cairn-label-bar")) {
      /** @type {LabelBar} */ (bar).paint();
    }
  },
};

/**
 * Labels the selection, or the photo with the focus and goes on to the next.
 * @param {string} name
 * @param {"present"|"absent"} verdict
 */
export async function labelChosen(name, verdict) {
  const single = selection.size === 0;
  const target = await selection.chosen();
  if (!target) return void emit("focus-view");
  const focused = single && "photos" in target && target.photos[0] === store.focus;
  if (focused && setting("advance", true)) {
    document.querySelector("cairn-grid")?.dispatchEvent(new CustomEvent("advance"));
  }
  const result = await edit({ do: "label", target, classes: [name], verdict });
  if (result && !result.job && result.changed === 0) toast(t("label-bar.already"));
}

/**
 * @param {Target} target
 * @returns {Row[]} the photos of a target whose rows are loaded
 */
function rowsOf(target) {
  if (!("photos" in target)) return [];
  return target.photos.flatMap((id) => store.rows.get(id) ?? []);
}

/**
 * Accepts, rejects or withdraws the strongest class of each chosen photo; asks for the class
 * when the choice is all that match.
 * @param {"accept"|"reject"|"withdraw"} action
 */
export async function judgeChosen(action) {
  const target = await selection.chosen();
  if (!target) return void emit("focus-view");
  /** @param {Row} row */
  const strongest = (row) => row.classes.find((entry) =>
    action === "withdraw" ? entry.mine : entry.state === "predicted")?.class;
  const rows = rowsOf(target);
  if (!("photos" in target) || rows.length < target.photos.length) {
    const name = await pickClass({ title: t(`label-bar.${action}Which`) });
    if (name) await edit({ do: action, target, class: name });
    return;
  }
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const row of rows) {
    const name = strongest(row);
    if (name) groups.set(name, [...(groups.get(name) ?? []), row.id]);
  }
  if (groups.size === 0) toast(t(`label-bar.${action}None`));
  for (const [name, photos] of groups) {
    await edit({ do: action, target: { photos }, class: name });
  }
}

/**
 * Turns `favorite` or `remove` on, or off if all chosen photos have it.
 * @param {"favorite"|"remove"} action
 */
export async function switchChosen(action) {
  const target = await selection.chosen();
  if (!target) return void emit("focus-view");
  const rows = rowsOf(target);
  const member = action === "favorite" ? "favorite" : "removed";
  const active = !(rows.length > 0 && rows.every((row) => row[member]));
  const result = await edit({ do: action, target, on: active });
  if (result?.changed && action === "remove") {
    toast(plural(active ? "label-bar.removed" : "label-bar.restored", result.changed));
  }
}

/**
 * Has the person type a class for the chosen photos.
 * @param {"present"|"absent"} [verdict]
 */
export async function typeClass(verdict = "present") {
  if (!(await selection.chosen())) return void emit("focus-view");
  const name = await pickClass({ title: t("label-bar.typed") });
  if (name) await labelChosen(name, verdict);
}

/** The dialog that gives classes their keys. */
async function editKeys() {
  const body = h("div", { class: "dialog-body" }, h("h2", null, t("label-bar.keys")),
    h("label", { class: "check" }, h("input", {
      type: "checkbox", checked: setting("advance", true), autofocus: true,
      onchange: (/** @type {Event} */ event) => saveSetting("advance",
        /** @type {HTMLInputElement} */ (event.target).checked),
    }), t("label-bar.advance")),
    h("div", { class: "key-table" }, [...store.classes.values()].slice(0, 200).map((info) => {
      const select = h("select", {
        "aria-label": t("label-bar.keyOf", { name: info.name }),
        onchange: () => { if (select.value) classKeys.set(select.value, info.class); },
      }, h("option", { value: "" }, "–"), KEYS.map((key) => h("option", { value: key }, key)));
      select.value = classKeys.keyOf(info.class) ?? "";
      return h("label", null, select, " ", info.name);
    })),
    h("div", { class: "dialog-buttons" }, h("button", {
      type: "button", class: "primary", onclick: () => closeDialog(body),
    }, t("label-bar.done"))));
  await showDialog(body, { label: t("label-bar.keys") });
}

export class LabelBar extends HTMLElement {
  connectedCallback() {
    if (this.target) return;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", t("label-bar.name"));
    on("store", ({ changed }) => {
      if (changed.includes("classes") || changed.includes("session")) {
        assign();
        this.paint();
      } else if (changed.includes("set")) this.paintTarget();
    });
    on("selection", () => this.paintTarget());
    assign();
    this.paint();
  }

  paint() {
    const readOnly = store.session?.readOnly ?? false;
    const held = this.querySelector(":focus")?.getAttribute("aria-keyshortcuts");
    this.target = h("div", { class: "label-target" });
    /**
     * @param {string} key
     * @param {string} text
     * @param {() => void} onclick
     */
    const command = (key, text, onclick) => h("button", {
      type: "button", class: "command", disabled: readOnly, onclick, "aria-keyshortcuts": key,
    }, h("kbd", { "aria-hidden": "true" }, key), " ", h("span", null, text));
    const classes = classKeys.list();
    const palette = classes.length === 0 ? h("p", { class: "palette quiet" }, t("label-bar.noClasses"))
      : h("div", { class: "palette", role: "toolbar", "aria-label": t("label-bar.classes") },
      classes.map((entry) => h("button", {
        type: "button", class: "class-key", disabled: readOnly, tabIndex: -1,
        title: t("label-bar.hint", { key: entry.key, name: entry.name }),
        "aria-keyshortcuts": entry.key, dataset: { class: entry.class },
        onclick: (/** @type {MouseEvent} */ event) => {
          labelChosen(entry.class, event.shiftKey ? "absent" : "present");
        },
      }, h("kbd", { "aria-hidden": "true" }, entry.key), h("span", null, entry.name),
      h("span", { class: "count", "aria-hidden": "true" },
        count(store.classes.get(entry.class)?.photos ?? 0)))));
    if (classes.length > 0) rove(palette);
    clear(this).append(palette, this.target,
      h("div", { class: "commands" },
        command("c", t("label-bar.other"), () => typeClass()),
        command("a", t("label-bar.accept"), () => judgeChosen("accept")),
        command("r", t("label-bar.reject"), () => judgeChosen("reject")),
        command("w", t("label-bar.withdraw"), () => judgeChosen("withdraw")),
        command("f", t("label-bar.favorite"), () => switchChosen("favorite")),
        h("button", { type: "button", class: "command wordy", onclick: editKeys },
          t("label-bar.edit"))));
    this.paintTarget();
    if (held) $(`[aria-keyshortcuts="${CSS.escape(held)}"]`, this)?.focus({ preventScroll: true });
  }

  paintTarget() {
    if (!this.target) return;
    const size = selection.size;
    const total = store.set?.count ?? 0;
    /**
     * @param {string} text
     * @param {() => void} onclick
     */
    const button = (text, onclick) => h("button", { type: "button", class: "plain", onclick }, text);
    const all = button(t("label-bar.all", { n: total }), () => selection.everything());
    /** @type {HTMLButtonElement} */ (all).disabled = size >= total;
    clear(this.target).append(all, size > 0 ? button(t("label-bar.clear"), () => {
      selection.clear();
      emit("focus-view");
    }) : "", size > 0 ? h("strong", null, plural("label-bar.selected", size)) : "");
    this.classList.toggle("many", size > 0);
  }
}

/**
 * Makes a toolbar one stop of the Tab key; arrow keys move in it.
 * @param {HTMLElement} toolbar
 */
export function rove(toolbar) {
  const buttons = /** @type {HTMLElement[]} */ ([...toolbar.children]);
  if (buttons[0]) buttons[0].tabIndex = 0;
  toolbar.addEventListener("focusin", ({ target }) => {
    for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
  });
  toolbar.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1,
      Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[(next + buttons.length) % buttons.length]?.focus();
  });
}

customElements.define("cairn-label-bar", LabelBar);

registerKeys("grid", [
  { key: "c", label: t("label-bar.other"), run: () => { typeClass(); } },
  { key: "shift+c", label: t("label-bar.otherAbsent"), run: () => { typeClass("absent"); } },
  { key: "a", label: t("label-bar.accept"), run: () => { judgeChosen("accept"); } },
  { key: "r", label: t("label-bar.reject"), run: () => { judgeChosen("reject"); } },
  { key: "w", label: t("label-bar.withdraw"), run: () => { judgeChosen("withdraw"); } },
  { key: "f", label: t("label-bar.favorite"), run: () => { switchChosen("favorite"); } },
  { key: "Delete", label: t("label-bar.remove"), run: () => { switchChosen("remove"); } },
]);
