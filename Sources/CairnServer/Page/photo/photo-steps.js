// @ts-check
/** @file The photos before and after the open one: of the list it was opened from, or of the query. */

import { openList, renewList } from "../data/photo-lists.js";
import { rows } from "../data/rows.js";

/** @typedef {import("../data/photo-lists.js").PhotoList} PhotoList */

export class PhotoSteps {
  /** Where the open photo is in the list, -1 if it is not in it. */
  index = -1;
  #name = "";
  /** @type {PhotoList|null} null: the photos of the query */
  #list = null;
  /** Whether the open photo is in the list; a similar photo that was opened from it may not be. */
  #isOwn = false;
  /** @type {Promise<void>} */
  #ready = Promise.resolve();

  get count() { return this.list.count; }

  /** @returns {PhotoList} */
  get list() { return this.#isOwn && this.#list ? this.#list : rows; }

  /** @param {string} [name] of the list in the address; empty: the photos of the query */
  choose(name = "") {
    if (name !== this.#name) this.#ready = this.#open(name);
  }

  /** @param {string} name */
  async #open(name) {
    this.#name = name;
    this.#list?.close?.();
    this.#list = null;
    const list = await openList(name);
    if (name === this.#name) this.#list = list;
    else list?.close?.();
  }

  /**
   * Takes the place of a set that the server no longer has; returns whether it was this list's.
   * @param {import("../data/types.js").SetInfo} set
   */
  async renew(set) {
    const list = /** @type {any} */ (this.#list);
    if (!list || list.set !== set) return false;
    this.#list = await renewList(list);
    return true;
  }

  /**
   * Returns where a photo is in the list, otherwise where it is among the photos of the query, or -1.
   * @param {string} id
   */
  async find(id) {
    await this.#ready;
    const own = await this.#list?.find(id) ?? -1;
    this.#isOwn = own >= 0;
    return this.#isOwn ? own : await rows.find(id) ?? -1;
  }

  /**
   * Returns the photo before or after the open one, with its index; null past the end. A photo may
   * be in several rows of a table.
   * @param {number} step
   * @param {string|null} id of the open photo
   */
  async next(step, id) {
    for (let index = this.index + step; ; index += step) {
      const row = await this.list.load(index).catch(() => null);
      if (!row) return null;
      if (row.id !== id) return { row, index };
    }
  }

  /**
   * Returns the ids of the photos beside the open one, the next one first.
   * @returns {Promise<string[]>}
   */
  async near() {
    const { index, list } = this;
    if (index < 0) return [];
    const found = await Promise.all([index + 1, index - 1, index + 2]
      .map((at) => list.load(at).catch(() => null)));
    return found.flatMap((row) => row?.id ?? []);
  }
}
