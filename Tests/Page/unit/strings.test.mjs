import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { files, page } from "./browser.mjs";

const sources = files.filter((name) => name.endsWith(".js") && !name.startsWith("strings/strings-"))
  .map((name) => ({ name, text: readFileSync(new URL(name, page), "utf8") }));

/** All texts of a language; a key that two tables have is an error. */
async function load(code) {
  const all = new Map();
  for (const name of files.filter((file) => file.startsWith(`strings/strings-${code}`))) {
    const { strings } = await import(new URL(name, page).href);
    for (const [key, text] of Object.entries(strings)) {
      assert.ok(!all.has(key), `${key} is in two tables`);
      all.set(key, text);
    }
  }
  return all;
}

const english = await load("en");
const german = await load("de");
const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

test("every key has a text in both languages, with the same values", () => {
  assert.deepEqual([...german.keys()].sort(), [...english.keys()].sort());
  for (const [key, text] of english) {
    assert.ok(text.length > 0, `${key} is empty`);
    assert.deepEqual(placeholders(german.get(key)), placeholders(text), key);
  }
});

test("every plural has one and other", () => {
  for (const key of english.keys()) {
    if (key.endsWith(".one")) assert.ok(english.has(key.replace(/one$/, "other")), key);
  }
});

/** Calls of t and plural, with the key up to its first computed part. */
const calls = sources.flatMap(({ name, text }) =>
  [...text.matchAll(/\b(t|plural)\(\s*(?:"([^"]+)"|`([^`$]*)(\$)?)/g)].map((match) => ({
    name, isPlural: match[1] === "plural", key: match[2] ?? match[3], isWhole: !match[4],
  })));

test("every key that a module uses has a text", () => {
  assert.ok(calls.length > 100);
  for (const { name, key, isWhole, isPlural } of calls) {
    const found = isWhole ? english.has(isPlural ? `${key}.other` : key)
      : [...english.keys()].some((other) => other.startsWith(key));
    assert.ok(found, `${name} uses ${key}`);
  }
});

test("every text is used", () => {
  const quoted = new Set(sources.flatMap(({ text }) =>
    [...text.matchAll(/"([\w.-]+)"/g)].map((match) => match[1])));
  const starts = sources.flatMap(({ text }) =>
    [...text.matchAll(/`([\w-]+\.[\w.-]*)\$\{/g)].map((match) => match[1]));
  for (const key of english.keys()) {
    const base = key.replace(/\.(one|other)$/, "");
    const isUsed = quoted.has(key) || quoted.has(base) || starts.some((start) => key.startsWith(start));
    assert.ok(isUsed, `nothing uses ${key}`);
  }
});

test("modules have no texts of their own: they are in the tables", () => {
  // Commands, and the name of the base map, are the same in every language.
  const isAllowed = (text) => /^(cairn |Natural Earth$)/.test(text);
  const isSentence = (text) => /^[A-Z][a-z]+ |^[^<]*\b[a-z]+ [a-z]+ .*[.?!…]$/.test(text);
  // Names of elements, and what an element contains.
  const shown = /(?:"aria-label"|\b(?:title|placeholder|alt|label|textContent)) ?[:=] ?"([A-Z][^"]*)"|\bh\("[\w-]+", (?:null|\{[^{}]*\}), "([A-Z][^"]*)"/g;
  for (const { name, text } of sources.filter((source) => !source.name.startsWith("strings/"))) {
    // Without comments and errors for programmers.
    const code = text.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*|\b\w*Error\(.*|\bconsole\..*/gm, "");
    const literals = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g)].map((match) => match[1] ?? match[2]);
    const found = [...literals.filter(isSentence), ...[...code.matchAll(shown)].map((match) => match[1] ?? match[2])];
    assert.deepEqual(found.filter((one) => !isAllowed(one)), [], name);
  }
});

test("pictures have no texts", () => {
  for (const name of files.filter((file) => file.endsWith(".svg"))) {
    assert.doesNotMatch(readFileSync(new URL(name, page), "utf8"), /<(text|title|desc)\b/, name);
  }
});
