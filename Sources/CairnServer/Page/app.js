// @ts-check
/** @file The shell: tabs, views, query, theme, connection, jobs, presence. */

import { report, undo } from "./actions.js";
import { api } from "./api.js";
import { toast } from "./dialog.js";
import { $, clear, h, saveSetting, setting } from "./dom.js";
import { percent } from "./format.js";
import { showHelp } from "./help.js";
import { registerKeys } from "./keys.js";
import { current, hashOf, navigate } from "./router.js";
import { openSet } from "./rows.js";
import { emit, on, store } from "./store.js";
import { LANGUAGES, language, setLanguage, t } from "./strings.js";
import "./grid.js";
import "./query-bar.js";

/** @import {ClassInfo, Job} from "./types.js" */

/**
 * Views: style sheets; the second key after `g`; whether they have a tab and show the query.
 * @type {Record<string, {css: string[], key?: string, tab?: boolean, query?: boolean}>}
 */
const VIEWS = {
  grid: { css: [], key: "g", tab: true, query: true },
  photo: { css: ["photo"], query: true },
  review: { css: ["photo", "review"], key: "r", tab: true, query: true },
  map: { css: ["map"], key: "m", tab: true, query: true },
  table: { css: ["table"], key: "t", tab: true, query: true },
  models: { css: ["models"], key: "o", tab: true },
  add: { css: ["add"], key: "a", tab: true },
  sync: { css: ["models", "table"], key: "s", tab: true },
  people: { css: ["models", "table"], key: "p", tab: true },
};
const THEMES = ["auto", "light", "dark"];
/** Milliseconds between two messages about what this person looks at. */
const PRESENCE_PAUSE = 500;

/** Reads the classes again. */
export async function loadClasses() {
  const { classes, sets } = await api.get("/api/classes");
  store.update({
    classes: new Map(classes.map((/** @type {ClassInfo} */ info) => [info.class, info])),
    classSets: sets,
  });
}

/** @param {string} name */
function applyTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/** Adds a style sheet once; resolves when it applies. @param {string} name */
function styleSheet(name) {
  const known = sheets.get(name);
  if (known) return known;
  const loaded = /** @type {Promise<void>} */ (new Promise((resolve) => {
    document.head.append(h("link", {
      rel: "stylesheet", href: `/page/${name}.css`, onload: () => resolve(),
      onerror: () => resolve(),
    }));
  }));
  sheets.set(name, loaded);
  return loaded;
}

/** @typedef {HTMLElement & {show?: (params: Record<string, string>) => void, hide?: () => void}} View */

export class App extends HTMLElement {
  /** @type {Map<string, View>} */
  views = new Map();
  /** @type {string|null} */
  shown = null;
  presence = 0;

  connectedCallback() {
    if (this.main) return;
    applyTheme(setting("theme", "auto"));
    this.main = h("main", { id: "main", tabIndex: -1 });
    this.banner = h("p", { class: "banner", role: "status", hidden: true });
    this.tray = h("section", { class: "jobs", "aria-label": t("app.jobs"), hidden: true });
    this.bar = h("cairn-query-bar");
    this.append(this.header(), this.banner, this.main, this.tray);
    on("route", () => { this.route().catch(report); });
    on("open-photo", ({ id }) => navigate("photo", { id, q: store.query }));
    on("show-on-map", ({ id }) => this.showOnMap(id));
    on("query", (detail) => this.query(detail));
    on("set-expired", ({ set }) => { if (set === store.set) openSet().catch(report); });
    on("focus-view", () => $("[tabindex='0']", this.views.get(current().view))?.focus());
    on("connection", ({ online }) => {
      const lasting = store.session?.readOnly ? t("app.readOnly") : "";
      this.showBanner(online ? lasting : t("app.offline"));
    });
    on("unauthorized", () => this.showBanner(t("main.expiredHint")));
    on("server:job", (job) => this.job(job));
    on("server:classes", () => loadClasses().catch(report));
    on("server:reset", () => loadClasses().catch(report));
    on("store", ({ changed }) => { if (changed.includes("focus")) this.tellPresence(); });
    this.keys();
    if (store.session?.readOnly) this.showBanner(t("app.readOnly"));
  }

  header() {
    const tabs = Object.entries(VIEWS).filter(([, view]) => view.tab);
    /** @type {HTMLSelectElement} */
    const theme = h("select", {
      "aria-label": t("app.theme"),
      onchange: () => { saveSetting("theme", theme.value); applyTheme(theme.value); },
    }, THEMES.map((value) => h("option", { value }, t(`app.theme.${value}`))));
    theme.value = setting("theme", "auto");
    /** @type {HTMLSelectElement} */
    const tongue = h("select", {
      "aria-label": t("app.language"), onchange: () => setLanguage(tongue.value),
    }, Object.entries(LANGUAGES).map(([value, name]) => h("option", { value, lang: value }, name)));
    tongue.value = language();
    return h("header", { class: "top" },
      h("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.main?.focus();
      } }, t("app.skip")),
      h("h1", { class: "dataset" }, store.session?.dataset.name ?? "cairn"),
      h("nav", { class: "tabs", "aria-label": t("app.views") }, tabs.map(([name]) => h("a", {
        href: hashOf(name), dataset: { view: name },
        onclick: (/** @type {MouseEvent} */ event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          this.go(name);
        },
      }, t(`app.view.${name}`)))),
      this.bar ?? "",
      h("details", { class: "menu" }, h("summary", { "aria-label": t("app.menu") }, "⋯"),
        h("div", { class: "menu-body" }, theme, tongue,
          h("button", { type: "button", onclick: () => { undo(); } }, t("app.undo")),
          h("button", { type: "button", onclick: () => { showHelp(); } }, t("help.title")),
          h("p", { class: "quiet" }, store.session?.person?.name ?? t("app.nobody")),
          h("p", { class: "quiet" }, `cairn ${store.session?.version ?? ""}`))));
  }

  /** Opens a view with the query that is shown now. @param {string} name */
  go(name) {
    navigate(name, VIEWS[name]?.query ? this.queryParams() : {});
  }

  queryParams() {
    const { query, sort, descending, group } = store;
    return {
      q: query, sort: `${descending ? "-" : ""}${sort}`, group,
    };
  }

  /** Runs the query of the address if it is not the current one. @param {Record<string, string>} params */
  async ensureSet(params) {
    if (store.set && params.set === store.set.set) return;
    const query = params.q ?? "";
    const sort = params.sort?.replace(/^-/, "") ?? store.sort;
    const descending = params.sort ? params.sort.startsWith("-") : store.descending;
    const group = params.group ?? store.group;
    const same = store.set && store.query === query && store.sort === sort
      && store.descending === descending && store.group === group;
    if (same) return;
    try {
      await openSet({ query, sort, descending, group });
    } catch (error) {
      store.update({ query });
      emit("query-failed", { error });
      if (!store.set) await openSet({ query: "", sort: "taken", descending: false, group: "none" });
    }
  }

  async route() {
    const { view: wanted, params } = current();
    const name = wanted in VIEWS ? wanted : "grid";
    const { css, query } = VIEWS[name];
    const ready = query || !store.set ? this.ensureSet(params) : Promise.resolve();
    this.toggleAttribute("data-query", query ?? false);
    for (const tab of this.querySelectorAll(".tabs a")) {
      const own = /** @type {HTMLElement} */ (tab).dataset.view;
      if (own === name || (name === "photo" && own === "grid")) {
        tab.setAttribute("aria-current", "page");
      } else {
        tab.removeAttribute("aria-current");
      }
    }
    await Promise.all([...css.map(styleSheet), import(`./${name}.js`), ready]);
    if (current().view !== wanted) return;
    let view = this.views.get(name);
    if (!view) {
      view = /** @type {View} */ (h(`cairn-${name}`, { class: "view" }));
      this.views.set(name, view);
      this.main?.append(view);
    }
    if (this.shown !== name) {
      const before = this.shown ? this.views.get(this.shown) : null;
      if (before) before.hidden = true;
      before?.hide?.();
    }
    this.shown = name;
    view.hidden = false;
    view.show?.(params);
    this.tellPresence();
  }

  /** @param {any} detail `{text, sort, descending, group, run}` or `{set}` */
  async query(detail) {
    if (detail.set) {
      store.update({ set: detail.set, query: detail.set.query ?? "" });
      navigate("grid", { q: store.query, set: detail.set.set });
      return;
    }
    const { view } = current();
    const name = VIEWS[view]?.query && view !== "photo" ? view : "grid";
    const { text = store.query, sort, descending, group, run } = detail;
    if (run && text === store.query && store.set) await openSet().catch(report);
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
    navigate("map", { q: store.query, at: `${location[0]},${location[1]},14` });
  }

  /** @param {string} text empty: none */
  showBanner(text) {
    if (!this.banner) return;
    this.banner.hidden = text === "";
    this.banner.textContent = text;
  }

  /** @param {Job} job */
  job(job) {
    const running = job.state === "waiting" || job.state === "running";
    const jobs = new Map(store.jobs);
    jobs.set(job.job, job);
    store.update({ jobs });
    if (job.state === "failed" && job.kind !== "edit") {
      toast(`${job.text}: ${job.error?.message ?? t("app.failed")}`, { kind: "error" });
    } else if (!running && job.kind !== "edit") {
      toast(`${job.text}: ${t(`app.job.${job.state}`)}`, { kind: "done" });
    }
    this.paintJobs();
  }

  paintJobs() {
    if (!this.tray) return;
    const list = [...store.jobs.values()]
      .filter((job) => job.state === "waiting" || job.state === "running");
    this.tray.hidden = list.length === 0;
    const held = this.tray.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset.job : null;
    clear(this.tray).append(...list.map((job) => h("div", { class: "job" },
      h("span", { class: "job-text" }, job.text,
        job.total ? ` · ${percent(job.done / job.total)}` : ""),
      h("progress", job.total ? { max: job.total, value: job.done, "aria-label": job.text }
        : { "aria-label": job.text }),
      h("button", {
        type: "button", dataset: { job: job.job },
        onclick: () => { api.delete(`/api/jobs/${job.job}`).catch(report); },
      }, t("app.cancel")))));
    if (held) $(`[data-job="${CSS.escape(held)}"]`, this.tray)?.focus();
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
