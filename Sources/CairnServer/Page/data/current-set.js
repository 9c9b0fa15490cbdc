// @ts-check
/** @file Keeps the current set that of the address. */

import { openSet } from "./rows.js";
import { emit, store } from "./store.js";

/**
 * Returns the query, order and groups that an address asks for.
 * @param {Record<string, string>} params
 */
function wanted(params) {
  return {
    query: params.q ?? "",
    sort: params.sort?.replace(/^-/, "") ?? store.sort,
    descending: params.sort ? params.sort.startsWith("-") : store.descending,
    group: params.group ?? store.group,
  };
}

/**
 * Runs the query of the address if it is not the current one. If it is invalid, the current set
 * stays, and `query-failed` is sent.
 * @param {Record<string, string>} params
 */
export async function ensureSet(params) {
  if (store.set && params.set === store.set.set) return;
  const { query, sort, descending, group } = wanted(params);
  const isSame = store.set && store.query === query && store.sort === sort
    && store.descending === descending && store.group === group;
  if (isSame) return;
  try {
    await openSet({ query, sort, descending, group });
  } catch (error) {
    store.update({ query });
    emit("query-failed", { error });
    if (!store.set) await openSet({ query: "", sort: "taken", descending: false, group: "none" });
  }
}

/**
 * Begins with the set while the page still starts; what fails is tried again by `ensureSet`.
 * @param {Record<string, string>} params
 */
export async function openEarly(params) {
  await openSet(wanted(params)).catch(() => {});
}
