// @ts-check
/** @file The list that a photo was opened from, for next and previous: `list` in the photo's address. */

import { RowPages, setOf } from "./rows.js";
import { createAgain, findSet } from "./sets.js";

/**
 * Photos in an order, such as those of a set or of the rows of a table.
 * @typedef {object} PhotoList
 * @property {number} count
 * @property {(id: string) => Promise<number|null>} find returns the index of a photo, or -1; null if unknown
 * @property {(index: number) => Promise<{id: string, name: string}|null>} load null past the end
 * @property {() => void} [close]
 */

/**
 * The list that was opened last and is no set, by its name.
 * @type {Map<string, PhotoList>}
 */
const offered = new Map();

/**
 * Returns what an address calls a list; undefined for the photos of the query.
 * @param {PhotoList|string[]|undefined} list
 * @returns {Promise<string|undefined>}
 */
export async function nameList(list) {
  if (!list) return undefined;
  if (Array.isArray(list)) return (await setOf(list)).set;
  if (list instanceof RowPages) return list.set.set;
  offered.clear();
  offered.set("rows", list);
  return "rows";
}

/**
 * Returns a list by its name; null if there is none.
 * @param {string|undefined} name
 * @returns {Promise<PhotoList|null>}
 */
export async function openList(name) {
  if (!name) return null;
  const known = offered.get(name);
  if (known) return known;
  return findSet(name).then((set) => new RowPages(set), () => null);
}

/**
 * Returns the list with a set of the same photos in place of one that the server no longer has.
 * @param {RowPages} list
 * @returns {Promise<PhotoList|null>}
 */
export async function renewList(list) {
  if (!list.set.body) return null;
  list.close();
  return createAgain(list.set).then((set) => new RowPages(set), () => null);
}
