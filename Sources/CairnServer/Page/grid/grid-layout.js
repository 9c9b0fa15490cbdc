// @ts-check
/** @file Where photos of a grid are. Pure: no elements. All lengths in CSS pixels. */

/** @typedef {import("../data/types.js").Group} Group */

/** Browsers cap the height of an element (Firefox at 17.9 million px). */
export const MOST_HEIGHT = 15_000_000;

/**
 * @typedef {object} Section A group with its place, or all photos if there are no groups.
 * @property {Group} group
 * @property {number} top where the header begins
 * @property {number} bottom
 */

export class GridLayout {
  /**
   * @param {{count: number, groups?: Group[], width: number, cell: number, gap: number,
   *   header: number}} options `cell`: wanted side; the real one fills the width
   */
  constructor({ count, groups, width, cell, gap, header }) {
    this.count = count;
    this.gap = gap;
    this.header = groups?.length ? header : 0;
    this.columns = Math.max(1, Math.round((width + gap) / (cell + gap)));
    this.side = Math.max(1, Math.floor((width - gap * (this.columns - 1)) / this.columns));
    this.row = this.side + gap;
    /** @type {Section[]} */
    this.sections = [];
    let top = 0;
    const list = groups?.length ? groups : [{ key: "", name: "", start: 0, count }];
    for (const group of list) {
      const bottom = top + this.header + Math.ceil(group.count / this.columns) * this.row;
      this.sections.push({ group, top, bottom });
      top = bottom;
    }
    this.height = top;
  }

  /**
   * Returns the last section for which `before` holds.
   * @param {(section: Section) => boolean} before
   */
  last(before) {
    let low = 0;
    let high = this.sections.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (before(this.sections[middle])) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * Returns the section of a photo.
   * @param {number} index
   */
  sectionOf(index) {
    return this.sections[this.last((section) => section.group.start <= index)];
  }

  /**
   * Returns the top left corner of a photo.
   * @param {number} index
   */
  positionOf(index) {
    const { group, top } = this.sectionOf(index);
    const place = index - group.start;
    return {
      x: (place % this.columns) * this.row,
      y: top + this.header + Math.floor(place / this.columns) * this.row,
    };
  }

  /**
   * Returns the photo at or nearest to a point, -1 in an empty grid.
   * @param {number} x
   * @param {number} y
   */
  indexAt(x, y) {
    if (this.count === 0) return -1;
    const { group, top } = this.sections[this.last((section) => section.top <= y)];
    const row = Math.max(0, Math.floor((y - top - this.header) / this.row));
    const column = Math.min(this.columns - 1, Math.max(0, Math.floor(x / this.row)));
    const place = Math.min(group.count - 1, row * this.columns + column);
    return Math.min(this.count - 1, group.start + Math.max(0, place));
  }

  /**
   * Returns the photos of whole rows that touch `top..<bottom`.
   * @param {number} top
   * @param {number} bottom
   */
  range(top, bottom) {
    if (this.count === 0) return { from: 0, to: 0 };
    const from = this.indexAt(0, Math.max(0, top));
    const to = this.indexAt(Number.MAX_SAFE_INTEGER, Math.max(0, bottom)) + 1;
    return { from, to };
  }

  /**
   * Returns the sections whose headers touch `top..<bottom`.
   * @param {number} top
   * @param {number} bottom
   */
  headers(top, bottom) {
    if (this.header === 0) return [];
    const first = this.last((section) => section.top <= top);
    const result = [];
    for (let at = first; at < this.sections.length && this.sections[at].top < bottom; at += 1) {
      result.push(this.sections[at]);
    }
    return result;
  }

  /**
   * Returns the photo above or below, as near to the column as possible.
   * @param {number} index
   * @param {number} rows negative: up
   */
  vertical(index, rows) {
    const { x, y } = this.positionOf(index);
    const step = Math.sign(rows);
    let target = index;
    let at = y;
    for (let moved = 0; moved < Math.abs(rows); moved += 1) {
      const { top, bottom } = this.sectionOf(target);
      at = step > 0 ? at + this.row : at - this.row;
      if (step > 0 && at >= bottom) at = bottom + this.header;
      if (step < 0 && at < top + this.header) at = top - this.row;
      if (at < 0 || at >= this.height) break;
      target = this.indexAt(x, at + 1);
      at = this.positionOf(target).y;
    }
    return target;
  }
}

/**
 * Converts between the position of a scroll bar and that in the grid. They are the same up to
 * `MOST_HEIGHT`; above it the scroll bar is scaled.
 */
export class ScrollScale {
  /**
   * @param {number} height of the grid
   * @param {number} viewport
   */
  constructor(height, viewport) {
    this.height = height;
    this.viewport = viewport;
    this.barHeight = Math.min(height, MOST_HEIGHT);
    this.scaled = height > MOST_HEIGHT;
    this.factor = this.scaled ? (height - viewport) / (this.barHeight - viewport) : 1;
  }

  /** @param {number} scrollTop */
  toGrid(scrollTop) {
    return scrollTop * this.factor;
  }

  /** @param {number} top */
  toBar(top) {
    return Math.max(0, Math.min(top, this.height - this.viewport)) / this.factor;
  }
}
