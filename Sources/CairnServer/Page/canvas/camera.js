// @ts-check
/** @file What part of a plane is shown. Pure: no elements. */

/** @typedef {{x: number, y: number}} Point */

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** A part of a plane, without its limits, which subclasses define. */
export class PlaneView {
  /** The center, in the coordinates of the plane. */
  x = 0.5;
  y = 0.5;
  zoom = 0;
  /** The size of the view in CSS pixels. */
  width = 1;
  height = 1;

  /** CSS pixels for each unit of the plane. */
  get scale() {
    return 2 ** this.zoom;
  }

  /** The range of the zoom. */
  get leastZoom() {
    return 0;
  }

  get mostZoom() {
    return Infinity;
  }

  /** Keeps the center within the limits of the plane. */
  settle() {}

  /**
   * Returns what is at a point of the view, in the coordinates of the plane, perhaps outside of it.
   * @param {number} x
   * @param {number} y
   * @returns {Point}
   */
  unproject(x, y) {
    return {
      x: this.x + (x - this.width / 2) / this.scale,
      y: this.y + (y - this.height / 2) / this.scale,
    };
  }

  /**
   * Moves what is shown by pixels.
   * @param {number} dx
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.settle();
  }

  /**
   * Changes the zoom; what is at a point of the view stays there.
   * @param {number} zoom
   * @param {number} [x]
   * @param {number} [y]
   */
  zoomAt(zoom, x = this.width / 2, y = this.height / 2) {
    const anchor = this.unproject(x, y);
    this.zoom = clamp(zoom, this.leastZoom, this.mostZoom);
    this.x = anchor.x - (x - this.width / 2) / this.scale;
    this.y = anchor.y - (y - this.height / 2) / this.scale;
    this.settle();
  }
}
