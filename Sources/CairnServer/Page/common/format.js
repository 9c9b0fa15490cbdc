// @ts-check
/** @file Numbers, times and names as text. */

import { store } from "../data/store.js";
import { language } from "../strings/strings.js";

const integers = new Intl.NumberFormat(language());
const decimals = new Intl.NumberFormat(language(), { maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(language(), { style: "percent" });
const times = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" });
const localTimes = new Intl.DateTimeFormat(language(), {
  dateStyle: "medium", timeStyle: "short", timeZone: "UTC",
});
const days = new Intl.DateTimeFormat(language(), { dateStyle: "long", timeZone: "UTC" });

/**
 * Returns `0.834` as “83%”; what is above zero never becomes “0%”.
 * @param {number} x
 */
export function percent(x) {
  if (x > 0 && x < 0.005) return `<\u2009${percents.format(0.01)}`;
  if (x < 1 && x >= 0.995) return `>\u2009${percents.format(0.99)}`;
  return percents.format(x);
}

/**
 * Returns a factor, such as the zoom `1.5`, as “150%”.
 * @param {number} x
 */
export function factor(x) {
  return percents.format(x);
}

/**
 * Returns a whole number with its digits grouped.
 * @param {number} n
 */
export function count(n) {
  return integers.format(n);
}

/**
 * Returns a time as text. Text without a time zone is a camera's clock: its digits stay.
 * @param {string|null|undefined} text RFC 3339, or local camera time
 */
export function dateTime(text) {
  if (!text) return "";
  // A service may know only the day, the month or the year.
  if (!text.includes("T")) return /^\d{4}-\d\d-\d\d$/.test(text) ? day(text) : text;
  const camera = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?)(?!.*Z)/.exec(text);
  const date = new Date(camera ? `${camera[1]}Z` : text);
  if (Number.isNaN(date.getTime())) return text;
  return (camera ? localTimes : times).format(date);
}

/**
 * Returns a person's name, or the part of the address before the @, where there is little room.
 * @param {string} id
 */
export function shortPerson(id) {
  return person(id).replace(/(.)@.*$/, "$1");
}

/**
 * Returns the day of a date or time.
 * @param {string|null|undefined} text
 */
export function day(text) {
  if (!text) return "";
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? text : days.format(date);
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/**
 * Returns a number of bytes as “3.1 MB”.
 * @param {number} n
 */
export function bytes(n) {
  let value = n;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${decimals.format(value)} ${UNITS[unit]}`;
}

/**
 * Returns who an annotator or person is: a name instead of `human:alice@example.org`.
 * @param {string} id
 */
export function person(id) {
  const me = store.session?.person;
  if (me && (me.id === id || me.email === id)) return me.name;
  return id.replace(/^(human|model):/, "");
}

/**
 * Returns the name of a class.
 * @param {string} key
 */
export function className(key) {
  return store.classes.get(key)?.name ?? key;
}
