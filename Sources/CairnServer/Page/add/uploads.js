// @ts-check
/** @file The queue of files to add: bounded in parallel, one request a file. */

/** @typedef {import("../data/types.js").Row} Row */
/** @typedef {"waiting"|"sending"|"added"|"known"|"similar"|"failed"} UploadState */
/** @typedef {{pin: string|null, similar: number|null}} UploadOptions */
/** @typedef {{status: "added"|"known"|"similar"|"failed", photo: Row|null, note?: string|null, like?: string|null}} UploadAnswer */

/**
 * @typedef {object} Upload
 * @property {Blob & {name: string}} file
 * @property {UploadOptions} options
 * @property {UploadState} state
 * @property {Row|null} photo the photo that was added, or is known or similar
 * @property {string|null} like id of the similar photo
 * @property {string} message why it failed, or a note
 */

/** Requests at once; the server allows four per session. */
const PARALLEL = 4;
/** Names of photos, for files whose type the browser does not know. */
const PHOTO_NAME =
  /\.(jpe?g?|jfif|mpo|a?png|webp|hei[cf]|hif|avif|tiff?|gif|bmp|dib|dng|cr[23]|nef|arw|orf|rw2|raf|pef)$/i;
const PHOTO_TYPE = /^image\/(jpeg|a?png|webp|hei[cf]|avif|tiff|gif|bmp)$/;

/**
 * Returns whether a file looks like a photo that cairn reads.
 * @param {{name: string, type: string}} file
 */
export function looksLikePhoto({ name, type }) {
  if (name.startsWith(".")) return false;
  return PHOTO_TYPE.test(type) || PHOTO_NAME.test(name);
}

/**
 * Returns the address that a file is sent to.
 * @param {string} name
 * @param {UploadOptions} options
 */
export function uploadPath(name, { pin, similar }) {
  const search = new URLSearchParams({ name });
  if (pin) search.set("pin", pin);
  if (similar !== null) search.set("similar", String(similar));
  return `/api/uploads?${search}`;
}

/** Files that wait, are sent and were sent. Sends `change` when one of them changes. */
export class UploadQueue extends EventTarget {
  /** @type {Upload[]} */
  items = [];
  #next = 0;
  #running = 0;
  #controller = new AbortController();

  /**
   * @param {(path: string, file: Blob, options: {signal: AbortSignal}) => Promise<UploadAnswer>} send
   * @param {{limit: () => number, tooLarge: () => string}} bounds `limit`: bytes of a file
   */
  constructor(send, { limit, tooLarge }) {
    super();
    this.send = send;
    this.limit = limit;
    this.tooLarge = tooLarge;
  }

  /** Number of files that are not finished. */
  get left() {
    return this.items.length - this.#next + this.#running;
  }

  /** Returns the files by state. */
  counts() {
    const counts = { waiting: 0, sending: 0, added: 0, known: 0, similar: 0, failed: 0 };
    for (const { state } of this.items) counts[state] += 1;
    return counts;
  }

  /** @param {(Blob & {name: string})[]} files @param {UploadOptions} options */
  add(files, options) {
    for (const file of files) {
      this.items.push({ file, options, state: "waiting", photo: null, like: null, message: "" });
    }
    this.#changed();
    this.#pump();
  }

  /** Sends the failed files again. */
  retry() {
    const failed = this.items.filter(({ state }) => state === "failed");
    this.items = this.items.filter(({ state }) => state !== "failed");
    this.#next -= failed.length;
    for (const item of failed) this.items.push({ ...item, state: "waiting", message: "" });
    this.#changed();
    this.#pump();
  }

  /** Forgets the files that wait, and ends the requests that run. */
  cancel() {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.items = this.items.filter(({ state }) => state !== "waiting" && state !== "sending");
    this.#next = this.items.length;
    this.#changed();
  }

  /** Forgets the files that are finished. */
  clear() {
    this.items = this.items.filter(({ state }) => state === "waiting" || state === "sending");
    this.#next = this.items.filter(({ state }) => state === "sending").length;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  #pump() {
    while (this.#running < PARALLEL && this.#next < this.items.length) {
      const item = this.items[this.#next];
      this.#next += 1;
      this.#sendOne(item);
    }
  }

  /** @param {Upload} item */
  async #sendOne(item) {
    const { signal } = this.#controller;
    this.#running += 1;
    item.state = "sending";
    this.#changed();
    try {
      if (item.file.size > this.limit()) throw new Error(this.tooLarge());
      const path = uploadPath(item.file.name, item.options);
      const answer = await this.send(path, item.file, { signal });
      item.state = answer.status;
      item.photo = answer.photo ?? null;
      item.like = answer.like ?? null;
      item.message = answer.note ?? "";
    } catch (error) {
      item.state = "failed";
      item.message = error instanceof Error ? error.message : String(error);
    }
    // The bytes are no longer needed, except to send them again.
    if (item.state !== "failed") item.file = Object.assign(new Blob(), { name: item.file.name });
    this.#running -= 1;
    this.#changed();
    this.#pump();
  }
}
