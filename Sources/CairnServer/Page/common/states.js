// @ts-check
/** @file The states of classes on a photo. Pure: no elements. */

/** @typedef {import("../data/types.js").State} State */

/** @type {Record<State, string>} */
export const MARKS = { confirmed: "✓", rejected: "✕", predicted: "?", disputed: "!" };

/**
 * Whether the class is, or may be, on the photo. The confidence does not tell: that of a rejected
 * class is the confidence of the rejection. Without any label that counts, a state has no mark.
 * @param {{state: State|null, confidence: number}} entry
 */
export function isLikely({ state, confidence }) {
  return state !== null && state in MARKS && state !== "rejected" && confidence > 0;
}

/**
 * Returns the classes shown on a thumbnail: the likely ones, then those that I rejected.
 * @template {{state: State, confidence: number, mine: unknown}} Entry
 * @param {Entry[]} classes
 * @returns {Entry[]}
 */
export function shownOnThumbnail(classes) {
  const likely = classes.filter(isLikely);
  return [...likely, ...classes.filter((entry) => entry.mine && !isLikely(entry))];
}
