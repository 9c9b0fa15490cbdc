// @ts-check
/** @file The bar beside the grid: the classes with their keys, and the commands on the chosen photos. */

import { edit, pickClass, toastRemoved } from "./actions.js";
import { classKeys, labelWithKeys } from "./class-keys.js";
import { closeDialog, showDialog, toast } from "../common/dialog.js";
import { $, clear, h, icon, saveSetting, setting } from "../common/dom.js";
import { count } from "../common/format.js";
import { judged, judgement } from "../common/states.js";
import { registerKeys } from "../shell/keys.js";
import { selection } from "../data/selection.js";
import { emit, on, store } from "../data/store.js";
import { plural, t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Row} Row */
/** @typedef {import("../data/types.js").Target} Target */

/**
 * Returns the photos that a command is about. `goOn` moves the focus to the next photo if they are
 * only the one that had the focus when the command was given.
 * @returns {Promise<{target: Target|null, goOn: () => void}>}
 */
async function chosen() {
  const single = selection.size === 0;
  const target = await selection.chosen();
  if (!target) emit("focus-view");
  const goOn = () => {
    const focused = single && target && "photos" in target && target.photos[0] === store.focus;
    if (!focused || !setting("advance", true)) return;
    document.querySelector("cairn-grid")?.dispatchEvent(new CustomEvent("advance"));
  };
  return { target, goOn };
}

/**
 * Labels the selection, or the photo with the focus and goes on to the next.
 * @param {string} name
 * @param {"present"|"absent"} verdict
 */
export async function labelChosen(name, verdict) {
  const { target, goOn } = await chosen();
  if (!target) return;
  goOn();
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
 * Accepts, rejects or withdraws the strongest class of each chosen photo, and goes on to the next
 * photo as after a label; asks for the class when the choice is all that match.
 * @param {"accept"|"reject"|"withdraw"} action
 */
export async function judgeChosen(action) {
  const { target, goOn } = await chosen();
  if (!target) return;
  const rows = rowsOf(target);
  if (!("photos" in target) || rows.length < target.photos.length) {
    const name = await pickClass({ title: t(`label-bar.${action}Which`) });
    if (name) await edit({ do: action, target, class: name });
    return;
  }
  const groups = edits(rows, action);
  if (groups.size === 0) return toast(t(`label-bar.${action}None`));
  goOn();
  const list = [...groups].map(([body, photos]) => ({ ...JSON.parse(body), target: { photos } }));
  await edit(list.length === 1 ? list[0] : { edits: list });
}

/**
 * Returns the edits that judge the strongest class of each photo: their bodies as text, and photos.
 * @param {Row[]} rows
 * @param {"accept"|"reject"|"withdraw"} action
 * @returns {Map<string, string[]>}
 */
function edits(rows, action) {
  const groups = new Map();
  for (const row of rows) {
    const entry = judged(row.classes, action);
    if (!entry) continue;
    const body = JSON.stringify(judgement(entry, action));
    groups.set(body, [...(groups.get(body) ?? []), row.id]);
  }
  return groups;
}

/**
 * Turns `favorite` or `remove` on, or off if all chosen photos have it.
 * @param {"favorite"|"remove"} action
 */
export async function switchChosen(action) {
  const { target } = await chosen();
  if (!target) return;
  const has = await allHave(target, action);
  if (has === null) return;
  const result = await edit({ do: action, target, on: !has });
  if (result && action === "remove") toastRemoved(result, !has);
}

/**
 * Returns whether all photos of a target are favorites, or removed; asks the server about rows
 * that are not loaded. Null if it did not answer.
 * @param {Target} target
 * @param {"favorite"|"remove"} action
 * @returns {Promise<boolean|null>}
 */
async function allHave(target, action) {
  const rows = rowsOf(target);
  if ("photos" in target && rows.length === target.photos.length) {
    return rows.every((row) => row[action === "favorite" ? "favorite" : "removed"]);
  }
  const dry = await edit({ do: action, target, on: true, dryRun: true });
  return dry && dry.changes === 0;
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
  /** @type {Map<string, HTMLSelectElement>} by class */
  const selects = new Map();
  // A class that had the key of another one has a new one now.
  const show = () => { for (const [name, select] of selects) select.value = classKeys.keyOf(name) ?? ""; };
  const body = h("div", { class: "dialog-body" }, h("h2", null, t("label-bar.keys")),
    h("label", { class: "check" }, h("input", {
      type: "checkbox", checked: setting("advance", true), autofocus: true,
      onchange: (/** @type {Event} */ event) => saveSetting("advance",
        /** @type {HTMLInputElement} */ (event.target).checked),
    }), t("label-bar.advance")),
    h("div", { class: "key-table" }, [...store.classes.values()].slice(0, 200).map((info) => {
      const select = h("select", {
        "aria-label": t("label-bar.keyOf", { name: info.name }),
        onchange: () => {
          classKeys.set(select.value, info.class);
          show();
        },
      }, h("option", { value: "", disabled: true }, "–"),
      classKeys.all.map((key) => h("option", { value: key }, key)));
      selects.set(info.class, select);
      return h("label", null, select, " ", info.name);
    })),
    h("div", { class: "dialog-buttons" }, h("button", {
      type: "button", class: "primary", onclick: () => closeDialog(body),
    }, t("label-bar.done"))));
  show();
  await showDialog(body, { label: t("label-bar.keys") });
}

export class LabelBar extends HTMLElement {
  connectedCallback() {
    if (this.target) return;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", t("label-bar.name"));
    on("store", ({ changed }) => {
      if (changed.includes("set")) this.paintTarget();
    });
    on("class-keys", () => this.paint());
    on("selection", () => this.paintTarget());
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
        h("button", {
          type: "button", class: "command", disabled: readOnly, title: t("label-bar.remove"),
          "aria-keyshortcuts": "Delete", onclick: () => switchChosen("remove"),
        }, icon("trash"), h("span", null, t("label-bar.removePhotos"))),
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
    const all = button(t("label-bar.all", { n: total }), () => {
      selection.everything();
      emit("focus-view");
    });
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

labelWithKeys("grid", (name, verdict) => { labelChosen(name, verdict); });
registerKeys("grid", [
  { key: "c", label: t("label-bar.other"), run: () => { typeClass(); } },
  { key: "shift+c", label: t("label-bar.otherAbsent"), run: () => { typeClass("absent"); } },
  { key: "a", label: t("label-bar.accept"), run: () => { judgeChosen("accept"); } },
  { key: "r", label: t("label-bar.reject"), run: () => { judgeChosen("reject"); } },
  { key: "w", label: t("label-bar.withdraw"), run: () => { judgeChosen("withdraw"); } },
  { key: "f", label: t("label-bar.favorite"), run: () => { switchChosen("favorite"); } },
  { key: "Delete", label: t("label-bar.remove"), run: () => { switchChosen("remove"); } },
]);
