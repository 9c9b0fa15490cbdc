// @ts-check
/** @file The page's state and its bus of events. */

/** @typedef {import("./types.js").ClassInfo} ClassInfo */
/** @typedef {import("./types.js").Job} Job */
/** @typedef {import("./types.js").Pin} Pin */
/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./types.js").Session} Session */
/** @typedef {import("./types.js").SetInfo} SetInfo */

/** Carries every event of the page; the contract lists their names. */
export const bus = new EventTarget();

/**
 * Sends an event to all that listen.
 * @param {string} name
 * @param {any} [detail]
 */
export function emit(name, detail = {}) {
  bus.dispatchEvent(new CustomEvent(name, { detail }));
}

/**
 * Calls `handler` with the event's detail each time the event is sent; returns a function that
 * stops it.
 * @param {string} name
 * @param {(detail: any, event: CustomEvent) => void} handler
 * @param {{signal?: AbortSignal}} [options]
 * @returns {() => void}
 */
export function on(name, handler, options = {}) {
  /** @param {Event} event */
  const listener = (event) => {
    const custom = /** @type {CustomEvent} */ (event);
    handler(custom.detail, custom);
  };
  bus.addEventListener(name, listener, options);
  return () => bus.removeEventListener(name, listener);
}

class Store {
  /** @type {Session|null} */
  session = null;
  /** @type {Map<string, ClassInfo>} classes by key, most used first */
  classes = new Map();
  /** @type {string[]} names of the exclusive sets */
  classSets = [];
  /** @type {Map<string, Pin>} */
  pins = new Map();
  /** @type {SetInfo|null} */
  set = null;
  query = "";
  sort = "taken";
  descending = false;
  group = "none";
  /** @type {Map<string, Row>} the rows that are loaded */
  rows = new Map();
  /** @type {string|null} id of the photo with the keyboard focus */
  focus = null;
  /** @type {Map<string, Job>} */
  jobs = new Map();

  /**
   * Changes members and sends `store` with the names of those that changed.
   * @param {Partial<Store>} values
   */
  update(values) {
    const self = /** @type {Record<string, any>} */ (/** @type {unknown} */ (this));
    const changed = [];
    for (const [name, value] of Object.entries(values)) {
      if (self[name] === value && (typeof value !== "object" || value === null)) continue;
      self[name] = value;
      changed.push(name);
    }
    if (changed.length > 0) emit("store", { changed });
  }
}

export const store = new Store();
