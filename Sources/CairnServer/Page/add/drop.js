// @ts-check
/** @file Files that are dropped anywhere on the page, with the folders among them opened. */

import { current, navigate } from "../shell/router.js";
import { emit, store } from "../data/store.js";

/** The most files of one drop. */
const MOST = 20_000;

/** @type {File[]} dropped files that the view has not taken yet */
let dropped = [];

/** Returns the dropped files, once. */
export function takeDropped() {
  const files = dropped;
  dropped = [];
  return files;
}

/** @param {DataTransfer} data @returns {Promise<File[]>} */
async function filesOf(data) {
  // Entries and files have to be read before the event ends.
  const items = [...data.items].filter(({ kind }) => kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  /** @type {File[]} */
  const files = [];
  for (const entry of entries) if (entry) await collect(entry, files);
  return files;
}

/** @param {FileSystemEntry|File} entry @param {File[]} files */
async function collect(entry, files) {
  if (files.length >= MOST) return;
  if (entry instanceof File) {
    files.push(entry);
  } else if (entry.isFile) {
    const own = /** @type {FileSystemFileEntry} */ (entry);
    files.push(await new Promise((resolve, reject) => own.file(resolve, reject)));
  } else {
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} */
      const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) return;
      part.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
      for (const child of part) await collect(child, files);
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
  try {
    dropped.push(...await filesOf(event.dataTransfer));
  } catch (error) {
    emit("toast", { text: String(error), kind: "error" });
  }
  openAdd();
});
