// @ts-check
/** @file The sheet of keys: `?`. */

import { closeDialog, showDialog } from "../common/dialog.js";
import { h } from "../common/dom.js";
import { registeredKeys, registerKeys, setSingleKeys, singleKeys } from "./keys.js";
import { current } from "./router.js";
import { t } from "../strings/strings.js";

const SYMBOLS = /** @type {Record<string, string>} */ ({
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", ctrl: t("help.key.ctrl"), shift: "⇧",
  Escape: "Esc", PageUp: t("help.key.pageUp"), PageDown: t("help.key.pageDown"), space: t("help.key.space"),
  Delete: t("help.key.delete"), Backspace: t("help.key.backspace"),
});

/**
 * @param {string} key
 * @returns {Node[]}
 */
function keyCaps(key) {
  return key.split(" ").map((part) => {
    const pieces = part === "+" ? ["+"] : part.split("+");
    return h("kbd", null, pieces.map((piece) => SYMBOLS[piece] ?? piece).join(" "));
  });
}

/** Shows the keys of the open view first, then those of the whole page and of the views opened so far. */
export async function showHelp() {
  const { view } = current();
  const keys = [...registeredKeys()];
  keys.sort(([first], [second]) => Number(second === view) - Number(first === view));
  const body = h("div", { class: "dialog-body help" },
    h("h2", { tabIndex: -1, autofocus: true }, t("help.title")),
    h("label", { class: "check" }, h("input", {
      type: "checkbox", checked: singleKeys(),
      onchange: (/** @type {Event} */ event) =>
        setSingleKeys(/** @type {HTMLInputElement} */ (event.target).checked),
    }), " ", t("help.single")),
    h("div", { class: "help-scopes" }, keys.map(([scope, list]) => h("section", null,
      h("h3", null, t(`help.${scope}`)),
      h("dl", null, list.map((entry) => h("div", null,
        h("dt", null, keyCaps(entry.key)), h("dd", null, entry.label ?? ""))))))),
    h("p", { class: "quiet" }, t("help.opened")),
    h("p", { class: "quiet" }, t("help.pointer")),
    h("div", { class: "dialog-buttons" }, h("button", {
      type: "button", class: "primary", onclick: () => closeDialog(body),
    }, t("dialog.close"))));
  await showDialog(body, { label: t("help.title"), class: "wide" });
}

registerKeys("global", [
  { key: "?", label: t("help.title"), run: () => { showHelp(); } },
  { key: "F1", run: () => { showHelp(); } },
]);
