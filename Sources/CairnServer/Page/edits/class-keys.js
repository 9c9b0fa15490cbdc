// @ts-check
/** @file The keys of the classes: 1–9 and letters, in the grid and in the view of one photo. */

import { saveSetting, setting } from "../common/dom.js";
import { className } from "../common/format.js";
import { registerKeys } from "../shell/keys.js";
import { emit, on, store } from "../data/store.js";
import { t } from "../strings/strings.js";

/** @typedef {"grid"|"photo"} ClassScope */
/** @typedef {(name: string, verdict: "present"|"absent") => any} Label */
/** @typedef {{scope: ClassScope, label: Label, unregister: () => void}} User */

/** Letters that are commands in the view of one photo; the grid has no commands on any of these keys. */
const GRID_ONLY = "beimnopz";
/** Keys for classes, in the order in which they are given out. */
const KEYS = [..."123456789", ..."dhjklqtvy", ...GRID_ONLY];

/** @type {Map<string, string>} class by key */
let assigned = new Map();
/** @type {User[]} */
const users = [];

/** @returns {string} */
function settingName() {
  return `classKeys.${store.session?.dataset.name ?? ""}`;
}

/** Gives keys to classes that have none; a class keeps its key while its numbers change. */
function assign() {
  if (!store.session) return;
  /** @type {Record<string, string>} */
  const saved = setting(settingName(), {});
  const next = new Map(Object.entries(saved).filter(([key, name]) =>
    KEYS.includes(key) && store.classes.has(name)));
  const taken = new Set(next.values());
  const free = KEYS.filter((key) => !next.has(key));
  for (const name of store.classes.keys()) {
    const key = taken.has(name) ? undefined : free.shift();
    if (key) next.set(key, name);
  }
  assigned = new Map(KEYS.filter((key) => next.has(key))
    .map((key) => [key, /** @type {string} */ (next.get(key))]));
  if (store.classes.size > 0) saveSetting(settingName(), Object.fromEntries(assigned));
  for (const user of users) register(user);
  emit("class-keys");
}

/** @param {User} user */
function register(user) {
  user.unregister();
  user.unregister = registerKeys(user.scope, classKeys.list(user.scope).flatMap((entry) => [
    {
      key: entry.key, label: t("class-keys.label", { name: entry.name }),
      run: () => user.label(entry.class, "present"),
    },
    { key: `shift+${entry.key}`, run: () => user.label(entry.class, "absent") },
  ]));
}

/**
 * Has the keys of the classes label in a scope.
 * @param {ClassScope} scope
 * @param {Label} label
 */
export function labelWithKeys(scope, label) {
  const user = { scope, label, unregister: () => {} };
  users.push(user);
  register(user);
}

export const classKeys = {
  /** All keys that a class may have. */
  all: KEYS,

  /**
   * Returns the classes with keys in a scope: digits first.
   * @param {ClassScope} [scope]
   * @returns {{key: string, class: string, name: string}[]}
   */
  list(scope = "grid") {
    return [...assigned].filter(([key]) => scope === "grid" || !GRID_ONLY.includes(key))
      .map(([key, name]) => ({ key, class: name, name: className(name) }));
  },

  /**
   * Returns the key of a class, or null.
   * @param {string} name
   */
  keyOf(name) {
    for (const [key, other] of assigned) if (other === name) return key;
    return null;
  },

  /**
   * Gives a key to a class; the class that had it gets another one.
   * @param {string} key
   * @param {string} name
   */
  set(key, name) {
    const next = new Map([...assigned].filter(([, other]) => other !== name));
    next.set(key, name);
    saveSetting(settingName(), Object.fromEntries(next));
    assign();
  },
};

on("store", ({ changed }) => {
  if (changed.includes("classes") || changed.includes("session")) assign();
});
