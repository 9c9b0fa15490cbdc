// @ts-check
/** @file Which photos the panel of the map shows: those of a pin or an area, of the query or all. */

import { api } from "../data/api.js";
import { createSet, idsOf } from "../data/sets.js";
import { store } from "../data/store.js";

/** @typedef {import("../data/types.js").Bounds} Bounds */
/** @typedef {import("../data/types.js").Pin} Pin */
/** @typedef {import("../data/types.js").SetInfo} SetInfo */

/**
 * Returns a query that finds what matches both.
 * @param {string} query
 * @param {string} term
 */
function both(query, term) {
  return query.trim() ? `(${query.trim()}) ${term}` : term;
}

export class PanelPhotos {
  /** Whether photos are shown that do not match the query. */
  everything = false;

  /**
   * @param {Pin|null} pin
   * @param {Bounds|null} bounds of an area
   */
  constructor(pin, bounds) {
    this.term = pin ? `pin:${pin.pin}` : areaTerm(bounds ?? [0, 0, 0, 0]);
  }

  get query() {
    return this.everything ? this.term : both(store.query, this.term);
  }

  /** Whether only photos of a set without a query are shown. */
  get isOfNamedSet() {
    return !this.everything && Boolean(store.set?.key);
  }

  /**
   * Creates the set of the photos. No query can find those of a named set: they are listed.
   * @returns {Promise<SetInfo>}
   */
  async create() {
    const { set } = store;
    if (!set || !this.isOfNamedSet) return createSet({ query: this.query, sort: "taken" });
    const here = await createSet({ query: this.term, sort: "taken" });
    const [ids, named] = await Promise.all([idsOf(here), idsOf(set)]);
    api.delete(`/api/sets/${here.set}`).catch(() => {});
    const wanted = new Set(named);
    return createSet({ photos: ids.filter((id) => wanted.has(id)) });
  }

  /**
   * Whether other photos are found now than are in the set.
   * @param {SetInfo|null} set
   */
  async differFrom(set) {
    if (!set || this.isOfNamedSet || set.body.query !== this.query) return true;
    try {
      const changes = await api.get(`/api/sets/${set.set}/changes`);
      return changes.new + changes.gone > 0;
    } catch {
      return true;
    }
  }
}

/** @param {Bounds} bounds rounded outward, so that photos on the edge are found */
function areaTerm([west, south, east, north]) {
  const down = (/** @type {number} */ x) => Math.floor(x * 1e6) / 1e6;
  const up = (/** @type {number} */ x) => Math.ceil(x * 1e6) / 1e6;
  return `in:${Math.max(-180, down(west))},${Math.max(-90, down(south))},`
    + `${Math.min(180, up(east))},${Math.min(90, up(north))}`;
}
