// @ts-check
/** @file The keys of a photo, and those of the boxes and outlines on it. */

import { labelWithKeys } from "../edits/class-keys.js";
import { registerKeys } from "../shell/keys.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./photo.js").CairnPhoto} CairnPhoto */

/** @param {CairnPhoto} view */
export function registerPhotoKeys(view) {
  registerKeys("photo", [
    { key: "ArrowLeft", label: t("photo.previous"), repeats: true, run: () => { view.step(-1); } },
    { key: "ArrowRight", label: t("photo.next"), repeats: true, run: () => { view.step(1); } },
    { key: "p", label: t("photo.previousZoomed"), repeats: true, run: () => { view.step(-1); } },
    { key: "n", label: t("photo.nextZoomed"), repeats: true, run: () => { view.step(1); } },
    { key: "a", label: t("photo.accept"), run: () => { view.edits.judge("accept"); } },
    { key: "r", label: t("photo.reject"), run: () => { view.edits.judge("reject"); } },
    { key: "w", label: t("photo.withdraw"), run: () => { view.edits.judge("withdraw"); } },
    { key: "c", label: t("photo.typeClass"), run: () => { view.edits.typeClass(); } },
    { key: "shift+c", label: t("photo.typeAbsent"), run: () => { view.edits.typeClass("absent"); } },
    { key: "f", label: t("photo.favorite"), run: () => view.toggleFavorite() },
    { key: "Delete", label: t("photo.remove"), run: () => view.toggleRemoved() },
    { key: "b", label: t("photo.draw"), run: () => view.draw("box") },
    { key: "o", label: t("photo.drawOutline"), run: () => view.draw("outline") },
    { key: "Enter", run: () => view.editor?.enter() ?? undefined },
    { key: "Backspace", run: () => view.editor?.back() ?? undefined },
    { key: "x", label: t("photo.hideBoxes"), run: () => { view.classList.toggle("no-boxes"); } },
    { key: "e", label: t("photo.editTitle"), run: () => view.editTitle() },
    { key: "m", label: t("photo.onMap"), run: () => view.onMap() },
    { key: "i", label: t("photo.info"), run: () => view.toggleSide() },
    { key: "Escape", label: t("photo.back"), run: () => view.escape() },
  ]);
  labelWithKeys("photo", (name, verdict) => view.edits.label(name, verdict));
  listBoxKeys();
}

/** Has the `?` sheet list the keys that boxes.js gives to a selected box, a corner and the crosshair. */
function listBoxKeys() {
  const keys = /** @type {const} */ ([
    ["ArrowLeft", "move"], ["ctrl+ArrowLeft", "moveFine"], ["shift+ArrowRight", "resize"], ["Enter", "class"],
    ["Delete", "remove"], ["Tab", "toCorners"], ["PageDown", "nextCorner"], ["PageUp", "previousCorner"],
    ["Space", "setCorner"], ["Backspace", "removeCorner"], ["Enter", "closeOutline"], ["Escape", "cancel"],
  ]);
  registerKeys("boxes", keys.map(([key, name]) => ({ key, label: t(`box-keys.${name}`), run: () => false })));
}
