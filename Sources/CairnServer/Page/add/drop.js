// @ts-check
/** @file Files that are dropped anywhere on the page, with the folders among them opened. */

import { current, navigate } from "../shell/router.js";
import { emit, store } from "../data/store.js";

/** The most files of one drop. */
const MOST = 20_000;

/**
 * @typedef {object} Dropped
 * @property {File[]} files
 * @property {number} tooMany files beyond the most of one drop
 * @property {number} unreadable files and folders that could not be read
 */

/** @returns {Dropped} */
const nothing = () => ({ files: [], tooMany: 0, unreadable: 0 });
/** Dropped files that the view has not taken yet. */
let dropped = nothing();

/** Returns what was dropped, once. */
export function takeDropped() {
  const taken = dropped;
  dropped = nothing();
  return taken;
}

/** @param {DataTransfer} data */
export async function filesOf(data) {
  // Entries and files have to be read before the event ends.
  const items = [...data.items].filter(({ kind }) => kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const result = nothing();
  for (const entry of entries) if (entry) await collect(entry, result);
  return result;
}

/**
 * Adds the files of an entry; one that cannot be read is counted.
 * @param {FileSystemEntry|File} entry
 * @param {Dropped} result
 */
async function collect(entry, result) {
  try {
    await read(entry, result);
  } catch {
    result.unreadable += 1;
  }
}

/** @param {FileSystemEntry|File} entry @param {Dropped} result */
async function read(entry, result) {
  const isFile = entry instanceof File || entry.isFile;
  if (isFile && result.files.length >= MOST) {
    result.tooMany += 1;
  } else if (entry instanceof File) {
    result.files.push(entry);
  } else if (isFile) {
    const own = /** @type {FileSystemFileEntry} */ (entry);
    result.files.push(await new Promise((resolve, reject) => own.file(resolve, reject)));
  } else {
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} */
      const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) return;
      part.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
      for (const child of part) await collect(child, result);
    }
  }
}

/** Shows the files where they are added: at the pin that is open on the map, if there is one. */
export function openAdd() {
  const { view, params } = current();
  if (view === "add") emit("dropped");
  else navigate("add", view === "map" ? { pin: params.pin } : {});
}

/** @param {DragEvent} event */
function hasFiles(event) {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

let depth = 0;

/** @param {number} change */
function mark(change) {
  depth = Math.max(0, depth + change);
  document.documentElement.toggleAttribute("data-dropping", depth > 0);
}

window.addEventListener("dragenter", (event) => { if (hasFiles(event)) mark(1); });
window.addEventListener("dragleave", (event) => { if (hasFiles(event)) mark(-1); });
window.addEventListener("dragover", (event) => {
  if (!hasFiles(event) || !event.dataTransfer) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = store.session?.readOnly ? "none" : "copy";
});
window.addEventListener("drop", async (event) => {
  depth = 0;
  mark(0);
  if (!hasFiles(event) || !event.dataTransfer) return;
  event.preventDefault();
  if (store.session?.readOnly) return;
  const { files, tooMany, unreadable } = await filesOf(event.dataTransfer);
  dropped.files.push(...files);
  dropped.tooMany += tooMany;
  dropped.unreadable += unreadable;
  openAdd();
});
