// @ts-check
/** @file Hash routes: `#/grid?q=…`, `#/photo/ID?q=…`. */

import { emit } from "../data/store.js";

/** @typedef {{view: string, params: Record<string, string>}} Route */

/** Views with something in the path after their name, and the parameter that it is. */
const PATH_PARAMETER = /** @type {Record<string, string>} */ ({ photo: "id" });

/**
 * @param {string} hash
 * @returns {Route}
 */
function parse(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view, rest] = path.split("/");
  /** @type {Record<string, string>} */
  const params = Object.fromEntries(new URLSearchParams(search));
  const name = PATH_PARAMETER[view];
  if (name && rest) {
    try {
      params[name] = decodeURIComponent(rest);
    } catch {
      params[name] = rest;
    }
  }
  return { view: view || "grid", params };
}

/**
 * Returns the hash of a view, for links.
 * @param {string} view
 * @param {Record<string, any>} [params] empty, null and undefined ones are left out
 */
export function hashOf(view, params = {}) {
  const search = new URLSearchParams();
  const name = PATH_PARAMETER[view];
  let path = `#/${view}`;
  for (const [key, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === "") continue;
    if (key === name) path += `/${encodeURIComponent(value)}`;
    else search.set(key, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** Returns the view and its parameters. */
export function current() {
  return parse(location.hash);
}

/** Returns where the open view was opened from, or null. A reload keeps it. */
export function origin() {
  const from = history.state?.from;
  return typeof from === "string" ? parse(from) : null;
}

/**
 * Opens a view. `replace` keeps the browser's history as it is; `silent` changes only the
 * address, for example while scrolling. `from` is the address that `origin` returns.
 * @param {string} view
 * @param {Record<string, any>} [params]
 * @param {{replace?: boolean, silent?: boolean, from?: string}} options
 */
export function navigate(view, params = {}, { replace = false, silent = false, from } = {}) {
  const hash = hashOf(view, params);
  if (hash === location.hash) {
    if (!silent) emit("route", current());
    return;
  }
  if (replace || silent) history.replaceState(history.state, "", hash);
  else history.pushState(from === undefined ? null : { from }, "", hash);
  if (!silent) emit("route", current());
}

/** Starts sending `route`, once for the present address. */
export function startRouter() {
  window.addEventListener("hashchange", () => emit("route", current()));
  emit("route", current());
}
