// @ts-check
/** @file Previews that are decoded before they are shown, and freed when they are not needed. */

import { api } from "./api.js";

/**
 * A picture that can be painted at once: a canvas, because a browser frees the pixels of an `<img>`
 * only when it likes to.
 * @typedef {HTMLCanvasElement|HTMLImageElement} Picture
 */

/**
 * Returns the address of a preview; side 0 is the original.
 * @param {string} id
 * @param {number} side
 */
export function previewPath(id, side) {
  return side === 0 ? `/api/photos/${id}/image` : `/api/photos/${id}/preview?side=${side}`;
}

/**
 * Returns a decoded preview.
 * @param {string} id
 * @param {number} side
 * @param {AbortSignal} [signal]
 * @returns {Promise<HTMLCanvasElement>}
 */
export async function decode(id, side, signal) {
  const bitmap = await createImageBitmap(await api.blob(previewPath(id, side), { signal }));
  if (signal?.aborted) {
    bitmap.close();
    throw signal.reason;
  }
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
  return canvas;
}

/**
 * Frees the pixels.
 * @param {Picture} picture
 */
export function free(picture) {
  if (picture instanceof HTMLImageElement) {
    picture.removeAttribute("src");
    return;
  }
  picture.getContext("bitmaprenderer")?.transferFromImageBitmap(null);
  picture.width = 0;
  picture.height = 0;
}

/** Decoded previews by photo. Only those that `keep` names stay in memory. */
export class DecodedImages {
  /** @type {Map<string, {picture: Picture|null, done: Promise<Picture>, abort: AbortController}>} */
  #entries = new Map();

  /**
   * Returns the decoded picture, or null while it is not ready.
   * @param {string} id
   */
  get(id) {
    return this.#entries.get(id)?.picture ?? null;
  }

  /**
   * Resolves when the picture can be painted at once.
   * @param {string} id
   * @param {number} side
   * @returns {Promise<Picture>}
   */
  load(id, side) {
    const known = this.#entries.get(id);
    if (known) return known.done;
    const abort = new AbortController();
    const entry = { picture: /** @type {Picture|null} */ (null), done: decode(id, side, abort.signal), abort };
    this.#entries.set(id, entry);
    entry.done.then((picture) => {
      if (this.#entries.get(id) === entry) entry.picture = picture;
      else free(picture);
    }, () => {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
    });
    return entry.done;
  }

  /**
   * Frees all other pictures, except one that is on the page, and ends their requests.
   * @param {Iterable<string>} ids
   */
  keep(ids) {
    const wanted = new Set(ids);
    for (const [id, { picture, abort }] of this.#entries) {
      if (wanted.has(id)) continue;
      this.#entries.delete(id);
      abort.abort();
      if (picture && !picture.isConnected) free(picture);
    }
  }

  /**
   * Frees a picture that left the page, unless it is kept.
   * @param {Picture} picture
   */
  release(picture) {
    for (const entry of this.#entries.values()) if (entry.picture === picture) return;
    free(picture);
  }
}
