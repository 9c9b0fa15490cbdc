// @ts-check
/** @file The menu of the shell: colors, language, keys, who is labeling. */

import { h, icon } from "../common/dom.js";
import { showHelp } from "./help.js";
import { store } from "../data/store.js";
import { LANGUAGES, language, setLanguage, t } from "../strings/strings.js";
import { setTheme, theme, THEMES } from "./theme.js";

/** Returns the button with its menu. */
export function appMenu() {
  const colors = h("select", { onchange: () => setTheme(colors.value) },
    THEMES.map((value) => h("option", { value }, t(`app.theme.${value}`))));
  colors.value = theme();
  const tongue = h("select", { onchange: () => setLanguage(tongue.value) },
    Object.entries(LANGUAGES).map(([value, name]) => h("option", { value, lang: value }, name)));
  tongue.value = language();
  const summary = h("summary", { "aria-label": t("app.menu") }, icon("menu"));
  const menu = h("details", { class: "menu" }, summary,
    h("div", { class: "menu-body" },
      h("label", null, t("app.theme"), colors), h("label", null, t("app.language"), tongue),
      h("button", { type: "button", onclick: () => { menu.open = false; showHelp(); } },
        icon("keyboard"), t("help.title")),
      h("p", { class: "quiet" }, store.session?.person?.name ?? t("app.nobody"),
        h("br", null), `cairn ${store.session?.version ?? ""}`)));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    summary.focus();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", (event) => {
    if (menu.open && !event.composedPath().includes(menu)) menu.open = false;
  });
  return menu;
}
