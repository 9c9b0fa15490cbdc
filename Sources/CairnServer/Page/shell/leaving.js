// @ts-check
/** @file Warns before the page is closed while something is not saved. */

/** @type {(() => boolean)[]} */
const checks = [];

/**
 * Has the browser ask before it closes the page while `isUnsaved` returns true.
 * @param {() => boolean} isUnsaved
 */
export function warnWhile(isUnsaved) {
  checks.push(isUnsaved);
}

window.addEventListener("beforeunload", (event) => {
  if (checks.some((isUnsaved) => isUnsaved())) event.preventDefault();
});
