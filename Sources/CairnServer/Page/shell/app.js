// @ts-check
/** @file The shell: tabs, views, query, theme, connection, jobs, presence. */

import { report, undo } from "../edits/actions.js";
import { api } from "../data/api.js";
import { appMenu } from "./app-menu.js";
import { ensureSet, renewSet, shownParams } from "../data/current-set.js";
import { toast } from "../common/dialog.js";
import { h, icon } from "../common/dom.js";
import { showHelp } from "./help.js";
import { jobTray } from "./job-tray.js";
import { registerKeys } from "./keys.js";
import { nameList } from "../data/photo-lists.js";
import { current, hashOf, navigate, origin } from "./router.js";
import { openSet, showSet } from "../data/rows.js";
import { on, store } from "../data/store.js";
import { t } from "../strings/strings.js";
import "../grid/grid.js";
import "./query-bar.js";

/** @typedef {import("../data/types.js").ClassInfo} ClassInfo */

/**
 * Views: style sheets; the second key after `g`; whether they have a tab, show the query, can show a
 * set without one, and are loaded before they are opened.
 * @type {Record<string, {css: string[], key?: string, tab?: boolean, query?: boolean, sets?: boolean,
 *   early?: boolean}>}
 */
const VIEWS = {
  grid: { css: [], key: "g", tab: true, query: true, sets: true },
  photo: { css: ["photo"], query: true, sets: true },
  review: { css: ["photo", "review"], key: "r", tab: true, query: true },
  map: { css: ["canvas", "map"], key: "m", tab: true, query: true, sets: true, early: true },
  table: { css: ["table"], key: "t", tab: true, query: true },
  similarity: { css: ["canvas", "similarity"], key: "i", tab: true, query: true, sets: true },
  models: { css: ["models"], key: "o", tab: true },
  add: { css: ["add"], key: "a", tab: true },
  sync: { css: ["models", "table"], key: "s", tab: true },
  people: { css: ["models", "table"], key: "p", tab: true },
};
/** Milliseconds between two messages about what this person looks at. */
const PRESENCE_PAUSE = 500;
/** Milliseconds after which views are loaded early in any case. */
const MOST_WAIT = 3000;

/** Reads the classes again. */
export async function loadClasses() {
  const { classes, sets } = await api.get("/api/classes");
  store.update({
    classes: new Map(classes.map((/** @type {ClassInfo} */ info) => [info.class, info])),
    classSets: sets,
  });
}

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/**
 * Adds a style sheet once; resolves when it applies.
 * @param {string} name
 */
function styleSheet(name) {
  const known = sheets.get(name);
  if (known) return known;
  const loaded = /** @type {Promise<void>} */ (new Promise((resolve) => {
    document.head.append(h("link", {
      rel: "stylesheet", href: `/page/${name}/${name}.css`, onload: () => resolve(),
      onerror: () => resolve(),
    }));
  }));
  sheets.set(name, loaded);
  return loaded;
}

/**
 * Loads the module and the style sheets of a view.
 * @param {string} name
 */
const loadView = (name) =>
  Promise.all([import(`../${name}/${name}.js`), ...VIEWS[name].css.map(styleSheet)]);

/** Loads the views that need long to open, when the first pictures on the screen are loaded. */
function loadEarly() {
  let names = Object.keys(VIEWS).filter((name) => VIEWS[name].early);
  const load = () => {
    for (const name of names) loadView(name).catch(() => {});
    names = [];
  };
  on("thumbs-shown", load);
  // Perhaps there are none.
  setTimeout(load, MOST_WAIT);
}

/** @typedef {HTMLElement & {show?: (params: Record<string, string>) => void, hide?: () => void}} View */

export class App extends HTMLElement {
  /** @type {Map<string, View>} */
  views = new Map();
  /** @type {string|null} */
  shown = null;
  /** @type {WeakMap<View, {top: number, focus: Element|null}>} how views were left */
  places = new WeakMap();
  presence = 0;

  connectedCallback() {
    if (this.main) return;
    this.main = h("main", { id: "main", tabIndex: -1 });
    this.banner = h("p", { class: "banner", role: "status", hidden: true });
    this.append(this.skip(), this.rail(), this.header(), this.banner, this.main, jobTray());
    on("route", () => { this.route().catch(report); });
    on("open-photo", (detail) => this.openPhoto(detail));
    on("show-on-map", ({ id }) => this.showOnMap(id));
    on("query", (detail) => this.query(detail));
    on("set-expired", ({ set }) => { if (set === store.set) renewSet().catch(report); });
    on("focus-view", () => {
      const view = this.views.get(current().view);
      const inside = [...view?.querySelectorAll("[tabindex='0']") ?? []];
      const shown = /** @type {HTMLElement|undefined} */ (inside.find((one) => one.getClientRects().length > 0));
      (shown ?? view)?.focus();
    });
    on("connection", ({ online, isFull }) =>
      this.showBanner(online ? null : t(isFull ? "app.windows" : "app.offline")));
    on("unauthorized", () => this.showBanner(t("main.expiredHint")));
    on("server:classes", () => loadClasses().catch(report));
    on("server:reset", () => loadClasses().catch(report));
    on("store", ({ changed }) => { if (changed.includes("focus")) this.tellPresence(); });
    on("rows", ({ ids }) => { if (ids.includes(current().params.id)) this.paintTitle(); });
    this.keys();
    this.showBanner(null);
  }

  skip() {
    return h("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.main?.focus();
    } }, t("app.skip"));
  }

  rail() {
    const tabs = Object.entries(VIEWS).filter(([, view]) => view.tab);
    return h("nav", { class: "rail", "aria-label": t("app.views") },
      tabs.map(([name, view]) => h("a", {
        href: hashOf(name), dataset: { view: name }, "aria-keyshortcuts": `g ${view.key}`,
        onclick: (/** @type {MouseEvent} */ event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          this.go(name);
        },
      }, icon(name), h("span", null, t(`app.view.${name}`)))),
      h("button", {
        type: "button", class: "rail-end", "aria-keyshortcuts": "?",
        onclick: () => { showHelp(); },
      }, icon("keyboard"), h("span", null, t("app.keys"))));
  }

  header() {
    const undoable = !store.session?.readOnly;
    return h("header", { class: "top" },
      h("h1", { class: "dataset" }, store.session?.dataset.name ?? "cairn"),
      h("cairn-query-bar"), h("span", { class: "spring" }),
      undoable && h("button", {
        type: "button", class: "icon", title: t("app.undo"), "aria-label": t("app.undo"),
        "aria-keyshortcuts": "u", onclick: () => { undo(); },
      }, icon("undo")),
      appMenu());
  }

  /**
   * Opens a view with the query that is shown now.
   * @param {string} name
   */
  go(name) {
    const { query, sets } = VIEWS[name];
    navigate(name, query ? { ...shownParams(), ...(!sets && { set: null }) } : {});
  }

  /**
   * Opens a photo. Next and previous go through `list`, or the photos of the query without one; from
   * the photo one returns to the view that is open now.
   * @param {{id: string, list?: import("../data/photo-lists.js").PhotoList|string[]}} detail
   */
  async openPhoto({ id, list }) {
    const { view, params } = current();
    const isPhoto = view === "photo";
    const from = isPhoto ? history.state?.from : location.hash;
    const name = isPhoto ? params.list : await nameList(list).catch(() => undefined);
    navigate("photo", { id, ...shownParams(), list: name }, { from });
  }

  async route() {
    const { view: wanted, params } = current();
    const name = wanted in VIEWS ? wanted : "grid";
    const { query } = VIEWS[name];
    const ready = query || !store.set ? ensureSet(params) : Promise.resolve();
    this.toggleAttribute("data-query", query ?? false);
    this.markTab(name === "photo" ? origin()?.view ?? "grid" : name);
    await Promise.all([loadView(name), ready]);
    if (current().view !== wanted) return;
    let view = this.views.get(name);
    if (!view) {
      view = /** @type {View} */ (h(`cairn-${name}`, {
        class: "view", tabIndex: -1, role: "region", "aria-label": t(`app.view.${name}`),
      }));
      this.views.set(name, view);
      this.main?.append(view);
      if (this.views.size === 1) loadEarly();
    }
    this.swap(name, view);
    this.paintTitle();
    view.show?.(params);
    this.tellPresence();
  }

  /** @param {string} name of the view that is or will be open */
  markTab(name) {
    for (const tab of this.querySelectorAll(".rail a")) {
      const isOpen = /** @type {HTMLElement} */ (tab).dataset.view === name;
      if (isOpen) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
  }

  /**
   * Shows a view in place of the one before, scrolled as it was. After a photo, the focus is where it
   * was in the view. Otherwise a focus in the view before goes to the view, so that Tab enters it.
   * @param {string} name
   * @param {View} view
   */
  swap(name, view) {
    if (this.shown === name) return;
    const before = this.shown ? this.views.get(this.shown) : null;
    const active = document.activeElement;
    const isLost = before && (active === document.body || before.contains(active));
    const isReturn = this.shown === "photo" && isLost;
    if (before) {
      this.places.set(before, { top: before.scrollTop, focus: before.contains(active) ? active : null });
      before.hidden = true;
    }
    before?.hide?.();
    this.shown = name;
    view.hidden = false;
    const place = this.places.get(view);
    view.scrollTop = place?.top ?? 0;
    const held = isReturn && place?.focus instanceof HTMLElement ? place.focus : isLost ? view : null;
    held?.focus({ preventScroll: true });
  }

  /** Names the view in the title of the window; a photo by its title or file name, once it is read. */
  paintTitle() {
    // The first view is still being loaded.
    if (!this.shown) return;
    const photo = this.shown === "photo" ? store.rows.get(current().params.id)?.name : null;
    const name = photo || t(`app.view.${this.shown}`);
    document.title = `${name} · ${store.session?.dataset.name ?? ""} – cairn`;
  }

  /** @param {any} detail `{text, sort, descending, group, run}` or `{set}` */
  async query(detail) {
    if (detail.set) {
      store.update({ focus: null });
      await showSet(detail.set);
      return navigate("grid", shownParams());
    }
    const { view } = current();
    const address = location.hash;
    const name = VIEWS[view]?.query && view !== "photo" ? view : "grid";
    const { text = store.query, sort, descending, group, run } = detail;
    if (run && text === store.query && store.set && !store.set.key) {
      await openSet().catch(report);
      // The person went on meanwhile.
      if (location.hash !== address) return;
    }
    store.update({ focus: null });
    const next = { ...store, ...(sort && { sort }), ...(group && { group }) };
    const back = descending ?? store.descending;
    navigate(name, { q: text, sort: `${back ? "-" : ""}${next.sort}`, group: next.group });
  }

  /** @param {string} id */
  showOnMap(id) {
    const location = store.rows.get(id)?.location;
    if (!location) return toast(t("app.noLocation"));
    store.update({ focus: id });
    navigate("map", { ...shownParams(), at: `${location[0]},${location[1]},14` });
  }

  /**
   * Shows a problem that lasts; null: none.
   * @param {string|null} problem
   */
  showBanner(problem) {
    if (!this.banner) return;
    const text = problem ?? (store.session?.readOnly ? t("app.readOnly") : "");
    this.banner.classList.toggle("lasting", problem === null);
    this.banner.hidden = text === "";
    this.banner.textContent = text;
  }

  /** Tells the others what this person looks at. */
  tellPresence() {
    if (this.presence || !store.session?.person) return;
    this.presence = window.setTimeout(() => {
      this.presence = 0;
      const { view, params } = current();
      const photo = view === "photo" ? params.id ?? null : store.focus;
      api.put("/api/presence", { photo, view }).catch(() => {});
    }, PRESENCE_PAUSE);
  }

  keys() {
    registerKeys("global", [
      ...Object.entries(VIEWS).filter(([, view]) => view.key).map(([name, view]) => ({
        key: `g ${view.key}`, label: t(`app.view.${name}`), run: () => this.go(name),
      })),
      { key: "u", label: t("app.undo"), run: () => { undo(); } },
      { key: "ctrl+z", run: () => { undo(); } },
    ]);
  }
}

customElements.define("cairn-app", App);
