// @ts-check
/** @file Rows of result sets, by pages; the current set is `rows`. */

import { api, ApiError, CLIENT } from "./api.js";
import { createSet, idsOf } from "./sets.js";
import { emit, on, store } from "./store.js";

/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./types.js").SetInfo} SetInfo */

/** Rows of one page, and how many pages a set keeps: 10,000 rows. */
const PAGE = 250;
const MOST_PAGES = 40;
const REQUESTS = 2;
/** How many pages beside the shown ones are read again when an unknown number of photos changed. */
const RECENT = 3;

/**
 * All open sets, for changes that the server reports.
 * @type {Set<RowPages>}
 */
const open = new Set();

export class RowPages {
  /** @param {SetInfo} set */
  constructor(set) {
    this.set = set;
    /** @type {Map<number, (string|null)[]>} ids by page, least recently used first; null: it is gone */
    this.pages = new Map();
    /** @type {Map<string, number>} */
    this.indices = new Map();
    /** @type {Map<number, Promise<void>>} */
    this.loading = new Map();
    /** @type {number[]} pages that are wanted, first ones first */
    this.wanted = [];
    /** The pages of the rows that were needed last: none. */
    this.first = 0;
    this.last = -1;
    /** @type {Set<number>} pages that changed while they were being loaded */
    this.stale = new Set();
    this.closed = false;
    open.add(this);
  }

  get count() { return this.set.count; }

  /**
   * Returns the row at an index, or null if it is not loaded.
   * @param {number} index
   * @returns {Row|null}
   */
  at(index) {
    const id = this.idAt(index);
    return id ? store.rows.get(id) ?? null : null;
  }

  /**
   * @param {number} index
   * @returns {string|null}
   */
  idAt(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null;
  }

  /**
   * Has the rows of `from..<to` loaded; what was wanted before and is not in it is dropped.
   * @param {number} from
   * @param {number} to
   */
  need(from, to) {
    const first = Math.floor(Math.max(0, from) / PAGE);
    const last = Math.floor(Math.max(0, Math.min(to, this.count) - 1) / PAGE);
    this.wanted = [];
    if (this.count === 0) return;
    this.first = first;
    this.last = last;
    for (let page = first; page <= last; page += 1) {
      const ids = this.pages.get(page);
      if (ids) {
        this.pages.delete(page);
        this.pages.set(page, ids);
      } else if (!this.loading.has(page)) {
        this.wanted.push(page);
      }
    }
    this.pump();
  }

  pump() {
    while (this.loading.size < REQUESTS && this.wanted.length > 0) {
      this.loadPage(/** @type {number} */ (this.wanted.shift())).catch(() => {});
    }
  }

  /**
   * @param {number} page
   * @returns {Promise<void>}
   */
  loadPage(page) {
    const running = this.loading.get(page);
    if (running) return running;
    const promise = this.fetchPage(page).finally(() => {
      this.loading.delete(page);
      if (this.stale.delete(page) && !this.closed) this.loadPage(page).catch(() => {});
      this.pump();
    });
    this.loading.set(page, promise);
    return promise;
  }

  /** @param {number} page */
  async fetchPage(page) {
    const path = `/api/sets/${this.set.set}/photos?from=${page * PAGE}&count=${PAGE}`;
    let photos;
    try {
      ({ photos } = await api.get(path));
    } catch (error) {
      this.failed(error);
      throw error;
    }
    if (this.closed) return;
    /** @type {(Row|null)[]} */
    const list = photos;
    this.pages.delete(page);
    this.pages.set(page, list.map((row) => row?.id ?? null));
    list.forEach((row, offset) => { if (row) this.indices.set(row.id, page * PAGE + offset); });
    patchRows(list.flatMap((row) => row ?? []));
    for (const [oldest, ids] of this.pages) {
      if (this.pages.size <= MOST_PAGES) break;
      this.pages.delete(oldest);
      this.forget(ids);
    }
  }

  /** @param {(string|null)[]} ids */
  forget(ids) {
    for (const id of ids) {
      if (!id) continue;
      this.indices.delete(id);
      const used = [...open].some((other) => other !== this && other.indices.has(id));
      if (!used) store.rows.delete(id);
    }
  }

  /**
   * Returns the row at an index, loaded if needed; null past the end.
   * @param {number} index
   * @returns {Promise<Row|null>}
   */
  async load(index) {
    if (index < 0 || index >= this.count) return null;
    const page = Math.floor(index / PAGE);
    const ids = this.pages.get(page);
    if (!this.at(index)) await this.loadPage(page);
    else if (ids) {
      this.pages.delete(page);
      this.pages.set(page, ids);
    }
    return this.at(index);
  }

  /**
   * Returns the index of a photo among the loaded rows, or -1.
   * @param {string} id
   */
  indexOf(id) {
    return this.indices.get(id) ?? -1;
  }

  /**
   * Returns the index of a photo, asking the server if needed; -1 if it is not in the set; null if
   * that is not known.
   * @param {string} id
   * @returns {Promise<number|null>}
   */
  async find(id) {
    const known = this.indexOf(id);
    if (known >= 0) return known;
    try {
      return /** @type {number} */ ((await api.get(`/api/sets/${this.set.set}/index/${id}`)).index);
    } catch (error) {
      this.failed(error);
      return error instanceof ApiError && error.status === 404 ? -1 : null;
    }
  }

  /** @param {unknown} error */
  failed(error) {
    if (error instanceof ApiError && error.status === 410 && !this.closed) {
      emit("set-expired", { set: this.set });
    }
  }

  /**
   * Returns the ids of `from..<to`.
   * @param {number} from
   * @param {number} to
   * @returns {Promise<string[]>}
   */
  async ids(from, to) {
    const result = [];
    for (let index = from; index < to; index += 1) {
      const id = this.idAt(index);
      if (!id) break;
      result.push(id);
    }
    if (result.length === to - from) return result;
    return idsOf(this.set, from, to);
  }

  /**
   * Reads loaded pages again: those with one of the ids. If null, those that are shown and the
   * latest others; the rest is forgotten.
   * @param {string[]|null} ids
   */
  refresh(ids) {
    /** @type {Set<number>} */
    const pages = new Set();
    if (ids) {
      for (const id of ids) {
        const index = this.indices.get(id);
        if (index !== undefined) pages.add(Math.floor(index / PAGE));
      }
    } else {
      const loaded = [...this.pages.keys()];
      for (const page of loaded) if (page >= this.first && page <= this.last) pages.add(page);
      for (const page of loaded.slice(-RECENT)) pages.add(page);
      for (const [page, list] of [...this.pages]) {
        if (pages.has(page)) continue;
        this.pages.delete(page);
        this.forget(list);
      }
      // The request may have been answered before the change.
      for (const page of this.loading.keys()) pages.add(page);
    }
    for (const page of pages) {
      if (this.loading.has(page)) this.stale.add(page);
      else this.loadPage(page).catch(() => {});
    }
  }

  close() {
    this.closed = true;
    open.delete(this);
    for (const ids of this.pages.values()) this.forget(ids);
    this.pages.clear();
  }
}

/** What is shown before the first set. */
export const NO_SET = { set: "", query: "", sort: "id", descending: false, group: "none", count: 0 };

/** The rows of the current set. */
export let rows = new RowPages(NO_SET);

on("store", ({ changed }) => {
  if (!changed.includes("set")) return;
  rows.close();
  rows = new RowPages(store.set ?? NO_SET);
});

/**
 * Puts rows into the store and has them painted.
 * @param {Row[]} list
 */
export function patchRows(list) {
  for (const row of list) store.rows.set(row.id, row);
  if (list.length > 0) emit("rows", { ids: list.map((row) => row.id) });
}

/**
 * Runs a query and makes its result the current set.
 * @param {{query?: string, sort?: string, descending?: boolean, group?: string}} [changes]
 * @returns {Promise<SetInfo>}
 */
export function openSet(changes = {}) {
  const { query, sort, descending, group } = { ...pick(store), ...changes };
  const values = { query, sort, descending, group };
  return showSet(createSet(values), values);
}

let latest = 0;
let opening = 0;
/** @type {Promise<unknown>} */
let shown = Promise.resolve();

/** Whether another set was asked for that is not there yet. */
export function isOpening() {
  return opening > 0;
}

/** Resolves when the sets that were asked for are there, or have failed. */
export function whenShown() {
  return shown;
}

/**
 * Makes a set the current one as soon as it is there, unless another was asked for since.
 * @param {SetInfo|Promise<SetInfo>} created
 * @param {Partial<typeof store>} [values] of the store that go with it
 * @returns {Promise<SetInfo>}
 */
export async function showSet(created, values = {}) {
  latest += 1;
  const own = latest;
  opening += 1;
  shown = Promise.allSettled([shown, created]).then(() => {});
  try {
    const set = await created;
    if (own === latest) store.update({ set, ...values });
    return set;
  } finally {
    opening -= 1;
  }
}

/** @param {typeof store} from */
function pick({ query, sort, descending, group }) {
  return { query, sort, descending, group };
}

/**
 * Returns a set of these photos, in this order.
 * @param {string[]} ids
 * @returns {Promise<SetInfo>}
 */
export function setOf(ids) {
  return createSet({ photos: ids });
}

on("server:photos", ({ ids, session }) => {
  if (ids && session === CLIENT) return;
  for (const pages of open) pages.refresh(ids);
});
on("server:dataset", ({ reason }) => {
  // A commit changes no photo.
  if (reason !== "commit") for (const pages of open) pages.refresh(null);
});
on("server:reset", () => { for (const pages of open) pages.refresh(null); });
