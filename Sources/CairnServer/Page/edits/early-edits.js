// @ts-check
/** @file Edits shown in the rows before the server has acknowledged them. */

import { patchRows } from "../data/rows.js";
import { store } from "../data/store.js";

/** @typedef {import("../data/types.js").Row} Row */

/**
 * Shows an edit in the loaded rows before the server has acknowledged it; returns a function
 * that takes it back if the server refuses.
 * @param {any} body of `POST /api/edits`
 * @returns {() => void}
 */
export function applyEarly(body) {
  if (body.edits) {
    const all = body.edits.map(applyEarly);
    return () => { for (const restore of all) restore(); };
  }
  /** @type {string[]} */
  const ids = body.target?.photos ?? [];
  const before = ids.flatMap((id) => store.rows.get(id) ?? []);
  const after = before.flatMap((row) => edited(row, body) ?? []);
  patchRows(after);
  return () => {
    patchRows(before.filter((row) => store.rows.get(row.id)?.pending));
  };
}

/**
 * @param {Row} row
 * @param {any} body
 * @returns {Row|null}
 */
function edited(row, body) {
  switch (body.do) {
    case "favorite": return { ...row, favorite: body.on !== false, pending: true };
    case "remove": return { ...row, removed: body.on !== false, pending: true };
    case "label": return body.classes?.reduce(
      (/** @type {Row} */ other, /** @type {string} */ key) =>
        withVerdict(other, key, body.verdict ?? "present"), row) ?? null;
    case "accept": return predicts(row, body.class) ? withVerdict(row, body.class, "present") : null;
    case "reject": return predicts(row, body.class) ? withVerdict(row, body.class, "absent") : null;
    default: return null;
  }
}

/**
 * @param {Row} row
 * @param {string} key
 */
function predicts(row, key) {
  return row.classes.some((entry) => entry.class === key && entry.state === "predicted");
}

/**
 * @param {Row} row
 * @param {string} key
 * @param {"present"|"absent"} mine
 * @returns {Row}
 */
function withVerdict(row, key, mine) {
  const present = mine === "present";
  const entry = {
    class: key, mine, confidence: present ? 1 : 0,
    state: /** @type {"confirmed"|"rejected"} */ (present ? "confirmed" : "rejected"),
  };
  const others = row.classes.filter((other) => other.class !== key);
  return { ...row, classes: present ? [entry, ...others] : [...others, entry], pending: true };
}
