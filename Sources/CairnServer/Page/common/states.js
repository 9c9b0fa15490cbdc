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

/** @typedef {"accept"|"reject"|"withdraw"} Judgement */

/**
 * Returns the strongest class that a person can accept or reject, because it is predicted or
 * disputed, or the strongest one whose label they can withdraw.
 * @template {{state: State|null, confidence: number, mine: unknown}} Entry
 * @param {Entry[]} classes by confidence
 * @param {Judgement} action
 */
export function judged(classes, action) {
  return classes.find(({ state, confidence, mine }) => action === "withdraw" ? Boolean(mine)
    : confidence > 0 && (state === "predicted" || state === "disputed"));
}

/**
 * Returns the edit, without its target. What people disagree on is labeled: models did not decide it.
 * @param {{class: string, state: State|null}} entry
 * @param {Judgement} action
 */
export function judgement({ class: key, state }, action) {
  if (action === "withdraw" || state === "predicted") return { do: action, class: key };
  return { do: "label", classes: [key], verdict: action === "accept" ? "present" : "absent" };
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
