// @ts-check
/**
 * @file The keyboard map. A key is `a`, `shift+a`, `ctrl+a` (also ⌘), `alt+…`, `ArrowLeft`, `?`,
 * or two keys after each other: `g m`.
 */

import { saveSetting, setting } from "../common/dom.js";
import { current } from "./router.js";

/**
 * @typedef {object} Key
 * @property {string} key
 * @property {string} [label] what it does, for the `?` sheet; without one it is not listed
 * @property {boolean} [repeats] whether it runs again and again while the key is held: what moves or
 *   zooms does, what edits does not
 * @property {(event: KeyboardEvent) => any} run returns false if it did nothing with the key
 */

/** @typedef {"global"|"grid"|"photo"|"review"|"map"|"table"|"similarity"|"dialog"} Scope */

/** @type {Map<string, Key[][]>} */
const scopes = new Map();
/** How long the second key of two may take, in milliseconds. */
const SEQUENCE_TIME = 1500;
let prefix = "";
let prefixTime = 0;

/**
 * Adds keys to a scope; returns a function that removes them.
 * @param {Scope|string} scope
 * @param {Key[]} list
 * @returns {() => void}
 */
export function registerKeys(scope, list) {
  const own = list.map((entry) => ({ ...entry, key: normalize(entry.key) }));
  const lists = scopes.get(scope) ?? [];
  scopes.set(scope, [...lists, own]);
  return () => {
    scopes.set(scope, (scopes.get(scope) ?? []).filter((other) => other !== own));
  };
}

/**
 * Returns the listed keys by scope.
 * @returns {Map<string, Key[]>}
 */
export function registeredKeys() {
  const result = new Map();
  for (const [scope, lists] of scopes) {
    const listed = lists.flat().filter((entry) => entry.label);
    if (listed.length > 0) result.set(scope, listed);
  }
  return result;
}

/** Whether keys without Ctrl, Alt or ⌘ do something (WCAG 2.1.4: they can be turned off). */
export function singleKeys() {
  return setting("singleKeys", true);
}

/** @param {boolean} active */
export function setSingleKeys(active) {
  saveSetting("singleKeys", active);
}

/** @param {string} key */
function normalize(key) {
  return key.split(" ").filter(Boolean).map((part) => {
    const pieces = part === "+" ? ["+"] : part.split("+");
    let name = pieces.pop() ?? "";
    const modifiers = new Set(pieces.map((piece) => piece.toLowerCase()));
    if (/^\p{Lu}$/u.test(name)) modifiers.add("shift");
    if (name.length === 1) name = name.toLowerCase();
    if (name === "Space") name = "space";
    const order = ["ctrl", "alt", "shift"].filter((piece) => modifiers.has(piece));
    return [...order, name].join("+");
  }).join(" ") || "space";
}

/**
 * Returns the names that an event can go by, best first.
 * @param {KeyboardEvent} event
 * @returns {string[]}
 */
export function namesOf(event) {
  const base = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + (event.altKey ? "alt+" : "");
  const shift = event.shiftKey ? "shift+" : "";
  let key = event.key === " " ? "space" : event.key;
  const names = [];
  if (key.length === 1) {
    const letter = key.toLowerCase() !== key.toUpperCase();
    key = key.toLowerCase();
    names.push(base + (letter ? shift : "") + key);
  } else {
    names.push(base + shift + key);
  }
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  if (digit) names.push(base + shift + digit);
  // On AZERTY, digits are typed with Shift. A sign goes first: `/` is Shift+7 on some keyboards.
  if (event.shiftKey && digit === key) names.reverse();
  return names;
}

/**
 * Returns whether the element needs the key itself, such as a text field.
 * @param {Element|null} element
 * @param {KeyboardEvent} event
 */
function belongsTo(element, event) {
  if (!element || event.key === "Escape") return false;
  const modified = event.ctrlKey || event.metaKey;
  if (element.matches("textarea, select, [contenteditable]:not([contenteditable=false])")) {
    return true;
  }
  if (element instanceof HTMLInputElement) {
    const text = !["range", "checkbox", "radio", "button", "color"].includes(element.type);
    return text || event.key.length > 1 || event.key === " ";
  }
  if (event.key === "Enter" || event.key === " ") {
    return !modified && element.matches("button, a[href], summary, [role=button], [role=tab]");
  }
  const widget = "[role=tablist], [role=toolbar], [role=menu], [role=slider], [role=radiogroup]";
  return event.key.length > 1 && element.closest(widget) !== null;
}

/** @returns {string[]} the scopes that are open, innermost first */
function openScopes() {
  if (document.querySelector("dialog[open]")) return ["dialog"];
  return [current().view, "global"];
}

/** @param {KeyboardEvent} event */
function handle(event) {
  if (event.defaultPrevented || event.isComposing) return;
  if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  const target = /** @type {Element|null} */ (event.composedPath()[0] ?? null);
  if (target instanceof Element && belongsTo(target, event)) {
    // Browsers press a button again and again while Enter is held.
    if (event.repeat && event.key === "Enter" && target.matches("button, [role=button]")) event.preventDefault();
    return;
  }
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && event.key.length === 1;
  if (plain && !singleKeys() && event.key !== " ") return;
  const names = namesOf(event);
  const first = !event.repeat && performance.now() - prefixTime < SEQUENCE_TIME ? prefix : "";
  if (!event.repeat) prefix = "";
  // The open view goes before the whole page, whatever a name of the key means there.
  for (const scope of openScopes()) {
    for (const name of first ? names.map((other) => `${first} ${other}`) : names) {
      for (const entry of [...(scopes.get(scope) ?? [])].reverse().flat()) {
        if (entry.key !== name) continue;
        if ((!event.repeat || entry.repeats) && entry.run(event) === false) continue;
        event.preventDefault();
        return;
      }
    }
  }
  if (first || event.repeat) return;
  const begins = openScopes().some((scope) => (scopes.get(scope) ?? []).flat()
    .some((entry) => entry.key.startsWith(`${names[0]} `)));
  if (!begins) return;
  prefix = names[0];
  prefixTime = performance.now();
  event.preventDefault();
}

window.addEventListener("keydown", handle);
