// @ts-check
/** @file The elements of boxes and outlines over a photo. */

import { HANDLES } from "./box-geometry.js";
import { boundsOf, fitOutline, outlinePath } from "./outline-geometry.js";
import { h } from "../common/dom.js";
import { className, percent, person } from "../common/format.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Box} Box */
/** @typedef {import("../data/types.js").BoxLabel} BoxLabel */
/** @typedef {import("./outline-geometry.js").Polygons} Polygons */
/** @typedef {{box: Box, polygons: Polygons|null}} Shape a box, or an outline with the box around it */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Returns a drawing whose paths are in fractions of its box, times `units`; screen readers skip it.
 * @param {string} name the class
 * @param {string[]} paths the classes of its paths
 * @param {number} [units]
 */
export function drawing(name, paths, units = 1) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", name);
  svg.setAttribute("viewBox", `0 0 ${units} ${units}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(...paths.map((path) => {
    const element = document.createElementNS(SVG, "path");
    element.setAttribute("class", path);
    return element;
  }));
  return svg;
}

/**
 * Returns the shape of an outline.
 * @param {Polygons} polygons
 * @returns {Shape}
 */
export function outlineShape(polygons) {
  return { box: boundsOf(polygons), polygons };
}

/**
 * Returns a shape whose box became another one.
 * @param {Shape} shape
 * @param {Box} box
 * @returns {Shape}
 */
export function fitShape({ box: from, polygons }, box) {
  return polygons ? outlineShape(fitOutline(polygons, from, box)) : { box, polygons: null };
}

/**
 * Returns the element of a label's box or outline; `mine`: it can be changed.
 * @param {BoxLabel} item
 * @param {boolean} mine
 */
export function boxElement(item, mine) {
  const sure = item.annotator.kind === "model" ? ` ${percent(item.confidence)}` : "";
  return h("div", {
    class: `box ${mine ? "mine" : item.annotator.kind}${item.polygons ? " outlined" : ""}`,
    dataset: { label: item.label }, role: mine ? "button" : "img", tabIndex: mine ? 0 : null,
  }, item.polygons && drawing("outline", item.polygons.map(() => "part")),
  h("span", { class: "box-tag" }, `${className(item.class)}${sure}`), mine && handles());
}

/**
 * Returns what an element shows of a label besides its place. Labels with the same look can have the
 * same element, so that an answer of the server takes nothing away from under the pointer.
 * @param {BoxLabel} item
 * @param {boolean} mine
 */
export function lookOf(item, mine) {
  const { label, annotator, confidence, polygons } = item;
  return JSON.stringify([label, annotator, confidence, className(item.class), polygons?.length ?? 0, mine]);
}

/** Returns the element of a new box, which has no label yet. */
export function newBoxElement() {
  return h("div", { class: "box mine new", role: "button", tabIndex: 0, dataset: { label: "" } }, handles());
}

function handles() {
  return HANDLES.map((handle) => h("span", { class: `handle ${handle}`, dataset: { handle } }));
}

/**
 * Puts an element where its shape is.
 * @param {HTMLElement} element
 * @param {Shape} shape
 */
export function placeShape(element, { box, polygons }) {
  const { style } = element;
  style.left = `${box.x * 100}%`;
  style.top = `${box.y * 100}%`;
  style.width = `${box.width * 100}%`;
  style.height = `${box.height * 100}%`;
  element.classList.toggle("low", box.y < 0.06);
  if (!polygons) return;
  const paths = element.querySelectorAll(".outline path");
  polygons.forEach((rings, index) => paths[index]?.setAttribute("d", outlinePath(rings, box)));
}

/**
 * Names a box for screen readers, with its place.
 * @param {HTMLElement} element
 * @param {Shape} shape
 * @param {BoxLabel|null} item null: a new box
 */
export function nameShape(element, { box }, item) {
  const where = t("boxes.where", {
    x: percent(box.x), y: percent(box.y), width: percent(box.width), height: percent(box.height),
  });
  element.setAttribute("aria-label", `${item ? nameOf(item) : t("boxes.new")}, ${where}`);
}

/** @param {BoxLabel} item */
function nameOf(item) {
  const values = { name: className(item.class), person: person(item.annotator.name) };
  if (item.polygons) return t(item.mine ? "boxes.myOutline" : "boxes.outlineBy", values);
  return t(item.mine ? "boxes.mine" : "boxes.by", values);
}
