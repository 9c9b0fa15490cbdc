// @ts-check
/** @file Result sets with what they were created with, so that an expired one can be created again. */

import { api } from "./api.js";

/** @typedef {import("./types.js").SetInfo} SetInfo */
/** @typedef {{key: string, name: string, body: any}} Named */

/** The most sets whose creation is remembered, and named ones that a reload remembers. */
const MOST = 64;
const MOST_STORED = 8;
const STORED = "cairn.sets";
/** The most ids of one request. */
const MOST_IDS = 100_000;
/** What the server sends for a photo whose document is gone. */
export const GONE = "0".repeat(64);
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** @type {Map<string, SetInfo>} the latest sets by id */
const sets = new Map();
/** @type {Map<string, Named>} sets without a query, by the key in the address */
const named = new Map();

/**
 * Creates a set, and remembers what it was created with.
 * @param {any} body of `POST /api/sets`
 * @returns {Promise<SetInfo>}
 */
export async function createSet(body) {
  // As text, many ids are larger than a request may be.
  const created = body.photos ? api.upload("/api/sets", bytesOf(body.photos)) : api.post("/api/sets", body);
  return remember({ ...await created, body });
}

/**
 * Returns ids as the server takes many of them.
 * @param {string[]} ids
 */
function bytesOf(ids) {
  const bytes = new Uint8Array(32 * ids.length);
  ids.forEach((id, at) => {
    for (let digit = 0; digit < 64; digit += 2) {
      bytes[32 * at + digit / 2] = parseInt(id.slice(digit, digit + 2), 16);
    }
  });
  return bytes;
}

/**
 * Creates a set without a query, such as a cell of a confusion matrix.
 * @param {any} body
 * @param {string} name what the query bar calls it
 * @param {string} [key] what an address calls it
 * @returns {Promise<SetInfo>}
 */
export async function createNamedSet(body, name, key = Math.random().toString(36).slice(2, 10)) {
  const set = await createSet(body);
  named.set(key, { key, name, body });
  storeNamed();
  return remember({ ...set, key, name });
}

/**
 * Creates a set again that the server no longer has.
 * @param {Pick<SetInfo, "key"|"name"|"body">} set
 */
export function createAgain({ key, name, body }) {
  return key ? createNamedSet(body, name ?? "", key) : createSet(body);
}

/**
 * Returns what a named set was created with, also before a reload of the page; null if that is unknown.
 * @param {string} key
 * @returns {Named|null}
 */
export function namedSet(key) {
  return named.get(key) ?? stored().find((one) => one.key === key) ?? null;
}

/**
 * Returns what two sets have in common if they show the same thing: the key or the query.
 * @param {SetInfo|null} set
 */
export function identity(set) {
  return set?.key ? `set ${set.key}` : `query ${set?.query ?? ""}`;
}

/**
 * Returns a set by its id. Of one that this page did not create, only the number of photos is known.
 * @param {string} id
 * @returns {Promise<SetInfo>}
 */
export async function findSet(id) {
  const known = sets.get(id);
  if (known) return known;
  const { count, new: more, gone } = await api.get(`/api/sets/${encodeURIComponent(id)}/changes`);
  return { set: id, query: "", sort: "id", descending: false, group: "none", count: count - more + gone };
}

/**
 * Returns the ids of the photos `from..<to` of a set, without those that are gone.
 * @param {SetInfo} set
 * @param {number} [from]
 * @param {number} [to]
 * @returns {Promise<string[]>}
 */
export async function idsOf(set, from = 0, to = set.count) {
  return (await placesOf(set, from, to)).filter((id) => id !== GONE);
}

/**
 * Returns the ids of the photos `from..<to` of a set by their index; those that are gone have zeros.
 * @param {SetInfo} set
 * @param {number} from
 * @param {number} to
 * @returns {Promise<string[]>}
 */
export async function placesOf(set, from, to) {
  const ids = [];
  for (let start = from; start < to; start += MOST_IDS) {
    const count = Math.min(MOST_IDS, to - start);
    const blob = await api.blob(`/api/sets/${set.set}/ids?from=${start}&count=${count}`);
    const bytes = new Uint8Array(await blob.arrayBuffer());
    for (let at = 0; at < bytes.length; at += 32) ids.push(hex(bytes, at));
  }
  return ids;
}

/** @param {Uint8Array} bytes @param {number} start */
function hex(bytes, start) {
  let text = "";
  for (let at = start; at < start + 32; at += 1) text += HEX[bytes[at]];
  return text;
}

/** @param {SetInfo} set */
function remember(set) {
  sets.set(set.set, set);
  for (const oldest of sets.keys()) {
    if (sets.size <= MOST) break;
    sets.delete(oldest);
  }
  return set;
}

/** @returns {Named[]} */
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]");
  } catch {
    return [];
  }
}

/** Keeps the latest named sets for a reload; fewer if the browser has no room for them. */
function storeNamed() {
  const before = stored().filter(({ key }) => !named.has(key));
  let kept = [...before, ...named.values()].slice(-MOST_STORED);
  while (kept.length > 0) {
    try {
      sessionStorage.setItem(STORED, JSON.stringify(kept));
      return;
    } catch {
      kept = kept.slice(1);
    }
  }
}
