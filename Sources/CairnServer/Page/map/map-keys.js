// @ts-check
/** @file The keys of the map. */

import { registerKeys } from "../shell/keys.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./map.js").CairnMap} CairnMap */

/** Pixels of a step with an arrow key; with Shift, a part of the view. */
const STEP = 80;

/** @param {CairnMap} map */
export function registerMapKeys(map) {
  /** @type {[string, string, number, number][]} */
  const arrows = [["ArrowLeft", "west", -1, 0], ["ArrowRight", "east", 1, 0],
    ["ArrowUp", "north", 0, -1], ["ArrowDown", "south", 0, 1]];
  /**
   * Keys of the map do nothing while the panel beside it has the focus.
   * @param {() => any} run
   */
  const onMap = (run) => () => {
    if (map.panel?.contains(document.activeElement)) return false;
    return run();
  };
  /** Removes the photos that are chosen beside the map while the focus is there, otherwise the pin. */
  const remove = () => {
    const { chosen, photos } = map.pinPanel;
    const isOnPhotos = [photos, chosen.element].some((one) => one?.contains(document.activeElement));
    return isOnPhotos ? chosen.remove() : map.withPin((panel) => panel.removePin());
  };
  registerKeys("map", [
    ...arrows.flatMap(([key, name, x, y]) => [
      {
        key, label: t(`map.${name}`), repeats: true, run: onMap(() => map.panBy(-x * STEP, -y * STEP)),
      },
      {
        key: `shift+${key}`, repeats: true, run: onMap(() => {
          const { width, height } = map.surface.camera;
          map.panBy(-x * width * 0.8, -y * height * 0.8);
        }),
      },
    ]),
    { key: "+", label: t("map.zoomIn"), repeats: true, run: () => map.zoomBy(1) },
    { key: "=", repeats: true, run: () => map.zoomBy(1) },
    { key: "-", label: t("map.zoomOut"), repeats: true, run: () => map.zoomBy(-1) },
    { key: "0", label: t("map.fit"), run: () => map.fitAll() },
    { key: "j", label: t("map.next"), repeats: true, run: () => map.focusNext(1) },
    { key: "k", label: t("map.previous"), repeats: true, run: () => map.focusNext(-1) },
    { key: "Enter", label: t("map.open"), run: onMap(() => map.enter()) },
    { key: "n", label: t("map.newPin"), run: () => map.placing.start(null) },
    { key: "m", label: t("map.movePin"), run: () => map.movePin() },
    { key: "e", label: t("map.renamePin"), run: () => map.withPin((panel) => panel.rename()) },
    { key: "Delete", label: t("map.remove"), run: remove },
    { key: "f", label: t("map.fetch"), run: () => map.withPin((panel) => panel.showFetch()) },
    { key: "x", label: t("map.viewArea"), run: () => map.openView() },
    { key: "l", label: t("map.list"), run: () => map.toggleList() },
    { key: "Escape", label: t("map.close"), run: () => map.escape() },
  ]);
}
