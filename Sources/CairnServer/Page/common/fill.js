// @ts-check
/** @file Replaces the children of an element. */

/**
 * Replaces all children; those that are null or false are left out.
 * @param {Element} node
 * @param {...(Node|string|null|undefined|false|(Node|string|null|undefined|false)[])} children
 */
export function fill(node, ...children) {
  const kept = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  node.replaceChildren(.../** @type {(Node|string)[]} */ (kept));
}
