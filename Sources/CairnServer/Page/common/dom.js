// @ts-check
/** @file Small functions for elements. Text always goes in as text. */

/** @typedef {Node|string|number|null|undefined|false} Child */

/**
 * Creates an element. `props`: `class`, `dataset` and `style` (objects), `on…` listeners,
 * names with a hyphen, `role`, `for` and `list` as attributes, all others as properties.
 * @template {string} K
 * @param {K} tag
 * @param {Record<string, any>|null} [props]
 * @param {...(Child|Child[])} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement}
 */
export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(node, name, value);
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return /** @type {any} */ (node);
}

const ATTRIBUTES = new Set(["role", "for", "list", "form", "colspan", "rowspan"]);

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {any} value
 */
function setProp(node, name, value) {
  if (value === null || value === undefined) return;
  if (name === "class") node.className = value;
  else if (name === "dataset") Object.assign(node.dataset, value);
  else if (name === "style") setStyle(node, value);
  else if (name.startsWith("on") && typeof value === "function") {
    node.addEventListener(name.slice(2).toLowerCase(), value);
  } else if (name.includes("-") || ATTRIBUTES.has(name) || !(name in node)) {
    if (value === false && !name.startsWith("aria-")) return;
    node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  } else {
    /** @type {any} */ (node)[name] = value;
  }
}

/**
 * @param {HTMLElement} node
 * @param {Record<string, string>} values
 */
function setStyle(node, values) {
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("--")) node.style.setProperty(name, value);
    else /** @type {any} */ (node.style)[name] = value;
  }
}

/**
 * Returns an icon of `icons.svg`, in the color of the text; hidden from screen readers.
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `/page/images/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

/**
 * Returns a place for a table or figure that may be wider than the screen: the keyboard can scroll it.
 * @param {string} label
 * @param {...any} children
 */
export function wide(label, ...children) {
  return h("div", {
    class: "scroll-x", tabIndex: 0, role: "group", "aria-label": label, dataset: { hold: `wide ${label}` },
  }, children);
}

/**
 * Paints again what is in an element. A focus in it stays on what has the same `data-hold`; if that is
 * gone, on the element around it that takes the focus.
 * @param {HTMLElement} root
 * @param {() => void} paint
 */
export function keepFocus(root, paint) {
  const active = document.activeElement;
  const isHeld = active instanceof HTMLElement && active !== root && root.contains(active);
  paint();
  if (!isHeld || root.contains(document.activeElement)) return;
  const same = active.dataset.hold && $(`[data-hold="${CSS.escape(active.dataset.hold)}"]`, root);
  /** @type {HTMLElement|null} */
  const around = root.closest("[tabindex]");
  (same || around)?.focus({ preventScroll: true });
}

/**
 * Removes all children and returns the node.
 * @template {Element} T
 * @param {T} node
 * @returns {T}
 */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/**
 * Returns the first element that matches, or null.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement|null}
 */
export function $(selector, root = document) {
  return root.querySelector(selector);
}

/** @type {HTMLElement|null} */
let region = null;
let announceTimer = 0;

/**
 * Has screen readers say a text, politely.
 * @param {string} text
 */
export function announce(text) {
  if (!region) {
    region = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    document.body.append(region);
  }
  const live = region;
  live.textContent = "";
  clearTimeout(announceTimer);
  announceTimer = window.setTimeout(() => { live.textContent = text; }, 60);
}

const motion = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Returns whether the person asked the system for less motion. */
export function reducedMotion() {
  return motion.matches;
}

/**
 * Reads a setting of this browser; `fallback` if there is none or storage is off.
 * @template T
 * @param {string} name
 * @param {T} fallback
 * @returns {T}
 */
export function setting(name, fallback) {
  try {
    const text = localStorage.getItem(`cairn.${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/**
 * Keeps a setting in this browser.
 * @param {string} name
 * @param {unknown} value
 */
export function saveSetting(name, value) {
  try {
    localStorage.setItem(`cairn.${name}`, JSON.stringify(value));
  } catch {
    // Private mode or a full disk: the setting lasts as long as the page.
  }
}
