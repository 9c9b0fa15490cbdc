import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { bytes, className, count, dateTime, day, factor, percent, person } =
  await import(new URL("common/format.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

test("percentages never claim certainty or absence", () => {
  assert.equal(percent(0.834), "83%");
  assert.equal(percent(0), "0%");
  assert.equal(percent(1), "100%");
  assert.match(percent(0.0001), /^<.1%$/u);
  assert.match(percent(0.9999), /^>.99%$/u);
});

test("a zoom is rounded to a whole percentage", () => {
  assert.equal(factor(1.5), "150%");
  assert.equal(factor(0.9961), "100%");
});

test("numbers and sizes are grouped and rounded", () => {
  assert.equal(count(100000), "100,000");
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(3145728), "3.1 MB");
  assert.equal(bytes(0), "0 B");
});

test("the digits of a camera's clock stay, whatever the time zone", () => {
  assert.match(dateTime("2026-05-03T14:22:10"), /2:22.PM/u);
  assert.match(dateTime("2026-05-03T14:22:10+09:00"), /2:22.PM/u);
  assert.equal(day("2026-05-03T23:59:59-11:00"), "May 3, 2026");
});

test("text that is no date stays as it is", () => {
  assert.equal(dateTime("yesterday"), "yesterday");
  assert.equal(dateTime(null), "");
  assert.equal(day(undefined), "");
  assert.equal(day("soon"), "soon");
});

test("people and classes go by their names", () => {
  store.session = { person: { id: "human:alice@example.org", name: "Alice", email: "alice@example.org" } };
  store.classes = new Map([["oak", { class: "oak", name: "Oak" }]]);
  assert.equal(person("human:alice@example.org"), "Alice");
  assert.equal(person("human:bob@example.org"), "bob@example.org");
  assert.equal(className("oak"), "Oak");
  assert.equal(className("elm"), "elm");
});
