// @ts-check
/** @file The columns of the table of labels. */

import { clear, h } from "../common/dom.js";
import { dateTime, day, percent, person, shortPerson } from "../common/format.js";
import { isLikely, MARKS } from "../common/states.js";
import { store } from "../data/store.js";
import { t } from "../strings/strings.js";
import { thumbs } from "../data/thumbs.js";

/** @typedef {import("./table-rows.js").Filter} Filter */
/** @typedef {import("./table-rows.js").TableRow} TableRow */

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {string} sort what the server sorts by
 * @property {(row: TableRow) => (Node|string)[]} paint
 * @property {(row: TableRow) => Filter[]} filters what the cell can be filtered by
 */

/** A service may know only the month or the year. */
const DAY = /^\d{4}-\d\d-\d\d/;

/** @type {Column[]} */
export const COLUMNS = [
  {
    name: "photo", sort: "name", filters: (row) => [{ photo: row.photo }],
    paint: (row) => [thumb(row.photo), text(row.name)],
  },
  {
    name: "class", sort: "class", paint: (row) => [text(row.className)],
    filters: (row) => [{ class: row.class }],
  },
  {
    name: "state", sort: "state", filters: (row) => [{ state: row.state }],
    paint: (row) => [h("span", { class: `chip ${row.state}` },
      `${MARKS[row.state]} ${t(`table.${row.state}`)}`)],
  },
  {
    name: "confidence", sort: "confidence",
    filters: (row) => isLikely(row) ? [{ confidence: String(Math.floor(row.confidence * 100) / 100) }] : [],
    paint: (row) => !isLikely(row) ? [] : [
      h("span", { class: "meter", "aria-hidden": "true" },
        h("span", { style: { width: `${Math.round(row.confidence * 100)}%` } })),
      h("span", { class: "number" }, percent(row.confidence))],
  },
  {
    name: "predictions", sort: "predictions", filters: (row) => row.predictions.map(({ model }) => ({ model })),
    paint: (row) => row.predictions.map(({ model, verdict, confidence }) =>
      mark(verdict, `${model} ${percent(confidence)}`, "predicted")),
  },
  {
    name: "verdicts", sort: "verdicts",
    filters: (row) => [...new Set(row.verdicts.map((one) => one.person))].map((person) => ({ person })),
    paint: (row) => eachOnce(row.verdicts).map((one) =>
      mark(one.verdict, shortPerson(one.person), "confirmed", one.person)),
  },
  {
    name: "taken", sort: "taken", paint: (row) => [text(dateTime(row.taken))],
    filters: (row) => DAY.test(row.taken ?? "") ? [{ day: row.taken?.slice(0, 10) }] : [],
  },
  {
    name: "pin", sort: "pin", paint: (row) => [text(row.pin ? pinOf(row.pin) : "")],
    filters: (row) => [{ pin: row.pin ?? "none" }],
  },
];

/** @param {string} content */
function text(content) {
  return h("span", { class: "text", title: content }, content);
}

/** @param {string} id */
function pinOf(id) {
  return store.pins.get(id)?.name || t("table.unnamed");
}

/**
 * Returns the verdicts without those that a person repeats, for example of several boxes.
 * @param {TableRow["verdicts"]} verdicts
 */
export function eachOnce(verdicts) {
  return [...new Map(verdicts.map((one) => [`${one.verdict} ${one.person}`, one])).values()];
}

/**
 * @param {string} verdict
 * @param {string} text
 * @param {string} present the look of a verdict that the class is present
 * @param {string} [title] the whole text
 */
function mark(verdict, text, present, title = text) {
  const isPresent = verdict === "present";
  return h("span", {
    class: `chip ${isPresent ? present : "rejected"}`, title: `${title}: ${t(`table.${verdict}`)}`,
  }, `${isPresent ? "✓" : "✕"} ${text}`,
  h("span", { class: "visually-hidden" }, ` (${t(`table.${verdict}`)})`));
}

/** @param {string} id */
function thumb(id) {
  const image = h("img", {
    class: "table-thumb", alt: "", draggable: false, dataset: { thumb: id },
  });
  const url = thumbs.url(id);
  if (url) image.src = url;
  image.style.backgroundColor = thumbs.color(id) ?? "";
  return image;
}

/**
 * Returns a filter as text.
 * @param {Filter} filter with one member
 * @param {(photo: string) => string|undefined} nameOf returns the name of a photo that is loaded
 */
export function filterText(filter, nameOf) {
  if (filter.photo !== undefined) return nameOf(filter.photo) ?? filter.photo.slice(0, 12);
  if (filter.confidence !== undefined) {
    return t("table.atLeast", { value: percent(Number(filter.confidence)) });
  }
  if (filter.day !== undefined) return day(filter.day);
  if (filter.pin !== undefined) return filter.pin === "none" ? t("table.noPin") : pinOf(filter.pin);
  if (filter.class !== undefined) return store.classes.get(filter.class)?.name ?? filter.class;
  if (filter.state !== undefined) return t(`table.${filter.state}`);
  if (filter.person !== undefined) return person(filter.person);
  return filter.model ?? "";
}

/**
 * Paints a row; without one, an empty one.
 * @param {HTMLElement} element with a cell for each column
 * @param {TableRow|null} row
 */
export function paintRow(element, row) {
  COLUMNS.forEach((column, index) => {
    const cell = /** @type {HTMLElement} */ (element.children[index]);
    clear(cell).append(...(row ? column.paint(row) : []));
  });
}
