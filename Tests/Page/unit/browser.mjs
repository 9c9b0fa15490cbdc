/** @file The few parts of a browser that the page's modules need when node imports them. */

import { webcrypto } from "node:crypto";
import { readdirSync } from "node:fs";

// node 18 does not have these.
globalThis.crypto ??= webcrypto;
globalThis.CustomEvent ??= class extends Event {
  constructor(name, options) {
    super(name, options);
    this.detail = options?.detail ?? null;
  }
};
const listeners = new EventTarget();
/** @param {Map<string, string>} kept */
const storage = (kept = new Map()) => ({
  getItem: (/** @type {string} */ name) => kept.get(name) ?? null,
  setItem: (/** @type {string} */ name, /** @type {string} */ value) => kept.set(name, value),
});
/** @param {"push"|"replace"} kind */
const change = (kind) => (/** @type {any} */ state, /** @type {string} */ _, /** @type {string} */ hash) => {
  Object.assign(history, { state, latest: kind });
  location.hash = hash;
};
const element = () => Object.assign(new Element(), {
  dataset: {}, style: {}, children: [], append() {}, setAttribute() {}, addEventListener() {},
  classList: { add() {}, remove() {}, toggle() {} }, matches: () => true, showModal() {}, querySelector: () => null, remove() {}, contains: () => false, replaceChildren() {},
});

class Node {}

/** Keys are sent with `press`. */
export class Element extends Node {}

Object.assign(globalThis, {
  Node,
  Element,
  HTMLElement: class extends Element {},
  customElements: { define() {} },
  HTMLInputElement: class extends Element {},
  location: { hash: "#/grid" },
  history: { state: null, pushState: change("push"), replaceState: change("replace") },
  localStorage: storage(),
  sessionStorage: storage(),
  document: { documentElement: element(), body: element(), createElement: element, createElementNS: element,
    querySelector: () => null, addEventListener() {}, hidden: false },
  window: {
    addEventListener: listeners.addEventListener.bind(listeners),
    dispatchEvent: listeners.dispatchEvent.bind(listeners),
    matchMedia: () => ({ matches: false }), setTimeout, clearTimeout,
  },
});
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"] } });

/**
 * Sends a key to the page; returns whether the page used it.
 * @param {string} key
 * @param {Record<string, any>} [more] modifiers and `code`
 */
export function press(key, more = {}) {
  const event = new Event("keydown", { cancelable: true });
  Object.assign(event, { key, code: "", ctrlKey: false, shiftKey: false, altKey: false,
    metaKey: false, isComposing: false, composedPath: () => [], ...more });
  listeners.dispatchEvent(event);
  return event.defaultPrevented;
}

/** The folder of the page. */
export const page = new URL("../../../Sources/CairnServer/Page/", import.meta.url);

/** The paths of the page's files, such as `grid/cell.js`. */
export const files = readdirSync(page, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.path}/${entry.name}`.replace(/\/+/g, "/").slice(page.pathname.length));
