// @ts-check
/** @file Dialogs and toasts. */

import { h } from "./dom.js";
import { emit, on } from "../data/store.js";
import { t } from "../strings/strings.js";

let titles = 0;

/**
 * Shows an element as a modal dialog. Resolves with the value given to `closeDialog`, or null
 * if the person cancels.
 * @param {HTMLElement} element
 * @param {{label: string, class?: string}} options `label` is the accessible name
 * @returns {Promise<any>}
 */
export function showDialog(element, options) {
  const dialog = h("dialog", { class: options.class ?? "", "aria-label": options.label }, element);
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  return new Promise((resolve) => {
    /** @type {any} */
    let value = null;
    dialog.addEventListener("finish", (event) => {
      event.stopPropagation();
      value = /** @type {CustomEvent} */ (event).detail;
      dialog.close();
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener("close", () => {
      resolve(value ?? (dialog.returnValue || null));
      // The messages stay while the dialog goes.
      if (tray && dialog.contains(tray)) raise(tray);
      dialog.remove();
      if (before?.isConnected) before.focus({ preventScroll: true });
    });
    document.body.append(dialog);
    dialog.showModal();
    /** @type {HTMLElement|null} */ (dialog.querySelector("[autofocus]"))?.focus();
  });
}

/**
 * Closes the dialog that contains the element.
 * @param {Element} element
 * @param {any} [value]
 */
export function closeDialog(element, value = null) {
  element.dispatchEvent(new CustomEvent("finish", { bubbles: true, detail: value }));
}

/**
 * Asks yes or no.
 * @param {{title: string, text?: string, yes: string, no?: string, danger?: boolean}} question
 * @returns {Promise<boolean>}
 */
export async function confirmDialog({ title, text = "", yes, no, danger = false }) {
  const id = `dialog-${titles += 1}`;
  const body = h("div", { class: "dialog-body" },
    h("h2", { id }, title),
    text.split("\n").filter(Boolean).map((line) => h("p", null, line)),
    h("div", { class: "dialog-buttons" },
      h("button", { type: "button", onclick: () => closeDialog(body, false) },
        no ?? t("dialog.cancel")),
      h("button", {
        type: "button", class: danger ? "primary danger" : "primary", autofocus: true,
        onclick: () => closeDialog(body, true),
      }, yes)));
  return (await showDialog(body, { label: title })) === true;
}

/** How long a toast stays, in milliseconds; twice that with an action or a problem. */
const TOAST_TIME = 5000;
const MOST_TOASTS = 3;
/** @type {HTMLElement|null} */
let tray = null;

/**
 * Shows a short message. It stays while the pointer or the focus is on it.
 * @param {string} text
 * @param {{action?: {label: string, run: () => void, undoes?: string}|null, kind?: "info"|"error"|"done"}} options
 *   `undoes`: the action that the button undoes; the message goes when that was undone otherwise
 */
export function toast(text, { action = null, kind = "info" } = {}) {
  if (!tray) {
    tray = h("div", {
      class: "toasts", role: "region", "aria-label": t("dialog.messages"), "aria-live": "polite",
      popover: "manual",
    });
  }
  const place = tray;
  raise(place);
  const note = h("div", {
    class: `toast ${kind}`, role: kind === "error" ? "alert" : null, dataset: { undoes: action?.undoes ?? "" },
  }, h("span", { class: "toast-text" }, text));
  const remove = () => removeNote(note);
  if (action) {
    note.append(h("button", {
      type: "button", class: "toast-action", onclick: () => { remove(); action.run(); },
    }, action.label));
  }
  note.append(h("button", {
    type: "button", class: "icon", "aria-label": t("dialog.close"), onclick: remove,
  }, "×"));
  let timer = 0;
  const wait = TOAST_TIME * (action || kind === "error" ? 2 : 1);
  const start = () => { timer = window.setTimeout(remove, wait); };
  const stop = () => clearTimeout(timer);
  note.addEventListener("pointerenter", stop);
  note.addEventListener("pointerleave", start);
  note.addEventListener("focusin", stop);
  note.addEventListener("focusout", start);
  start();
  place.append(note);
  while (place.children.length > MOST_TOASTS) removeNote(place.children[0]);
}

/**
 * Removes a message; a focus in it goes to the view.
 * @param {Element} note
 */
function removeNote(note) {
  const isHeld = note.contains(document.activeElement);
  note.remove();
  if (isHeld) emit("focus-view");
}

/**
 * Shows the messages above everything else, also above an open dialog.
 * @param {HTMLElement} messages
 */
function raise(messages) {
  (document.querySelector("dialog[open]") ?? document.body).append(messages);
  if (!messages.matches(":popover-open")) /** @type {any} */ (messages).showPopover();
}

on("toast", ({ text, kind, action }) => toast(text, { kind, action }));
on("undone", ({ action }) => {
  for (const note of [...tray?.children ?? []]) {
    if (action && /** @type {HTMLElement} */ (note).dataset.undoes === action) removeNote(note);
  }
});
