// @ts-check
/** @file Two fingers that move apart make the photos of a grid larger. */

/** @typedef {{x: number, y: number}} Point */

/**
 * Resizes while two fingers are on the surface.
 * @param {EventTarget} surface whose style leaves pinching to the page
 * @param {{size: () => number, resize: (size: number) => void}} grid
 */
export function resizeWithPinch(surface, grid) {
  /** @type {Map<number, Point>} */
  const fingers = new Map();
  /** @type {{distance: number, size: number}|null} */
  let start = null;

  const distance = () => {
    const [a, b] = [...fingers.values()];
    return Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
  };
  /** @param {any} event @returns {PointerEvent} */
  const pointer = (event) => event;

  surface.addEventListener("pointerdown", (event) => {
    const { pointerId, pointerType, clientX, clientY } = pointer(event);
    if (pointerType !== "touch") return;
    fingers.set(pointerId, { x: clientX, y: clientY });
    start = fingers.size === 2 ? { distance: distance(), size: grid.size() } : null;
  });
  surface.addEventListener("pointermove", (event) => {
    const { pointerId, clientX, clientY } = pointer(event);
    if (!fingers.has(pointerId)) return;
    fingers.set(pointerId, { x: clientX, y: clientY });
    if (start) grid.resize(Math.round(start.size * distance() / start.distance));
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    surface.addEventListener(name, (event) => {
      if (fingers.delete(pointer(event).pointerId)) start = null;
    });
  }
}
