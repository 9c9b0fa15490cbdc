// @ts-check
/**
 * @file Texts of the server in another language. The server writes English; the tables
 * `server-de.js`, … have its sentences with placeholders, as catalogs of gettext do.
 *
 * `{name}` stands for any text, which is not translated, and `{n}`, `{n1}`, … for a number. `{name*}`
 * stands for a text of the server, `{name,}` for several, and `{name&}` for names with “and”
 * or “or”.
 */

/** @typedef {[english: string, own: string]} Pair */
/** @typedef {{pattern: RegExp, values: [name: string, kind: string][], own: string}} Rule */

/** Maximum number of cached translations. */
const MOST_KEPT = 2000;
const PLACEHOLDER = /\{(\w+)([*,&]?)\}/g;
const NUMBER = /^n\d*$/;

/** @param {Pair} pair @returns {Rule} */
function rule([english, own]) {
  /** @type {[string, string][]} */
  const values = [];
  const pattern = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)((?:\\\*)|[,&]?)\}/g,
    (_, name, kind) => {
      values.push([name, kind.replace("\\", "")]);
      if (NUMBER.test(name)) return "(\\d+(?:\\.\\d+)?(?:e-\\d+)?)";
      // Several texts are separated with semicolons; an error may have any.
      return name === "error" ? "(.+)" : "((?:(?!; ).)+?)";
    });
  return { pattern: new RegExp(`^${pattern}$`, "s"), values, own };
}

/**
 * Returns a function that translates a text of the server; a text that is in no table stays English.
 * @param {Pair[]} table the first matching pair is used
 * @param {Intl.NumberFormat} numbers
 * @returns {(text: string) => string}
 */
export function translator(table, numbers) {
  const rules = table.map(rule);
  /** @type {Map<string, string>} */
  const known = new Map();

  /** @param {string} text @returns {string} */
  function translate(text) {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const own = whole(text) ?? sentence(text) ?? list(text, "; ") ?? text;
    if (known.size >= MOST_KEPT) known.clear();
    known.set(text, own);
    return own;
  }

  /** @param {string} text @returns {string|null} */
  function whole(text) {
    for (const { pattern, values, own } of rules) {
      const match = pattern.exec(text);
      if (!match) continue;
      const found = new Map(values.map(([name, kind], at) => [name, value(match[at + 1], kind, name)]));
      return own.replace(PLACEHOLDER, (_, name) => found.get(name) ?? "");
    }
    return null;
  }

  /** @param {string} text @param {string} kind @param {string} name @returns {string} */
  function value(text, kind, name) {
    if (kind === "*") return translate(text);
    if (kind === ",") return text.split(", ").map(translate).join(", ");
    if (kind === "&") {
      return text.replace(/ (and|or) (?!.* (?:and|or) )/, (_, word) => ` ${translate(word)} `);
    }
    return NUMBER.test(name) ? numbers.format(Number(text)) : text;
  }

  /**
   * Returns a phrase of the table that is written as a sentence.
   * @param {string} text
   * @returns {string|null}
   */
  function sentence(text) {
    if (!text.endsWith(".")) return null;
    const phrase = text.slice(0, -1);
    if (!phrase) return null;
    const lower = phrase[0].toLowerCase() + phrase.slice(1);
    const own = whole(phrase) ?? whole(lower) ?? list(lower, "; ");
    return own === null ? null : `${own[0].toUpperCase()}${own.slice(1)}.`;
  }

  /**
   * Returns a list of texts, of which the table has at least one.
   * @param {string} text
   * @param {string} separator
   * @returns {string|null}
   */
  function list(text, separator) {
    const parts = text.split(separator);
    if (parts.length < 2) return null;
    const own = parts.map(translate);
    return own.some((part, at) => part !== parts[at]) ? own.join(separator) : null;
  }

  return translate;
}
