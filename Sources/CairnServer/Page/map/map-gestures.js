// @ts-check
/** @file Pointer and wheel on the map: pan, zoom, pinch, long press, dragging a pin, an area. */

import { reducedMotion } from "../common/dom.js";

/** @typedef {import("./map-items.js").Item} Item */
/** @typedef {import("./map-surface.js").MapSurface} MapSurface */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Area in pixels of the view */

/**
 * @typedef {object} Gestures What they do.
 * @property {(point: Point, slop: number) => Item|null} itemAt
 * @property {(item: Item) => boolean} canDrag
 * @property {() => void} moved the camera changed
 * @property {(point: Point, item: Item|null) => void} tap
 * @property {(point: Point, item: Item|null) => void} longPress of a finger or pen
 * @property {(item: Item, point: Point) => void} drop a dragged pin was let go
 * @property {(area: Area) => void} area an area was drawn
 * @property {() => boolean} [draws] whether dragging draws an area, as it does with Shift
 */

/** How long a press is, in milliseconds, and how far it may move, in pixels. */
const LONG_PRESS = 500;
const SLOP = { mouse: 4, pen: 8, touch: 10 };
const REACH = { mouse: 3, pen: 6, touch: 14 };
/** How long after a tap another one makes a double tap, in milliseconds, and how far from it, in pixels. */
const DOUBLE_TAP = 300;
const DOUBLE_SLOP = 24;

/**
 * @param {MapSurface} surface
 * @param {Gestures} actions
 */
export function attachGestures(surface, actions) {
  const { canvas, camera } = surface;
  /** @type {Map<number, Point>} */
  const pointers = new Map();
  /** @type {"none"|"press"|"pan"|"pin"|"area"|"pinch"|"done"} */
  let mode = "none";
  let start = { x: 0, y: 0 };
  let last = { x: 0, y: 0 };
  /** @type {Item|null} */
  let item = null;
  let timer = 0;
  let pressed = false;
  /** The last tap beside all items, which a second one makes a double tap. */
  let tapped = { x: 0, y: 0, time: -Infinity };
  let speed = { x: 0, y: 0 };
  let moveTime = 0;
  let glide = 0;

  /** @param {PointerEvent|WheelEvent} event */
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  /** @param {string} type */
  const kind = (type) => /** @type {"mouse"|"pen"|"touch"} */ (type in SLOP ? type : "touch");

  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  let pinch = { x: 0, y: 0, distance: 1 };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    cancelAnimationFrame(glide);
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const point = at(event);
    pointers.set(event.pointerId, point);
    clearTimeout(timer);
    pressed = false;
    if (pointers.size === 2) {
      mode = "pinch";
      surface.moved = null;
      pinch = spread();
      return;
    }
    mode = "press";
    start = last = point;
    speed = { x: 0, y: 0 };
    item = actions.itemAt(point, REACH[kind(event.pointerType)]);
    if (event.shiftKey || actions.draws?.()) mode = "area";
    // A mouse rests before it drags; the map has a button for a new pin.
    else if (event.pointerType !== "mouse") timer = window.setTimeout(() => {
      mode = "done";
      pressed = true;
      actions.longPress(point, item);
    }, LONG_PRESS);
  });

  canvas.addEventListener("pointermove", (event) => {
    const point = at(event);
    if (!pointers.has(event.pointerId)) {
      const hit = actions.itemAt(point, REACH.mouse);
      canvas.classList.toggle("over-item", hit !== null);
      return;
    }
    pointers.set(event.pointerId, point);
    if (mode === "press") {
      const far = Math.hypot(point.x - start.x, point.y - start.y);
      if (far < SLOP[kind(event.pointerType)]) return;
      clearTimeout(timer);
      mode = item && actions.canDrag(item) ? "pin" : "pan";
    }
    if (mode === "pan") pan(point);
    else if (mode === "pin" && item) {
      surface.moved = { key: item.key, ...point };
      surface.redraw();
    } else if (mode === "area") {
      surface.area = areaOf(point);
      surface.redraw();
    } else if (mode === "pinch" && pointers.size === 2) {
      const next = spread();
      camera.panBy(next.x - pinch.x, next.y - pinch.y);
      camera.zoomAt(camera.zoom + Math.log2(next.distance / Math.max(1, pinch.distance)),
        next.x, next.y);
      pinch = next;
      actions.moved();
    }
  });

  /** @param {Point} point */
  function pan(point) {
    const now = performance.now();
    const elapsed = Math.max(1, now - moveTime);
    moveTime = now;
    const step = { x: point.x - last.x, y: point.y - last.y };
    const part = Math.min(1, elapsed / 60);
    speed = {
      x: speed.x * (1 - part) + step.x / elapsed * part,
      y: speed.y * (1 - part) + step.y / elapsed * part,
    };
    last = point;
    camera.panBy(step.x, step.y);
    actions.moved();
  }

  /**
   * @param {Point} point
   * @returns {Area}
   */
  const areaOf = (point) => ({
    x: Math.min(start.x, point.x), y: Math.min(start.y, point.y),
    width: Math.abs(point.x - start.x), height: Math.abs(point.y - start.y),
  });

  /** @param {PointerEvent} event */
  const end = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    clearTimeout(timer);
    const point = at(event);
    const cancelled = event.type === "pointercancel";
    if (mode === "pinch") {
      // The other finger goes on panning.
      mode = pointers.size === 1 ? "pan" : "none";
      last = [...pointers.values()][0] ?? point;
      speed = { x: 0, y: 0 };
      return;
    }
    const ended = mode;
    mode = "none";
    surface.moved = null;
    surface.area = null;
    surface.redraw();
    if (cancelled) return;
    if (ended === "pin" && item) actions.drop(item, point);
    else if (ended === "area" && areaOf(point).width > 8) actions.area(areaOf(point));
    else if (ended === "press") tap(point, event);
    else if (ended === "pan" && performance.now() - moveTime < 60) coast();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  // The panel that a long press opens can be under the finger, which must not click there.
  canvas.addEventListener("touchend", (event) => { if (pressed) event.preventDefault(); });

  /**
   * @param {Point} point
   * @param {PointerEvent} event
   */
  function tap(point, event) {
    const time = item ? -Infinity : event.timeStamp;
    const double = time - tapped.time < DOUBLE_TAP && Math.hypot(point.x - tapped.x, point.y - tapped.y) < DOUBLE_SLOP;
    tapped = { ...point, time: double ? -Infinity : time };
    if (!double) return actions.tap(point, item);
    camera.zoomAt(Math.round(camera.zoom) + 1, point.x, point.y);
    actions.moved();
  }

  /** Goes on moving for a moment, as if the map had mass. */
  function coast() {
    if (reducedMotion() || Math.hypot(speed.x, speed.y) < 0.15) return;
    let before = performance.now();
    const step = () => {
      const now = performance.now();
      const elapsed = Math.min(50, now - before);
      before = now;
      camera.panBy(speed.x * elapsed, speed.y * elapsed);
      const friction = Math.exp(-elapsed / 160);
      speed = { x: speed.x * friction, y: speed.y * friction };
      actions.moved();
      if (Math.hypot(speed.x, speed.y) > 0.02) glide = requestAnimationFrame(step);
    };
    glide = requestAnimationFrame(step);
  }

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    cancelAnimationFrame(glide);
    const { x, y } = at(event);
    const lines = event.deltaMode === 1 ? 24 : 1;
    // A pinch on a touchpad arrives as a wheel with Ctrl, in small steps.
    const step = event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0025);
    camera.zoomAt(camera.zoom - Math.max(-1, Math.min(1, step)), x, y);
    actions.moved();
  }, { passive: false });

  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
}
