// @ts-check
/** @file The colors that the person chose: the system's, light or dark. Applied on import. */

import { saveSetting, setting } from "../common/dom.js";

export const THEMES = ["auto", "light", "dark"];

/** Returns the chosen theme. */
export function theme() {
  const name = setting("theme", "auto");
  return THEMES.includes(name) ? name : "auto";
}

/**
 * Changes the theme and keeps the choice in this browser.
 * @param {string} name
 */
export function setTheme(name) {
  saveSetting("theme", name);
  apply(name);
}

/** @param {string} name */
function apply(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

apply(theme());
