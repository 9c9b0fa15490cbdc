// @ts-check
/** @file The selected photos: explicit ones, or all that match. */

import { registerKeys } from "../shell/keys.js";
import { rows } from "./rows.js";
import { identity } from "./sets.js";
import { emit, on, store } from "./store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./types.js").Target} Target */

let request = 0;

export const selection = {
  /** @type {Set<string>} */
  ids: new Set(),
  /** @type {{set: string, except: Set<string>}|null} */
  all: null,
  /**
   * The id of the photo with the focus while its row is being loaded.
   * @type {Promise<string|null>|null}
   */
  loading: null,

  get size() {
    if (!this.all) return this.ids.size;
    return Math.max(0, (store.set?.count ?? 0) - this.all.except.size);
  },

  /** @param {string} id */
  has(id) {
    return this.all ? !this.all.except.has(id) : this.ids.has(id);
  },

  /**
   * Adds or removes a photo.
   * @param {string} id
   */
  toggle(id) {
    const set = this.all ? this.all.except : this.ids;
    if (!set.delete(id)) set.add(id);
    changed();
  },

  /**
   * Selects these photos only.
   * @param {Iterable<string>} ids
   */
  only(ids) {
    this.all = null;
    this.ids = new Set(ids);
    changed();
  },

  /**
   * No longer selects these photos.
   * @param {Iterable<string>} ids
   */
  without(ids) {
    for (const id of ids) {
      if (this.all) this.all.except.add(id);
      else this.ids.delete(id);
    }
    changed();
  },

  /**
   * Selects the photos between two indices of the current set, both included.
   * @param {number} fromIndex
   * @param {number} toIndex
   * @param {{add?: Set<string>|null}} options `add`: keeps these selected too
   */
  async range(fromIndex, toIndex, { add = null } = {}) {
    request += 1;
    const own = request;
    const from = Math.max(0, Math.min(fromIndex, toIndex));
    const to = Math.min(rows.count, Math.max(fromIndex, toIndex) + 1);
    const ids = await rows.ids(from, to);
    if (own !== request) return;
    this.only(add ? [...add, ...ids] : ids);
  },

  /** Selects all photos of the current set. */
  everything() {
    if (!store.set || store.set.count === 0) return;
    this.ids = new Set();
    this.all = { set: store.set.set, except: new Set() };
    changed();
  },

  clear() {
    request += 1;
    if (!this.all && this.ids.size === 0) return;
    this.all = null;
    this.ids = new Set();
    changed();
  },

  /**
   * Returns the selected photos for `/api/edits`; the photo with the focus if none is selected;
   * null if there is none. `edit` makes a set of more photos than a request may have.
   * @returns {Target|null}
   */
  target() {
    if (this.all) return { set: this.all.set, except: [...this.all.except] };
    if (this.ids.size > 0) return { photos: [...this.ids] };
    return store.focus ? { photos: [store.focus] } : null;
  },

  /**
   * Returns `target()`, or that of the photo with the focus after its row has loaded.
   * @returns {Promise<Target|null>}
   */
  async chosen() {
    if (!this.loading || this.size > 0) return this.target();
    const id = await this.loading;
    return id ? { photos: [id] } : null;
  },

  /**
   * Gives the focus to a photo whose row is being loaded.
   * @param {Promise<string|null>} loaded its id; null if it could not be read
   */
  focusing(loaded) {
    store.update({ focus: null });
    this.loading = loaded;
  },
};

function changed() {
  emit("selection", {});
}

let shown = identity(null);
on("store", ({ changed: names }) => {
  if (names.includes("focus") || names.includes("set")) selection.loading = null;
  if (!names.includes("set")) return;
  // The same query again keeps single photos selected; they are still what the person chose.
  const same = identity(store.set) === shown;
  shown = identity(store.set);
  if (selection.all || !same) selection.clear();
});

/** How long a finger rests to select, in milliseconds, and how far it may move, in pixels. */
const LONG_PRESS = 450;
const TOUCH_SLOP = 10;

/**
 * Lets the pointer select: click, Ctrl and Shift with it, dragging over photos; on touch screens
 * a tap opens, a long press selects, and then each tap does.
 * @param {HTMLElement} surface
 * @param {{indexAt: (target: EventTarget|null) => number, toggle: (index: number) => void,
 *   focus: (index: number) => void, open: (index: number) => void, anchor: () => number}} grid
 */
export function selectWithPointer(surface, grid) {
  let type = "mouse";
  let dragFrom = -1;
  let dragTo = -1;
  let timer = 0;
  let pressed = false;
  let start = { x: 0, y: 0 };

  surface.addEventListener("pointerdown", (event) => {
    type = event.pointerType;
    pressed = false;
    // With a second finger, it is no press.
    if (!event.isPrimary) return clearTimeout(timer);
    const index = grid.indexAt(event.target);
    if (index < 0 || event.button !== 0) return;
    if (type !== "mouse") {
      start = { x: event.clientX, y: event.clientY };
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        pressed = true;
        grid.focus(index);
        grid.toggle(index);
      }, LONG_PRESS);
      return;
    }
    const more = event.ctrlKey || event.metaKey;
    const check = event.target instanceof Element && event.target.closest(".cell-check");
    if (event.shiftKey) {
      selection.range(grid.anchor(), index, { add: more ? new Set(selection.ids) : null });
      event.preventDefault();
      surface.focus({ preventScroll: true });
      return;
    }
    grid.focus(index);
    if (more || check) return grid.toggle(index);
    selection.clear();
    dragFrom = dragTo = index;
  });

  surface.addEventListener("pointermove", (event) => {
    if (type !== "mouse") {
      const far = Math.hypot(event.clientX - start.x, event.clientY - start.y) > TOUCH_SLOP;
      if (far) clearTimeout(timer);
      return;
    }
    if (dragFrom < 0 || !(event.buttons & 1)) return;
    const index = grid.indexAt(event.target);
    if (index < 0 || index === dragTo) return;
    dragTo = index;
    selection.range(dragFrom, index);
  });

  const stop = () => {
    clearTimeout(timer);
    dragFrom = -1;
  };
  window.addEventListener("pointerup", stop);
  surface.addEventListener("pointercancel", stop);

  surface.addEventListener("click", (event) => {
    const index = grid.indexAt(event.target);
    if (type === "mouse" || pressed || index < 0) return;
    grid.focus(index);
    if (selection.size > 0) grid.toggle(index);
    else grid.open(index);
  });
  surface.addEventListener("dblclick", (event) => {
    const index = grid.indexAt(event.target);
    if (type === "mouse" && index >= 0 && !event.ctrlKey && !event.shiftKey) grid.open(index);
  });
  surface.addEventListener("contextmenu", (event) => {
    if (type !== "mouse") event.preventDefault();
  });
  surface.addEventListener("dragstart", (event) => event.preventDefault());
}

/**
 * Adds the keys of the grid: moving, extending with Shift, selecting, opening, the size.
 * @param {import("../grid/grid.js").CairnGrid} grid
 */
export function selectWithKeys(grid) {
  const page = () => Math.max(1, Math.floor(grid.scale.viewport / grid.layout.row));
  /** @param {number} count */
  const rowsBy = (count) => grid.index < 0 ? 0 : grid.layout.vertical(grid.index, count);
  /** @type {[string, string, () => number][]} */
  const moves = [
    ["ArrowLeft", "left", () => grid.index - 1], ["ArrowRight", "right", () => grid.index + 1],
    ["ArrowUp", "up", () => rowsBy(-1)], ["ArrowDown", "down", () => rowsBy(1)],
    ["PageUp", "pageUp", () => rowsBy(-page())], ["PageDown", "pageDown", () => rowsBy(page())],
    ["Home", "first", () => 0], ["End", "last", () => grid.layout.count - 1],
  ];
  /**
   * @param {number} index
   * @param {boolean} extend
   */
  const move = (index, extend) => {
    grid.focusIndex(index, { extends: extend });
    if (extend) selection.range(grid.anchor, grid.index);
  };
  const toggle = () => grid.toggle(grid.index);
  return registerKeys("grid", [
    ...moves.flatMap(([key, name, to]) => [
      { key, label: t(`grid.${name}`), repeats: true, run: () => move(to(), false) },
      { key: `shift+${key}`, repeats: true, run: () => move(to(), true) },
    ]),
    { key: "Enter", label: t("grid.open"), run: () => grid.open(grid.index) },
    { key: "x", label: t("grid.select"), run: toggle },
    { key: "space", run: toggle },
    { key: "ctrl+a", label: t("grid.all"), run: () => selection.everything() },
    { key: "Escape", label: t("grid.none"), run: () => selection.clear() },
    { key: "+", label: t("grid.larger"), repeats: true, run: () => grid.resize(grid.cellSize + 32) },
    { key: "-", label: t("grid.smaller"), repeats: true, run: () => grid.resize(grid.cellSize - 32) },
  ]);
}
