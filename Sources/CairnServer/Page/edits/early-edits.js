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
    case "withdraw": return withoutVerdict(row, body.class);
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

/**
 * Returns the row without this person's verdict on a class, null if there is none. What models and
 * other people say of it comes with the server's answer.
 * @param {Row} row
 * @param {string} key
 * @returns {Row|null}
 */
function withoutVerdict(row, key) {
  const entry = row.classes.find((other) => other.class === key);
  if (!entry?.mine) return null;
  // Without a dispute, it was probably this verdict that decided.
  const rest = entry.state === "disputed" ? [{ ...entry, mine: null }] : [];
  return { ...row, classes: row.classes.flatMap((other) => other === entry ? rest : other), pending: true };
}
