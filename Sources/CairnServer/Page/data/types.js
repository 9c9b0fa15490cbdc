// @ts-check
/**
 * @file JSON objects of the API, as JSDoc types. No code: other modules write
 * `@import {Row} from "./types.js"` or `import("./types.js").Row`.
 */

/** @typedef {"confirmed"|"rejected"|"predicted"|"disputed"} State */
/** @typedef {"present"|"absent"} Verdict */
/** @typedef {[number, number]} Location latitude, longitude in degrees */
/** @typedef {[number, number, number, number]} Bounds west, south, east, north in degrees */
/** @typedef {{x: number, y: number, width: number, height: number}} Box fractions 0–1 */

/** @typedef {{class: string, state: State, confidence: number, mine: Verdict|null}} ClassState */

/**
 * @typedef {object} Row A photo in lists.
 * @property {string} id
 * @property {number} width upright
 * @property {number} height upright
 * @property {string|null} [color] six hex digits
 * @property {string} name
 * @property {string|null} [taken]
 * @property {string|null} [pin]
 * @property {Location|null} [location]
 * @property {boolean} favorite
 * @property {boolean} reviewed
 * @property {boolean} removed
 * @property {boolean} local
 * @property {ClassState[]} classes
 * @property {boolean} [pending] an edit waits for its acknowledgment; set by the page only
 */

/**
 * @typedef {object} Evidence
 * @property {{id: string, name: string, kind: "person"|"model"}} annotator
 * @property {Verdict} verdict
 * @property {number} confidence
 * @property {string} label
 * @property {Box|null} [box]
 * @property {string|null} [text]
 * @property {string|null} [source]
 * @property {string|null} [run]
 * @property {string|null} [time]
 * @property {boolean} counts
 * @property {string} status
 * @property {string} reason
 */

/**
 * @typedef {object} ClassDetail
 * @property {string} class
 * @property {string} name
 * @property {string|null} [set]
 * @property {State} state
 * @property {number} confidence
 * @property {string} reason
 * @property {Verdict|null} mine
 * @property {{present: number}|null} [estimate]
 * @property {Evidence[]} evidence
 */

/**
 * @typedef {object} BoxLabel
 * @property {string} label
 * @property {string} region
 * @property {string} class
 * @property {Box} box
 * @property {number[][][]|null} [polygons] parts of rings [x, y, x, y, …], the outer one first
 * @property {boolean} [crowd]
 * @property {{id: string, name: string, kind: "person"|"model"}} annotator
 * @property {number} confidence
 * @property {boolean} mine
 * @property {string|null} [time]
 */

/**
 * @typedef {object} Detail A photo with everything known about it.
 * @property {Row} photo
 * @property {string} version
 * @property {string} title
 * @property {string} caption
 * @property {string|null} [source]
 * @property {string} format
 * @property {number} bytes
 * @property {string|null} [camera]
 * @property {number|null} [altitude]
 * @property {Location|null} [fileLocation]
 * @property {string|null} [pinName]
 * @property {boolean} visible
 * @property {string|null} [restoredBy]
 * @property {string} path
 * @property {{author?: string, license?: string, url?: string, source?: string}|null} [credit]
 * @property {ClassDetail[]} classes
 * @property {BoxLabel[]} boxes
 * @property {{set: string, classes: string[]}[]} sets
 */

/**
 * @typedef {object} Question A question of the review queue.
 * @property {number} index
 * @property {string|null} [queue] its own queue, if it is asked again after an undo
 * @property {string} version
 * @property {"class"|"photo"|"unlabeled"} kind
 * @property {Row} photo
 * @property {string|null} [class]
 * @property {string|null} [name]
 * @property {State|null} [state]
 * @property {number|null} [confidence]
 * @property {{reason: string, text: string}[]} reasons
 * @property {Evidence[]} labels
 * @property {{class: string, name: string, confidence: number, state: State|null}[]} options
 * @property {string|null} [set]
 * @property {string[]} [looking]
 */

/**
 * @typedef {object} Job
 * @property {string} job
 * @property {"edit"|"undo"|"fetch"|"predict"|"train"|"similarity"|"sync"|"images"} kind
 * @property {string} text
 * @property {"waiting"|"running"|"done"|"failed"|"cancelled"} state
 * @property {string} [step]
 * @property {number} done
 * @property {number|null} [total]
 * @property {string} [person]
 * @property {any} [result]
 * @property {ApiErrorBody|null} [error]
 */

/**
 * @typedef {{pin: string, name: string, location: Location, photos: number, removed?: boolean}} Pin
 */

/**
 * @typedef {object} ClassInfo
 * @property {string} class
 * @property {string} name
 * @property {string|null} [set]
 * @property {string|null} [parent]
 * @property {string[]} aliases
 * @property {number} photos
 * @property {string|null} [sample]
 */

/**
 * @typedef {object} Session
 * @property {{id: string, name: string, email: string}|null} person
 * @property {boolean} readOnly
 * @property {boolean} invited
 * @property {{name: string, photos: number, labels: number, pins: number, classes: number,
 *   branch: string, commit: string}} dataset
 * @property {{tiles: {minzoom: number, maxzoom: number, format: string, attribution: string,
 *   bounds: Bounds}|null}} map
 * @property {{thumbnails: number, rows: number, upload: number, directEdit: number}} limits
 * @property {string} version
 * @property {number} event
 */

/** @typedef {{key: string, name: string, start: number, count: number}} Group */

/**
 * @typedef {object} SetInfo A kept result set.
 * @property {string} set
 * @property {string} query
 * @property {string} sort
 * @property {boolean} descending
 * @property {string} group
 * @property {number} count
 * @property {Group[]} [groups]
 * @property {number} [event]
 * @property {any} [body] what the page created it with
 * @property {string} [key] of a set without a query: what an address calls it
 * @property {string} [name] of a set without a query
 */

/** @typedef {{text: string, detail: string, kind: string}} Candidate */
/** @typedef {{name: string, suggestions: string[]}} UnknownClass */

/**
 * @typedef {object} ApiErrorBody
 * @property {string} kind
 * @property {string} message
 * @property {string} [hint]
 * @property {{line: string, column: number}} [excerpt]
 * @property {UnknownClass[]} [unknown]
 * @property {Detail} [photo]
 * @property {Question|null} [question]
 */

/** @typedef {{photos: string[]}|{set: string, range?: [number, number], except?: string[]}} Target */

/**
 * @typedef {object} EditResult
 * @property {string|null} [action]
 * @property {string} [text]
 * @property {number} [changed]
 * @property {number} [skipped]
 * @property {Row[]} [photos]
 * @property {number} [changes] of a dry run
 * @property {string} [job]
 * @property {string} [label]
 * @property {string} [region]
 */

/**
 * @typedef {object} DryRun
 * @property {number} photos
 * @property {number} changes
 * @property {number} unchanged
 * @property {number} reversals
 * @property {number} skipped
 * @property {UnknownClass[]} newClasses
 */

export {};
