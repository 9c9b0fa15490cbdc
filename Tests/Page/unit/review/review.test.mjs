import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

Object.assign(globalThis, { innerWidth: 1280, innerHeight: 800, devicePixelRatio: 1 });
// Messages stay.
window.setTimeout = () => 0;
const { CairnReview } = await import(new URL("review/review.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);
const { DecodedImages } = await import(new URL("data/decoded.js", page).href);
DecodedImages.prototype.load = async () => {};

/** Requests as `POST /api/review`, with the status and body that each of them is answered with. */
let answers = {};
/** @type {string[]} */
let requests;
/** @type {string[]} what the panel shows, the latest last */
let shown;

const question = (/** @type {number} */ index) => ({
  index, version: `v${index}`, kind: "class", class: "oak", name: "oak", photo: { id: `p${index}`, name: `p${index}` },
  reasons: [], labels: [], options: [],
});
const gone = [410, { kind: "gone", message: "The queue is out of date." }];
const broken = [500, { kind: "internal", message: "The disk is full." }];

/** Returns the review, which shows the first question. */
async function open() {
  const review = new CairnReview();
  Object.assign(review, {
    stage: { show() {} },
    panel: {
      show: (/** @type {any} */ { photo }) => shown.push(photo.id), waiting() {}, others() {}, favorite() {},
      say: (/** @type {string} */ text) => shown.push(text), failed: (/** @type {string} */ text) => shown.push(text),
      finished: () => shown.push("end"),
    },
  });
  await review.show({});
  assert.deepEqual(shown, ["p0"]);
  requests.length = shown.length = 0;
  return review;
}

/** Waits until all that was begun has ended: no test here takes time. */
const ended = () => new Promise((resolve) => { setImmediate(() => setImmediate(() => setImmediate(resolve))); });

beforeEach(() => {
  requests = [];
  shown = [];
  location.hash = "#/review";
  answers = {
    "POST /api/review": [201, { queue: "q1", count: 40 }],
    "GET /api/review/q1?from=0&count=20": [200, { questions: [question(0), question(1)] }],
    "GET /api/review/q1?from=20&count=20": [200, { questions: [question(20)] }],
    "POST /api/review/q1/answers": [200, { action: "a1", settled: [] }],
  };
  globalThis.fetch = async (/** @type {string} */ path, /** @type {any} */ { method }) => {
    requests.push(`${method} ${path}`);
    const [status, body] = answers[`${method} ${path}`] ?? [404, { kind: "not-found", message: "no" }];
    return Response.json(body, { status });
  };
});

test("an answer that is not saved is asked for again", async () => {
  const review = await open();
  answers["POST /api/review/q1/answers"] = broken;
  review.answer({ decision: "accept" });
  await ended();
  assert.deepEqual(shown.slice(-2), ["p0", "The answer was not saved. Please answer again."]);
});

test("an answer about an erased photo does not start the queue again", async () => {
  const review = await open();
  answers["POST /api/review/q1/answers"] = [404, { kind: "erased", message: "The photo was erased." }];
  review.answer({ decision: "accept" });
  await ended();
  assert.ok(!requests.includes("POST /api/review"));
});

test("a queue that the server dropped is opened again", async () => {
  const review = await open();
  answers["POST /api/review/q1/answers"] = gone;
  review.answer({ decision: "accept" });
  await ended();
  assert.ok(requests.includes("POST /api/review"));
});

test("if the next question cannot be read, the panel says so, not that the answer is lost", async () => {
  answers["GET /api/review/q1?from=0&count=20"] = [200, { questions: [question(0)] }];
  const review = await open();
  answers["GET /api/review/q1?from=20&count=20"] = broken;
  review.answer({ decision: "accept" });
  await ended();
  assert.ok(requests.includes("POST /api/review/q1/answers"));
  assert.deepEqual(shown, ["The disk is full."]);
});

test("a queue that cannot be opened leaves no question of the one before to answer", async () => {
  const review = await open();
  answers["POST /api/review"] = broken;
  await review.show({ kind: "unlabeled" });
  assert.deepEqual(shown, ["The disk is full."]);
  requests.length = 0;
  review.answer({ decision: "accept" });
  await ended();
  assert.deepEqual(requests, []);
});

test("an invalid query is not reported by the review, too: the search bar shows what is wrong", async () => {
  const review = await open();
  let told = 0;
  window.setTimeout = () => { told += 1; };
  store.update({ set: { set: "s1", query: "", count: 3 } });
  answers["POST /api/review"] = [400, { kind: "invalid-query", message: "Invalid query at character 1." }];
  await review.show({ q: "(" });
  assert.deepEqual(shown, ["Nothing to ask: the search is not valid."]);
  shown.length = 0;
  answers["POST /api/review"] = broken;
  await review.show({});
  // The search failed for the same reason: the query may be valid.
  await review.show({ q: "oak" });
  assert.deepEqual(shown, ["The disk is full.", "The disk is full."]);
  // A message would go after some time.
  assert.equal(told, 0);
  window.setTimeout = () => 0;
  store.update({ set: null });
});
