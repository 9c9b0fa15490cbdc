import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

/** @type {any[]} */
const streams = [];
globalThis.EventSource = /** @type {any} */ (class extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  constructor(/** @type {string} */ url) {
    super();
    this.url = url;
    streams.push(this);
  }
  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  close() { this.readyState = 2; }
});
/** @type {(() => void)[]} */
const timers = [];
window.setTimeout = /** @type {any} */ ((/** @type {() => void} */ body) => timers.push(body));
window.clearTimeout = () => {};

const { connectEvents } = await import(new URL("data/events.js", page).href);
const { emit, on, store } = await import(new URL("data/store.js", page).href);

test("a request without an answer connects again although the stream is open", () => {
  /** @type {boolean[]} */
  const states = [];
  on("connection", (/** @type {any} */ { online }) => states.push(online));
  connectEvents();
  streams[0].open();
  const event = Object.assign(new Event("photos"), { data: "{}", lastEventId: "7" });
  streams[0].dispatchEvent(event);
  emit("unreachable", {});
  assert.deepEqual([streams[0].readyState, states, timers.length], [2, [false], 1]);
  // Further ones wait for the same attempt.
  emit("unreachable", {});
  assert.equal(timers.length, 1);
  timers[0]();
  assert.equal(streams[1].url, "/api/events?after=7");
  emit("unreachable", {});
  assert.equal(streams[1].readyState, 0);
  streams[1].open();
  assert.deepEqual(states, [false, true]);
});

test("a job's event without its result has the latest one", () => {
  const job = { job: "j1", state: "running", step: "waiting for labels", result: { model: "trees@1" } };
  store.update({ jobs: new Map([["j1", job]]) });
  /** @type {any[]} */
  const jobs = [];
  const stop = on("server:job", (/** @type {any} */ one) => jobs.push(one.result));
  const { result, ...step } = job;
  const events = [step, { ...step, result: null }, { ...step, result: { model: "trees@2" } }, { ...step, job: "j2" }];
  for (const data of events) {
    streams.at(-1).dispatchEvent(Object.assign(new Event("job"), { data: JSON.stringify(data), lastEventId: "8" }));
  }
  stop();
  assert.deepEqual(jobs, [result, null, { model: "trees@2" }, null]);
});

test("a hidden page connects again once it is shown", () => {
  Object.assign(document, { hidden: true });
  const last = streams[streams.length - 1];
  emit("unreachable", {});
  assert.deepEqual([last.readyState, timers.length], [2, 1]);
});
