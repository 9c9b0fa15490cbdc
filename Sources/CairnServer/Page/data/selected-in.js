// @ts-check
/** @file Which photos of a set are selected. */

import { selection } from "./selection.js";
import { idsOf } from "./sets.js";
import { store } from "./store.js";

/** @typedef {import("./types.js").SetInfo} SetInfo */

/** The sets whose ids are kept: the one asked for, and that of “all that match”. */
const MOST = 2;
/** @type {Map<string, Promise<string[]>>} ids by set, least recently used first */
const kept = new Map();

/** @param {SetInfo} set */
function keptIDs(set) {
  const ids = kept.get(set.set) ?? idsOf(set);
  kept.delete(set.set);
  kept.set(set.set, ids);
  ids.catch(() => kept.delete(set.set));
  for (const oldest of kept.keys()) if (kept.size > MOST) kept.delete(oldest);
  return ids;
}

/**
 * Returns the ids of the photos of a set that are selected, in the order of the set.
 * @param {SetInfo} set
 * @returns {Promise<string[]>}
 */
export async function selectedIn(set) {
  if (selection.size === 0) return [];
  const ids = await keptIDs(set);
  if (!selection.all || !store.set) return ids.filter((id) => selection.has(id));
  const all = new Set(await keptIDs(store.set));
  return ids.filter((id) => all.has(id) && selection.has(id));
}
