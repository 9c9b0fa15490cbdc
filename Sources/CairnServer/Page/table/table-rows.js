// @ts-check
/** @file The rows of a table of labels, by pages. */

import { api, ApiError } from "../data/api.js";

/**
 * @typedef {object} TableRow One photo and class.
 * @property {string} photo
 * @property {string} name
 * @property {string} class
 * @property {string} className
 * @property {import("../data/types.js").State} state
 * @property {number} confidence
 * @property {string|null} [taken]
 * @property {string|null} [pin]
 * @property {{model: string, verdict: string, confidence: number}[]} predictions
 * @property {{person: string, verdict: string}[]} verdicts
 */

/** @typedef {"photo"|"class"|"state"|"confidence"|"model"|"person"|"day"|"pin"} FilterName */
/** @typedef {Partial<Record<FilterName, string>>} Filter Texts, as in the address. */
/** @typedef {{query: string, sort: string, descending: boolean, filter: Filter}} TableRequest */

const PAGE = 200;
const MOST_PAGES = 30;

/** A table that the server keeps; its rows stay in place while their labels change. */
export class TableRows {
  table = "";
  count = 0;
  /**
   * Rows by page, least recently used first.
   * @type {Map<number, TableRow[]>}
   */
  pages = new Map();
  /** @type {Set<number>} */
  loading = new Set();
  version = 0;

  /**
   * @param {() => void} changed called when rows were loaded
   * @param {(error: unknown) => void} failed
   */
  constructor(changed, failed) {
    this.changed = changed;
    this.failed = failed;
  }

  /** @param {TableRequest} request */
  async open(request) {
    this.version += 1;
    const own = this.version;
    const { confidence } = request.filter;
    const filter = confidence === undefined ? request.filter
      : { ...request.filter, confidence: Number(confidence) };
    const { table, count } = await api.post("/api/tables", { ...request, filter });
    if (own !== this.version) return;
    this.table = table;
    this.count = count;
    this.pages.clear();
    this.loading.clear();
  }

  /**
   * Returns a row, or null if it is not loaded.
   * @param {number} index
   */
  at(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null;
  }

  /**
   * Returns the name of a photo; undefined if no row of it is loaded.
   * @param {string} photo
   */
  nameOf(photo) {
    for (const rows of this.pages.values()) {
      const row = rows.find((one) => one.photo === photo);
      if (row) return row.name;
    }
    return undefined;
  }

  /** Returns the indices of the rows that are loaded, in order. */
  loaded() {
    return [...this.pages.keys()].sort((a, b) => a - b).flatMap((page) =>
      (this.pages.get(page) ?? []).map((_, at) => page * PAGE + at));
  }

  /**
   * Returns a row, loaded if needed; null if it could not be read.
   * @param {number} index
   */
  async read(index) {
    if (!this.at(index)) await this.load(Math.floor(index / PAGE));
    return this.at(index);
  }

  /**
   * Has rows loaded.
   * @param {number} from
   * @param {number} to not included
   */
  need(from, to) {
    if (!this.table) return;
    const last = Math.floor((Math.min(to, this.count) - 1) / PAGE);
    for (let page = Math.floor(from / PAGE); page <= last; page += 1) {
      const known = this.pages.get(page);
      if (known) {
        this.pages.delete(page);
        this.pages.set(page, known);
      } else if (!this.loading.has(page)) {
        this.load(page);
      }
    }
  }

  /** @param {number} page */
  async load(page) {
    this.loading.add(page);
    const own = this.version;
    try {
      const path = `/api/tables/${this.table}?from=${page * PAGE}&count=${PAGE}`;
      const { rows } = await api.get(path);
      if (own !== this.version) return;
      this.pages.delete(page);
      this.pages.set(page, rows);
      for (const oldest of this.pages.keys()) {
        if (this.pages.size <= MOST_PAGES) break;
        this.pages.delete(oldest);
      }
      this.changed();
    } catch (error) {
      if (own === this.version) this.failed(error);
    } finally {
      if (own === this.version) this.loading.delete(page);
    }
  }

  /**
   * Reads pages again that are loaded; the others are forgotten.
   * @param {number} from
   * @param {number} to
   */
  refresh(from, to) {
    const [first, last] = [Math.floor(from / PAGE), Math.floor(Math.max(from, to - 1) / PAGE)];
    for (const page of [...this.pages.keys()]) {
      if (page < first || page > last) this.pages.delete(page);
      else this.load(page);
    }
  }
}

/**
 * Returns whether an error says that the server no longer keeps the table.
 * @param {unknown} error
 */
export function isExpired(error) {
  return error instanceof ApiError && error.status === 410;
}
