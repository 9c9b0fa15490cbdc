import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { emit } = await import(new URL("data/store.js", page).href);
const { CairnModels } = await import(new URL("models/models.js", page).href);

/** @type {(() => void)[]} */
const timers = [];
window.setTimeout = (run) => timers.push(run);

/** Waits until all that was begun has ended: no test here takes time. */
const ended = () => new Promise((resolve) => { setImmediate(resolve); });

const models = Object.assign(new CairnModels(), { append() {}, visible: true, tab: "agreement" });
models.connectedCallback();

test("the figures that are shown follow the labels, one request after the other", async () => {
  let shown = 0;
  let finish = () => {};
  models.panels.agreement.show = () => {
    shown += 1;
    return new Promise((resolve) => { finish = resolve; });
  };
  emit("server:photos", { ids: ["a"], session: null });
  emit("server:photos", { ids: ["b"], session: null });
  assert.deepEqual([shown, timers.length], [0, 1]);
  timers.pop()();
  await ended();
  assert.equal(shown, 1);
  // While the figures are read, labels arrive that they may not count.
  emit("server:photos", { ids: ["c"], session: null });
  await ended();
  assert.deepEqual([shown, timers.length], [1, 0]);
  finish();
  await ended();
  assert.deepEqual([shown, timers.length], [1, 1]);
  timers.pop()();
  await ended();
  finish();
  await ended();
  assert.deepEqual([shown, timers.length], [2, 0]);
});

test("labels have no figures read that are not shown", async () => {
  let shown = 0;
  for (const panel of Object.values(models.panels)) panel.show = async () => { shown += 1; };
  for (const state of [{ visible: false, tab: "agreement" }, { visible: true, tab: "predict" }]) {
    Object.assign(models, state);
    emit("server:photos", { ids: ["a"], session: null });
    timers.pop()();
    await ended();
  }
  assert.equal(shown, 0);
});
