// @ts-check
/**
 * @file Texts of the page in the person's language. Tables: `strings-en.js`, `strings-de.js`,
 * and `-b` to `-e` for the parts of the page. Keys are `<file>.<name>`. What the server writes
 * is English: `server-de.js` and `server-de-b.js` translate it.
 */

import { saveSetting, setting } from "../common/dom.js";

/** @typedef {Record<string, string>} Table */

/** The languages, by code, as they call themselves. */
export const LANGUAGES = /** @type {Record<string, string>} */ ({ en: "English", de: "Deutsch" });

const PARTS = ["", "-b", "-c", "-d", "-e"];

/**
 * @param {string} code
 * @returns {Promise<Table>}
 */
async function load(code) {
  const tables = await Promise.all(PARTS.map(async (part) => {
    try {
      return (await import(`./strings-${code}${part}.js`)).strings;
    } catch (error) {
      console.warn(`No strings for ${code}${part}`, error);
      return {};
    }
  }));
  return Object.assign({}, ...tables);
}

/** @returns {string} */
function preferred() {
  const saved = setting("language", "");
  if (saved in LANGUAGES) return saved;
  const wanted = navigator.languages.map((tag) => tag.split("-")[0]);
  return wanted.find((tag) => tag in LANGUAGES) ?? "en";
}

/**
 * Returns a function that translates texts of the server into a language.
 * @param {string} code
 * @returns {Promise<(text: string) => string>}
 */
async function serverTexts(code) {
  if (code === "en") return (text) => text;
  try {
    const [{ translator }, ...tables] = await Promise.all([import("./server-texts.js"),
      import(`./server-${code}.js`), import(`./server-${code}-b.js`)]);
    return translator(tables.flatMap((pairs) => Object.values(pairs).flat()), numbers);
  } catch (error) {
    console.warn(`No texts of the server for ${code}`, error);
    return (text) => text;
  }
}

const code = preferred();
const [english, own] = await Promise.all([load("en"), code === "en" ? {} : load(code)]);
/** @type {Table} */
const table = { ...english, ...own };
const plurals = new Intl.PluralRules(code);
const numbers = new Intl.NumberFormat(code);
const translate = await serverTexts(code);
document.documentElement.lang = code;

/** Returns the code of the language. */
export function language() {
  return code;
}

/**
 * Saves the language and reloads the page.
 * @param {string} next
 */
export function setLanguage(next) {
  if (next === code || !(next in LANGUAGES)) return;
  saveSetting("language", next);
  location.reload();
}

/**
 * Returns a text that the server wrote, in the person's language; English if there is none.
 * @param {string} text
 */
export function said(text) {
  return translate(text);
}

/**
 * Returns the text of a key with `{name}` replaced; the key itself if there is none.
 * @param {string} key
 * @param {Record<string, any>} [values] numbers are grouped as the language has it
 */
export function t(key, values = {}) {
  const text = table[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined || value === null) return whole;
    return typeof value === "number" ? numbers.format(value) : String(value);
  });
}

/**
 * Returns the text of `key.one`, `key.other`, … for a number, which is `{n}` in it.
 * @param {string} key
 * @param {number} n
 * @param {Record<string, any>} [values]
 */
export function plural(key, n, values = {}) {
  const form = `${key}.${plurals.select(n)}`;
  return t(form in table ? form : `${key}.other`, { n, ...values });
}
