// @ts-check
/** @file Thumbnails: fetched in batches, painted as they arrive, the latest 3,000 kept. */

import { api, ApiError } from "./api.js";
import { emit, on, store } from "./store.js";

/** How many pictures are kept. */
const MOST = 3000;
/** How many wait at most; what was asked for first is dropped first. */
const MOST_WAITING = 600;
/** Requests at once: the server allows four, and one is left for other pages. */
const STREAMS = 3;
const HEADER = 12;
/** The longest that pictures which are not urgent wait for those on the screen to be painted, in milliseconds. */
const MOST_IDLE = 100;

/** @type {Map<string, string>} blob addresses by id, least recently used first */
const urls = new Map();
/** @type {Map<string, number>} why there is none: 1 not here, 2 not decodable, 3 no such photo */
const problems = new Map();
/** @type {Map<string, string>} mean colors `#rrggbb` of pictures that were seen */
const colors = new Map();
/** @type {Set<string>} urgent ones, in the order of asking */
let urgent = new Set();
/** @type {Set<string>} others; the latest are fetched first */
let waiting = new Set();
/** @type {Set<string>} */
const loading = new Set();
let running = 0;
/** Those of them with urgent pictures. */
let runningUrgent = 0;
let scheduled = false;

/**
 * @param {string} id
 * @param {Blob} blob
 */
function keep(id, blob) {
  const old = urls.get(id);
  if (old) URL.revokeObjectURL(old);
  urls.set(id, URL.createObjectURL(blob));
  if (urls.size <= MOST) return;
  for (const [oldest, url] of urls) {
    if (urls.size <= MOST) break;
    URL.revokeObjectURL(url);
    urls.delete(oldest);
  }
}

/**
 * Reads records from the stream and keeps each as soon as it is complete.
 * @param {string[]} ids
 * @param {ReadableStream<Uint8Array>} stream
 */
async function readRecords(ids, stream) {
  const reader = stream.getReader();
  let buffer = new Uint8Array(1 << 16);
  let start = 0;
  let end = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    if (end + value.length > buffer.length) {
      const size = Math.max(buffer.length, 2 * (end - start + value.length));
      const next = new Uint8Array(size);
      next.set(buffer.subarray(start, end));
      end -= start;
      start = 0;
      buffer = next;
    }
    buffer.set(value, end);
    end += value.length;
    while (end - start >= HEADER) {
      const view = new DataView(buffer.buffer, start, HEADER);
      const length = view.getUint32(8, true);
      if (end - start < HEADER + length) break;
      const body = buffer.subarray(start + HEADER, start + HEADER + length);
      record(ids[view.getUint16(0, true)], view, body);
      start += HEADER + length;
    }
  }
}

/**
 * @param {string|undefined} id
 * @param {DataView} view
 * @param {Uint8Array} body
 */
function record(id, view, body) {
  if (!id) return;
  loading.delete(id);
  const status = view.getUint8(2);
  if (status === 0) {
    const rgb = view.getUint8(3) * 65536 + view.getUint8(4) * 256 + view.getUint8(5);
    colors.set(id, `#${rgb.toString(16).padStart(6, "0")}`);
    problems.delete(id);
    keep(id, new Blob([/** @type {BlobPart} */ (body)], { type: "image/jpeg" }));
  } else {
    problems.set(id, status);
  }
  emit("thumb", { id });
}

/** @returns {string[]} the ids of the next batch: urgent ones, or others if there are none */
function nextBatch() {
  const size = store.session?.limits.thumbnails ?? 50;
  const batch = urgent.size > 0 ? [...urgent].slice(0, size) : [...waiting].slice(-size).reverse();
  for (const id of batch) if (!urgent.delete(id)) waiting.delete(id);
  return batch;
}

async function run() {
  const isUrgent = urgent.size > 0;
  const ids = nextBatch();
  if (ids.length === 0) return;
  for (const id of ids) loading.add(id);
  running += 1;
  if (isUrgent) runningUrgent += 1;
  try {
    const response = await api.bytes(`/api/thumbnails?ids=${ids.join(",")}`);
    if (response.body) await readRecords(ids, response.body);
  } catch (error) {
    // Not if it was cut short, as by leaving the page.
    if (!(error instanceof ApiError || error instanceof TypeError)) console.warn("Thumbnails:", error);
  } finally {
    for (const id of ids) loading.delete(id);
    running -= 1;
    pump();
    if (isUrgent) {
      await whenIdle();
      runningUrgent -= 1;
      pump();
      if (runningUrgent === 0) emit("thumbs-shown", {});
    }
  }
}

/** Resolves when the browser has painted what it has, or soon. */
function whenIdle() {
  return /** @type {Promise<void>} */ (new Promise((resolve) => {
    // Safari has none.
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: MOST_IDLE });
    else setTimeout(resolve, 0);
  }));
}

/** Starts requests; those that are not urgent when the urgent ones are shown. */
function pump() {
  while (running < STREAMS && (urgent.size > 0 || (runningUrgent === 0 && waiting.size > 0))) run();
}

function schedule() {
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(() => {
    scheduled = false;
    pump();
  });
}

export const thumbs = {
  /**
   * Returns the address of the picture, or null if it is not loaded.
   * @param {string} id
   * @returns {string|null}
   */
  url(id) {
    const url = urls.get(id);
    if (!url) return null;
    urls.delete(id);
    urls.set(id, url);
    return url;
  },

  /**
   * Has pictures loaded that are not. `urgent`: these and no others are on the screen; they come
   * first, in this order, and replace the urgent ones of before.
   * @param {string[]} ids
   * @param {{urgent?: boolean}} [options]
   */
  want(ids, options = {}) {
    const missing = ids.filter((id) => !urls.has(id) && !loading.has(id) && !problems.has(id));
    if (options.urgent) {
      for (const id of urgent) waiting.add(id);
      urgent = new Set(missing);
      for (const id of missing) waiting.delete(id);
    } else {
      for (const id of missing.reverse()) {
        if (urgent.has(id)) continue;
        waiting.delete(id);
        waiting.add(id);
      }
    }
    if (waiting.size > MOST_WAITING) waiting = new Set([...waiting].slice(-MOST_WAITING));
    schedule();
  },

  /** Forgets what waits, for example because the list jumped elsewhere. */
  drop() {
    urgent.clear();
    waiting.clear();
  },

  /**
   * Returns why a photo has no picture (1–3), or 0.
   * @param {string} id
   */
  problem(id) {
    return problems.get(id) ?? 0;
  },

  /**
   * Returns the mean color as `#rrggbb`, or null while it is unknown.
   * @param {string} id
   * @returns {string|null}
   */
  color(id) {
    const known = colors.get(id);
    if (known) return known;
    const color = store.rows.get(id)?.color;
    return color && /^[0-9a-f]{6}$/.test(color) ? `#${color}` : null;
  },
};

on("server:colors", ({ colors: received }) => {
  for (const [id, color] of Object.entries(received ?? {})) {
    if (/^[0-9a-f]{6}$/.test(String(color))) colors.set(id, `#${color}`);
  }
});

/**
 * Asks again for pictures that were missing: their images may be here now.
 * @param {string[]} ids
 */
function askAgain(ids) {
  thumbs.want(ids.filter((id) => problems.delete(id)));
}

on("server:photos", ({ ids }) => {
  if (ids) askAgain(ids);
  else problems.clear();
});
on("server:dataset", ({ reason }) => {
  // A commit brings no image.
  if (reason !== "commit") askAgain([...problems.keys()].reverse());
});
on("server:reset", () => askAgain([...problems.keys()].reverse()));
