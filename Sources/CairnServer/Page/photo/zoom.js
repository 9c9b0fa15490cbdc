// @ts-check
// Zoom and pan: pure geometry first, then the pointer, wheel and touch input of a stage.

/** @typedef {{width: number, height: number}} Size */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{left: number, top: number, width: number, height: number}} Frame */
/**
 * What a stage shows: `zoom` 1 fits the photo; `x`, `y` is the photo's point (fractions) at the
 * center of the stage.
 * @typedef {{zoom: number, x: number, y: number}} View
 */

/** @type {Readonly<View>} */
export const FIT = Object.freeze({ zoom: 1, x: 0.5, y: 0.5 });

/** The shortest swipe in pixels. */
const SWIPE = 60;
/** Pixels that a pointer may move and still click. */
const SLOP = 4;

/**
 * Returns the CSS pixels per photo pixel at which the photo just fits.
 * @param {Size} stage
 * @param {Size} photo
 */
export function fitScale(stage, photo) {
  if (photo.width <= 0 || photo.height <= 0) return 1;
  return Math.min(stage.width / photo.width, stage.height / photo.height) || 1;
}

/** Returns the largest zoom: four screen pixels per photo pixel, at least eight times the fit.
 * @param {Size} stage @param {Size} photo */
export function maximumZoom(stage, photo) {
  return Math.max(8, 4 / fitScale(stage, photo));
}

/**
 * Returns where the photo lies in the stage.
 * @param {Size} stage
 * @param {Size} photo
 * @param {View} view
 * @returns {Frame}
 */
export function frameOf(stage, photo, view) {
  const scale = fitScale(stage, photo) * view.zoom;
  const width = photo.width * scale;
  const height = photo.height * scale;
  return {
    left: stage.width / 2 - view.x * width, top: stage.height / 2 - view.y * height, width, height,
  };
}

/** Returns the view within its limits: no empty margin on a side that could show photo.
 * @param {Size} stage @param {Size} photo @param {View} view @returns {View} */
export function clampView(stage, photo, view) {
  const zoom = Math.min(Math.max(view.zoom, 1), maximumZoom(stage, photo));
  const { width, height } = frameOf(stage, photo, { ...view, zoom });
  return { zoom, x: clampCenter(view.x, stage.width, width), y: clampCenter(view.y, stage.height, height) };
}

/** @param {number} center @param {number} room @param {number} length */
function clampCenter(center, room, length) {
  if (length <= room) return 0.5;
  const half = room / 2 / length;
  return Math.min(Math.max(center, half), 1 - half);
}

/**
 * Returns the photo's point (fractions) under a point of the stage.
 * @param {Frame} frame
 * @param {Point} point
 * @returns {Point}
 */
export function toPhoto(frame, point) {
  return { x: (point.x - frame.left) / frame.width, y: (point.y - frame.top) / frame.height };
}

/** Returns the view after zooming by `factor`, with the photo's point under `point` kept in place.
 * @param {Size} stage @param {Size} photo @param {View} view @param {Point} point @param {number} factor */
export function zoomAt(stage, photo, view, point, factor) {
  const anchor = toPhoto(frameOf(stage, photo, view), point);
  const zoom = Math.min(Math.max(view.zoom * factor, 1), maximumZoom(stage, photo));
  const after = frameOf(stage, photo, { ...view, zoom });
  const x = anchor.x + (stage.width / 2 - point.x) / after.width;
  const y = anchor.y + (stage.height / 2 - point.y) / after.height;
  return clampView(stage, photo, { zoom, x, y });
}

/** Returns the view after the photo moved by pixels of the stage.
 * @param {Size} stage @param {Size} photo @param {View} view @param {number} dx @param {number} dy */
export function panBy(stage, photo, view, dx, dy) {
  const { width, height } = frameOf(stage, photo, view);
  return clampView(stage, photo, { ...view, x: view.x - dx / width, y: view.y - dy / height });
}

/**
 * Returns the view after two fingers moved.
 * @param {Size} stage
 * @param {Size} photo
 * @param {View} view
 * @param {[Point, Point]} before
 * @param {[Point, Point]} after
 */
export function pinch(stage, photo, view, before, after) {
  const middle = (/** @type {[Point, Point]} */ [a, b]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  const spread = (/** @type {[Point, Point]} */ [a, b]) => Math.hypot(a.x - b.x, a.y - b.y) || 1;
  const from = middle(before);
  const to = middle(after);
  const moved = panBy(stage, photo, view, to.x - from.x, to.y - from.y);
  return zoomAt(stage, photo, moved, to, spread(after) / spread(before));
}

/** Returns the preview side to load for a photo shown `pixels` device pixels long; 0 is the original.
 * @param {number} pixels */
export function previewSide(pixels) {
  if (pixels <= 640) return 640;
  if (pixels <= 1600) return 1600;
  return pixels <= 2900 ? 2560 : 0;
}

/** A stage: keeps the view of one photo, lays out `picture` inside `element`, reads the pointers. */
export class ZoomStage {
  /** @type {View} */ view = { ...FIT };
  /** @type {Size} */ photo = { width: 1, height: 1 };
  /** @type {Map<number, Point>} */ #pointers = new Map();
  /** @type {{x: number, y: number, touch: boolean}|null} */ #start = null;
  #pinched = false;
  /** Whether the pointer moved since it went down: then its click means nothing. */
  moved = false;
  #observer;
  /** @type {Size} */ #size = { width: 1, height: 1 };

  /**
   * @param {HTMLElement} element the stage, positioned, `touch-action: none`
   * @param {HTMLElement} picture the absolutely positioned box of the photo inside it
   * @param {{onChange?: () => void, onSwipe?: (direction: -1|1) => void}} options
   *   `onSwipe`: a fitting photo was swiped; 1 is to the right
   */
  constructor(element, picture, { onChange, onSwipe } = {}) {
    this.element = element;
    this.picture = picture;
    this.onChange = onChange;
    this.onSwipe = onSwipe;
    this.#observer = new ResizeObserver(() => this.layout());
    this.#observer.observe(element);
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
      element.addEventListener(name, (event) => this.#up(event));
    }
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    element.addEventListener("dblclick", (event) => this.toggle(this.point(event)));
  }

  /**
   * Shows another photo of this size, fitted.
   * @param {Size} photo
   */
  reset(photo) {
    this.photo = photo;
    this.set(FIT);
  }

  /** @param {View} view */
  set(view) {
    this.view = { ...view };
    this.layout();
  }

  /** Lays the picture out and reports the change. */
  layout() {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#size = { width: clientWidth, height: clientHeight };
    this.view = clampView(this.#size, this.photo, this.view);
    const frame = this.frame();
    const { style } = this.picture;
    style.width = `${frame.width}px`;
    style.height = `${frame.height}px`;
    style.transform = `translate(${frame.left}px, ${frame.top}px)`;
    this.element.classList.toggle("zoomed", this.view.zoom > 1.001);
    this.onChange?.();
  }

  frame() {
    return frameOf(this.#size, this.photo, this.view);
  }

  /** Whether the photo is larger than its fit. */
  get zoomed() {
    return this.view.zoom > 1.001;
  }

  /** Screen pixels per photo pixel, in percent. */
  get percent() {
    return (100 * fitScale(this.#size, this.photo) * this.view.zoom) * (devicePixelRatio || 1);
  }

  /**
   * Zooms around a point, by default the center.
   * @param {number} factor
   * @param {Point} [point]
   */
  zoomBy(factor, point = { x: this.#size.width / 2, y: this.#size.height / 2 }) {
    this.set(zoomAt(this.#size, this.photo, this.view, point, factor));
  }

  /**
   * Moves the view by fractions of the stage.
   * @param {number} x
   * @param {number} y
   */
  panBy(x, y) {
    const { width, height } = this.#size;
    this.set(panBy(this.#size, this.photo, this.view, -x * width, -y * height));
  }

  /**
   * Switches between fit and one photo pixel per screen pixel.
   * @param {Point} [point]
   */
  toggle(point) {
    if (this.zoomed) this.set(FIT);
    else this.zoomBy(Math.max(100 / this.percent, 2), point);
  }

  /**
   * Returns the event's place in the stage.
   * @param {MouseEvent} event
   * @returns {Point}
   */
  point(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0 && event.button !== 1) return;
    if (event.target instanceof Element && event.target.closest("button, input, textarea, a")) return;
    this.#pointers.set(event.pointerId, this.point(event));
    this.element.setPointerCapture(event.pointerId);
    if (this.#pointers.size === 1) {
      this.moved = false;
      const touch = event.pointerType !== "mouse";
      this.#start = { ...this.point(event), touch };
      this.#pinched = false;
    } else {
      this.#pinched = true;
    }
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = this.point(event);
    const start = this.#start;
    if (start && Math.hypot(now.x - start.x, now.y - start.y) > SLOP) this.moved = true;
    const others = [...this.#pointers].filter(([id]) => id !== event.pointerId);
    this.#pointers.set(event.pointerId, now);
    if (others.length === 0) {
      if (this.zoomed) {
        this.set(panBy(this.#size, this.photo, this.view, now.x - before.x, now.y - before.y));
      }
    } else if (others.length === 1) {
      const other = others[0][1];
      this.set(pinch(this.#size, this.photo, this.view, [before, other], [now, other]));
    }
  }

  /** @param {PointerEvent} event */
  #up(event) {
    if (!this.#pointers.delete(event.pointerId) || this.#pointers.size > 0) return;
    const start = this.#start;
    this.#start = null;
    if (!start?.touch || this.#pinched || this.zoomed || event.type === "pointercancel") return;
    const now = this.point(event);
    const dx = now.x - start.x;
    if (Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(now.y - start.y)) {
      this.onSwipe?.(dx > 0 ? 1 : -1);
    }
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const speed = event.ctrlKey ? 0.01 : 0.002;
    const delta = Math.max(-240, Math.min(240, event.deltaY * lines));
    this.zoomBy(Math.exp(-delta * speed), this.point(event));
  }
}
