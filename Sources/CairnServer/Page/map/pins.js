// @ts-check
/** @file Adding, moving, renaming and removing pins; each can be undone. */

import { report, undoAction } from "../edits/actions.js";
import { api } from "../data/api.js";
import { toast } from "../common/dialog.js";
import { announce } from "../common/dom.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Location} Location */
/** @typedef {import("../data/types.js").Pin} Pin */

/**
 * Returns the name of a pin for people.
 * @param {Pin} pin
 */
export const pinName = (pin) => pin.name || t("pins.unnamed");

/**
 * Sends a change of a pin, and offers to undo it; returns the pin, or null if it was refused and
 * reported.
 * @param {Promise<{pin: Pin, action: string|null}>} request
 * @param {string} key of the text
 * @returns {Promise<Pin|null>}
 */
async function change(request, key) {
  try {
    const { pin, action } = await request;
    const text = t(key, { name: pinName(pin) });
    announce(text);
    toast(text, { kind: "done", action: action ? undoAction(action) : null });
    return pin;
  } catch (error) {
    report(error);
    return null;
  }
}

/**
 * @param {Location} location
 * @param {string} [name]
 */
export function addPin(location, name = "") {
  return change(api.post("/api/pins", { location, name }), "pins.added");
}

/**
 * @param {Pin} pin
 * @param {Location} location
 */
export function movePin(pin, location) {
  return change(api.patch(`/api/pins/${pin.pin}`, { location }), "pins.moved");
}

/**
 * @param {Pin} pin
 * @param {string} name
 */
export function renamePin(pin, name) {
  return change(api.patch(`/api/pins/${pin.pin}`, { name }), "pins.renamed");
}

/** @param {Pin} pin */
export function removePin(pin) {
  return change(api.delete(`/api/pins/${pin.pin}`), "pins.removed");
}
