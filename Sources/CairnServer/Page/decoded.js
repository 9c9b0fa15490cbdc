// @ts-check
/** @file Previews that are decoded before they are shown. */

/**
 * Returns the address of a preview; side 0 is the original.
 * @param {string} id
 * @param {number} side
 */
export function previewPath(id, side) {
  return side === 0 ? `/api/photos/${id}/image` : `/api/photos/${id}/preview?side=${side}`;
}

/**
 * Returns an image that can be painted at once. Rejects if it cannot be loaded or decoded.
 * @param {string} address
 * @returns {{image: HTMLImageElement, done: Promise<HTMLImageElement>}}
 */
export function decode(address) {
  const image = new Image();
  image.alt = "";
  image.decoding = "sync";
  image.draggable = false;
  image.src = address;
  return { image, done: image.decode().then(() => image) };
}

/**
 * Has the browser free the image's bytes and pixels.
 * @param {HTMLImageElement} image
 */
export function free(image) {
  image.removeAttribute("src");
}

/** Decoded previews by photo. Only those that `keep` names stay in memory. */
export class DecodedImages {
  /** @type {Map<string, {image: HTMLImageElement, ready: boolean, done: Promise<HTMLImageElement>}>} */
  #images = new Map();

  /**
   * Returns the decoded image, or null while it is not ready.
   * @param {string} id
   */
  get(id) {
    const entry = this.#images.get(id);
    return entry?.ready ? entry.image : null;
  }

  /**
   * Resolves when the image can be painted at once.
   * @param {string} id
   * @param {number} side
   */
  load(id, side) {
    const known = this.#images.get(id);
    if (known) return known.done;
    const entry = { ...decode(previewPath(id, side)), ready: false };
    this.#images.set(id, entry);
    entry.done.then(() => { entry.ready = true; }, () => {
      if (this.#images.get(id) === entry) this.#images.delete(id);
    });
    return entry.done;
  }

  /**
   * Frees all other images, except one that is on the page.
   * @param {Iterable<string>} ids
   */
  keep(ids) {
    const wanted = new Set(ids);
    for (const [id, { image }] of this.#images) {
      if (wanted.has(id)) continue;
      this.#images.delete(id);
      if (!image.isConnected) free(image);
    }
  }

  /**
   * Frees an image that left the page, unless it is kept.
   * @param {HTMLImageElement} image
   */
  release(image) {
    for (const entry of this.#images.values()) if (entry.image === image) return;
    free(image);
  }
}
