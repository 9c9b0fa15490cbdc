// @ts-check
/** @file Keeps the current set that of the address. */

import { current, navigate } from "../shell/router.js";
import { isOpening, openSet, showSet, whenShown } from "./rows.js";
import { createAgain, namedSet } from "./sets.js";
import { emit, store } from "./store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./types.js").SetInfo} SetInfo */

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

/** Returns the parameters of an address that shows the current set. */
export function shownParams() {
  const { query, sort, descending, group, set } = store;
  return { q: query, sort: `${descending ? "-" : ""}${sort}`, group, set: set?.key };
}

/**
 * Opens the set of the address, or runs its query, unless that is the current set. If it is
 * invalid, the current set stays, and `query-failed` is sent.
 * @param {Record<string, string>} params
 */
export async function ensureSet(params) {
  const { query, sort, descending, group } = wanted(params);
  const { set } = store;
  // The query of the store may have failed: the set is then that of an earlier one.
  const isSame = set && set.query === query && set.sort === sort
    && set.descending === descending && set.group === group;
  if (params.set ? params.set === set?.key : isSame && !set?.key) return;
  try {
    await open(params);
  } catch (error) {
    if (!store.set) await openSet({ query: "", sort: "taken", descending: false, group: "none" });
    store.update({ query });
    emit("query-failed", { error });
  }
}

/**
 * @param {Record<string, string>} params
 */
async function open(params) {
  const values = wanted(params);
  const named = params.set ? namedSet(params.set) : null;
  if (named) return showSet(createAgain(named), values);
  if (params.set) {
    emit("toast", { text: t("current-set.unknown") });
    navigate(current().view, { ...current().params, set: null }, { silent: true });
  }
  return openSet(values);
}

/** @type {SetInfo|null} the one that is being created again */
let renewed = null;

/** Creates the current set again that the server no longer has, unless another one takes its place. */
export async function renewSet() {
  const { set } = store;
  if (!set || set === renewed) return;
  renewed = set;
  try {
    while (isOpening()) await whenShown();
    // Not the query of the store: it may have failed.
    if (store.set === set) await showSet(createAgain(set));
  } finally {
    if (renewed === set) renewed = null;
  }
}

/**
 * Begins with the set while the page still starts; what fails is tried again by `ensureSet`.
 * @param {Record<string, string>} params
 */
export async function openEarly(params) {
  if (params.set && !namedSet(params.set)) return;
  await open(params).catch(() => {});
}
