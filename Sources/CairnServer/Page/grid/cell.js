// @ts-check
/** @file A thumbnail with its marks. Cells are used again while scrolling. */

import { h } from "../common/dom.js";
import { className, percent } from "../common/format.js";
import { MARKS, shownOnThumbnail } from "../common/states.js";
import { t } from "../strings/strings.js";
import { thumbs } from "../data/thumbs.js";

/** @typedef {import("../data/types.js").Row} Row */
/** @typedef {import("../data/types.js").ClassState} ClassState */

/** Labels shown on a thumbnail; the others are a number. */
const MOST_CHIPS = 3;

/**
 * @typedef {object} Cell
 * @property {HTMLElement} element
 * @property {HTMLImageElement} image
 * @property {HTMLElement} chips
 * @property {HTMLElement} marks
 * @property {string|null} id of the photo, null while its row is not loaded
 */

/** @returns {Cell} */
export function createCell() {
  const image = h("img", { alt: "", decoding: "async", draggable: false, hidden: true });
  const chips = h("div", { class: "cell-chips" });
  const marks = h("div", { class: "cell-marks" });
  const element = h("div", { class: "cell", role: "option" },
    h("div", { class: "cell-photo" }, image, chips, marks),
    h("span", { class: "cell-check", "aria-hidden": "true" }));
  return { element, image, chips, marks, id: null };
}

/**
 * Paints the picture, or the mean color while there is none.
 * @param {Cell} cell
 */
export function paintThumb(cell) {
  const url = cell.id ? thumbs.url(cell.id) : null;
  const problem = cell.id ? thumbs.problem(cell.id) : 0;
  const place = /** @type {HTMLElement} */ (cell.image.parentElement);
  place.style.backgroundColor = (cell.id && thumbs.color(cell.id)) || "";
  cell.element.classList.toggle("missing", problem > 0);
  if (url && cell.image.getAttribute("src") !== url) cell.image.src = url;
  if (!url) cell.image.removeAttribute("src");
  cell.image.hidden = !url;
}

/**
 * @param {Cell} cell
 * @param {Row|null} row
 * @param {boolean} selected
 * @param {boolean} focused
 */
export function paintCell(cell, row, selected, focused) {
  const { element } = cell;
  cell.id = row?.id ?? null;
  element.classList.toggle("focused", focused);
  element.classList.toggle("reviewed", row?.reviewed ?? false);
  element.classList.toggle("removed", row?.removed ?? false);
  element.classList.toggle("pending", row?.pending ?? false);
  element.setAttribute("aria-selected", String(selected));
  paintThumb(cell);
  const shown = shownOnThumbnail(row?.classes ?? []);
  const chips = shown.slice(0, MOST_CHIPS).map((entry) =>
    h("span", { class: `chip ${entry.state}` }, h("b", null, MARKS[entry.state]),
      h("span", null, className(entry.class)),
      entry.state === "predicted" && h("em", null, percent(entry.confidence))));
  if (shown.length > MOST_CHIPS) {
    chips.push(h("span", { class: "chip rest" }, `+${shown.length - MOST_CHIPS}`));
  }
  cell.chips.replaceChildren(...chips);
  const marks = (row?.favorite ? "★" : "") + (row?.reviewed ? "✓" : "");
  if (cell.marks.textContent !== marks) cell.marks.textContent = marks;
  element.setAttribute("aria-label", description(row, shown));
}

/** @param {ClassState} entry */
function textOf({ class: key, state, confidence }) {
  return `${className(key)}${state === "predicted" ? ` ${percent(confidence)}` : ""}`;
}

/**
 * Returns what a screen reader says for a photo.
 * @param {Row|null} row
 * @param {ClassState[]} shown
 */
function description(row, shown) {
  if (!row) return t("cell.loading");
  const words = [row.name, ...shown.map((entry) =>
    `${textOf(entry)} (${t(`cell.${entry.state}`)})`)];
  if (row.favorite) words.push(t("cell.favorite"));
  if (row.reviewed) words.push(t("cell.reviewed"));
  if (row.removed) words.push(t("cell.removed"));
  if (thumbs.problem(row.id) > 0) words.push(t("cell.missing"));
  return words.join(", ");
}
