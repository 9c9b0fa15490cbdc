// @ts-check
/** @file The keys of the similarity map. */

import { registerKeys } from "../shell/keys.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./similarity.js").CairnSimilarity} CairnSimilarity */

/** Pixels of a step with an arrow key; with Shift, a part of the view. */
const STEP = 80;

/** @param {CairnSimilarity} map */
export function registerSimilarityKeys(map) {
  /** @type {[string, string, number, number][]} */
  const arrows = [["ArrowLeft", "left", -1, 0], ["ArrowRight", "right", 1, 0],
    ["ArrowUp", "up", 0, -1], ["ArrowDown", "down", 0, 1]];
  registerKeys("similarity", [
    ...arrows.flatMap(([key, name, x, y]) => [
      { key, label: t(`similarity.${name}`), repeats: true, run: () => map.panBy(-x * STEP, -y * STEP) },
      {
        key: `shift+${key}`, repeats: true, run: () => {
          const { width, height } = map.surface.camera;
          map.panBy(-x * width * 0.8, -y * height * 0.8);
        },
      },
    ]),
    { key: "+", label: t("similarity.zoomIn"), repeats: true, run: () => map.zoomBy(1) },
    { key: "=", repeats: true, run: () => map.zoomBy(1) },
    { key: "-", label: t("similarity.zoomOut"), repeats: true, run: () => map.zoomBy(-1) },
    { key: "0", label: t("similarity.fit"), run: () => map.fit() },
    { key: "j", label: t("similarity.next"), repeats: true, run: () => map.focusNext(1) },
    { key: "k", label: t("similarity.previous"), repeats: true, run: () => map.focusNext(-1) },
    { key: "Enter", label: t("similarity.open"), run: () => map.open() },
    { key: "x", label: t("similarity.toggle"), run: () => map.toggle() },
    { key: "space", run: () => map.toggle() },
    { key: "v", label: t("similarity.selectView"), run: () => map.selectView() },
    { key: "ctrl+a", label: t("similarity.all"), run: () => map.selectAll() },
    { key: "s", label: t("similarity.grid"), run: () => map.showInGrid() },
    { key: "Escape", label: t("similarity.none"), run: () => map.escape() },
  ]);
}
