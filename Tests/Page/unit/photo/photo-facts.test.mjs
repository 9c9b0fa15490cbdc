import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { FactsPanel } = await import(new URL("photo/photo-facts.js", page).href);

const detail = (/** @type {string} */ id, title = "") => ({
  photo: { id, width: 1, height: 1, local: false }, title, caption: "", format: "png", bytes: 1, path: "p",
});

/** Returns a panel of photo p1, what it saves, and what ends each save. */
function panel() {
  /** @type {string[]} */
  const sent = [];
  /** @type {((saved: boolean) => void)[]} */
  const ends = [];
  const panel = new FactsPanel((field, text) => {
    sent.push(`${field}: ${text}`);
    return new Promise((resolve) => { ends.push(resolve); });
  });
  panel.update(detail("p1"), { readOnly: false });
  return { panel, sent, ends };
}

const settled = () => new Promise((resolve) => { setImmediate(resolve); });

test("what is typed while a title is saved stays, and is saved next", async () => {
  const { panel: facts, sent, ends } = panel();
  facts.title.input.value = "A tree ";
  facts.commit();
  facts.commit();
  assert.deepEqual(sent, ["title: A tree"]);
  facts.title.input.value = "A tree in the snow";
  ends[0](true);
  await settled();
  assert.equal(facts.title.input.value, "A tree in the snow");
  assert.ok(facts.dirty);
  facts.commit();
  assert.deepEqual(sent, ["title: A tree", "title: A tree in the snow"]);
  ends[1](true);
  await settled();
  assert.ok(!facts.dirty);
});

test("a text that is typed during a save is sent before another photo is shown", async () => {
  const { panel: facts, sent } = panel();
  facts.title.input.value = "One";
  facts.commit();
  facts.title.input.value = "Two";
  facts.commit();
  facts.update(detail("p2", "Another"), { readOnly: false });
  assert.deepEqual(sent, ["title: One", "title: Two"]);
  assert.equal(facts.title.input.value, "Another");
  facts.title.input.value = "Three";
  facts.commit();
  assert.equal(sent.length, 3);
});

test("a text that was not saved can be saved again", async () => {
  const { panel: facts, sent, ends } = panel();
  facts.caption.input.value = "Snow";
  facts.commit();
  ends[0](false);
  await settled();
  assert.equal(facts.caption.input.value, "Snow");
  facts.commit();
  assert.deepEqual(sent, ["caption: Snow", "caption: Snow"]);
});
