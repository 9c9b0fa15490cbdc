import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

const { isSameQuestion, ReviewQueue } = await import(new URL("review/review-queue.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

/** The routes of the review and of edits, over questions that people answer. */
class Server {
  /** @type {any[]} */ questions = [];
  /** @type {any[]} */ answers = [];
  /** @type {Map<string, any>} queues of one question, after an undo */ others = new Map();
  settles = () => [];
  /** @type {any} an answer to refuse the next write with: `[status, body]` */
  refusal = null;
  /** @type {any} the same for reads, for as long as it is set */
  readRefusal = null;
  reads = 0;
  hold = Promise.resolve();

  constructor(count, photoOf = (index) => `photo${index}`) {
    this.questions = Array.from({ length: count }, (_, index) => ({
      index, version: `v${index}`, kind: "class", class: "oak", name: "Oak",
      photo: { id: photoOf(index) }, reasons: [], labels: [], options: [],
    }));
  }

  fetch = async (path, { method, body }) => {
    const url = new URL(path, "http://page.test");
    const json = body ? JSON.parse(body) : null;
    if (method === "POST" && url.pathname === "/api/review") {
      return reply(201, { queue: "q1", count: this.questions.length, counts: {} });
    }
    if (method === "GET" && url.pathname === "/api/review/q1") {
      this.reads += 1;
      if (this.readRefusal) return reply(...this.readRefusal);
      const from = Number(url.searchParams.get("from"));
      const to = from + Number(url.searchParams.get("count"));
      return reply(200, { from, questions: structuredClone(this.questions.slice(from, to)) });
    }
    const [, , , name, part] = url.pathname.split("/");
    const other = this.others.get(name);
    if (method === "GET" && other) return reply(200, { from: 0, questions: [{ ...other, queue: undefined }] });
    if (method === "DELETE") return new Response(null, { status: 204 });
    await this.hold;
    if (this.refusal) {
      const [status, content] = this.refusal;
      this.refusal = null;
      return reply(status, content);
    }
    if (other && part === "answers") {
      this.answers.push({ queue: name, ...json });
      return reply(200, { outcome: "decided", action: "a9", photo: other.photo, settled: [0] });
    }
    assert.equal(url.pathname, "/api/review/q1/answers");
    this.answers.push(json);
    const { photo } = this.questions[json.index];
    const settled = this.settles(json);
    for (const index of [json.index, ...settled]) this.questions[index] = null;
    return reply(200, { outcome: "decided", action: `a${this.answers.length}`, photo, settled });
  };
}

function reply(status, body) {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
}

/** Remembers what the queue keeps decoded. */
class Images {
  kept = [];
  keep(ids) { this.kept = [...ids]; }
  load(id) { return Promise.resolve(id); }
}

let images = new Images();
let confirmed = [];

async function open(server, { confirms = true } = {}) {
  globalThis.fetch = server.fetch;
  images = new Images();
  confirmed = [];
  const queue = new ReviewQueue({
    images, side: () => 1600,
    confirm: async (unknown) => { confirmed.push(unknown); return confirms; },
  });
  await queue.open({ query: "", kind: "doubtful" });
  return queue;
}

const accept = { decision: "accept" };

/** Opens a queue whose first question was answered and is asked again, with the given changes. */
async function openAskingAgain(server, changes = {}) {
  const queue = await open(server);
  const first = queue.current;
  await queue.answer(accept).shown;
  await queue.flush();
  server.questions[0] = { ...first, ...changes };
  await queue.askAgain(first);
  return { queue, first };
}

beforeEach(() => { globalThis.fetch = () => { throw new Error("no server"); }; });

test("asks all questions in order, over the pages, and ends", async () => {
  const server = new Server(53);
  const queue = await open(server);
  const asked = [];
  while (queue.current) {
    asked.push(queue.current.index);
    await queue.answer(accept).shown;
  }
  await queue.flush();
  assert.deepEqual(asked, Array.from({ length: 53 }, (_, index) => index));
  assert.deepEqual(server.answers.map(({ index }) => index), asked);
  assert.equal(queue.current, null);
});

test("is not at the end while the next question is unknown", async () => {
  const server = new Server(1);
  server.readRefusal = [410, { kind: "gone", message: "Gone." }];
  globalThis.fetch = server.fetch;
  const queue = new ReviewQueue({ images, side: () => 1600, confirm: async () => true });
  assert.equal(queue.isAtEnd, false);
  await assert.rejects(queue.open({ query: "", kind: "doubtful" }));
  assert.equal(queue.current, null);
  assert.equal(queue.isAtEnd, false);
  server.readRefusal = null;
  await queue.refresh(null);
  assert.equal(queue.current.index, 0);
  await queue.answer(accept).shown;
  assert.equal(queue.isAtEnd, true);
});

test("shows the next question before the answer is saved, and saves in order", async () => {
  const server = new Server(5);
  const queue = await open(server);
  let release = () => {};
  server.hold = new Promise((resolve) => { release = resolve; });
  await queue.answer(accept).shown;
  assert.equal(queue.current.index, 1);
  await queue.answer({ decision: "reject" }).shown;
  assert.equal(queue.current.index, 2);
  assert.equal(queue.pending, 2);
  assert.deepEqual(server.answers, []);
  release();
  await queue.flush();
  assert.deepEqual(server.answers.map(({ index, decision, version }) => [index, decision, version]),
    [[0, "accept", "v0"], [1, "reject", "v1"]]);
  assert.equal(queue.pending, 0);
});

test("keeps the photos of this question and the next three decoded", async () => {
  const queue = await open(new Server(10));
  assert.deepEqual(images.kept, ["photo0", "photo1", "photo2", "photo3"]);
  await queue.answer(accept).shown;
  assert.deepEqual(images.kept, ["photo1", "photo2", "photo3", "photo4"]);
});

test("does not ask what an answer about the same photo settled", async () => {
  const server = new Server(6, (index) => (index < 3 ? "same" : `photo${index}`));
  server.settles = ({ index }) => (index === 0 ? [1, 2] : []);
  const queue = await open(server);
  await queue.answer(accept).shown;
  assert.equal(queue.current.index, 3);
});

test("asks again, as it is now, when somebody labeled the photo in the meantime", async () => {
  const server = new Server(3);
  const queue = await open(server);
  server.refusal = [409, { kind: "conflict", message: "changed", question: { ...server.questions[0], version: "v0b" } }];
  const { shown, saved } = queue.answer(accept);
  await shown;
  assert.deepEqual(await saved, { type: "conflict", message: "changed" });
  assert.equal(queue.current.version, "v0b");
  assert.ok(queue.isAgain);
  await queue.answer(accept).shown;
  await queue.flush();
  assert.equal(server.answers[0].version, "v0b");
  assert.equal(queue.current.index, 1);
});

test("goes on when somebody decided the question in the meantime", async () => {
  const server = new Server(3);
  const queue = await open(server);
  server.refusal = [409, { kind: "conflict", message: "decided", question: null }];
  const { shown, saved } = queue.answer(accept);
  await shown;
  assert.equal((await saved).type, "conflict");
  assert.equal(queue.current.index, 1);
});

test("asks again when the answer could not be saved: none is lost", async () => {
  const server = new Server(3);
  const queue = await open(server);
  server.refusal = [500, { kind: "internal", message: "disk full" }];
  const { saved } = queue.answer(accept);
  assert.equal((await saved).type, "failed");
  assert.equal(queue.current.index, 0);
  await queue.answer(accept).shown;
  await queue.flush();
  assert.deepEqual(server.answers.map(({ index }) => index), [0]);
});

test("creates a new class after a confirmation, and asks again without one", async () => {
  for (const confirms of [true, false]) {
    const server = new Server(2);
    const queue = await open(server, { confirms });
    server.refusal = [422, { kind: "unconfirmed", message: "new", unknown: [{ name: "Elm", suggestions: [] }] }];
    const { saved } = queue.answer({ decision: "other", class: "Elm" });
    assert.equal((await saved).type, confirms ? "saved" : "declined");
    assert.deepEqual(confirmed, [[{ name: "Elm", suggestions: [] }]]);
    assert.equal(queue.current.index, confirms ? 1 : 0);
    assert.deepEqual(server.answers.map(({ create }) => create), confirms ? [true] : []);
  }
});

test("an undone answer is asked again in this queue, as it is now", async () => {
  const server = new Server(3);
  const { queue } = await openAskingAgain(server, { version: "v0c" });
  assert.equal(queue.current.version, "v0c");
  await queue.answer({ decision: "reject" }).shown;
  await queue.flush();
  assert.deepEqual(server.answers.at(-1), { index: 0, version: "v0c", decision: "reject" });
  assert.equal(queue.current.index, 1);
});

test("a second answer waits until the question after the first one is known", async () => {
  const server = new Server(3, () => "same");
  const { queue } = await openAskingAgain(server);
  let release = () => {};
  server.hold = new Promise((resolve) => { release = resolve; });
  const { shown } = queue.answer(accept);
  assert.equal(queue.current, null);
  assert.ok(queue.isMoving);
  assert.equal((await queue.answer({ decision: "reject" }).saved).type, "declined");
  release();
  await shown;
  assert.ok(!queue.isMoving);
  assert.equal(queue.current.index, 1);
  assert.deepEqual(server.answers.map(({ index, decision }) => [index, decision]),
    [[0, "accept"], [0, "accept"]]);
});

test("a question that is asked again is read again when its photo changes", async () => {
  const server = new Server(3);
  const { queue, first } = await openAskingAgain(server);
  server.questions[0] = { ...first, version: "v0d" };
  await queue.refresh(["photo0"]);
  assert.equal(queue.current.version, "v0d");
  server.questions[0] = null;
  await queue.refresh(null);
  assert.equal(queue.current.index, 1);
});

test("an undone answer of another session is asked again in a queue of its own", async () => {
  const server = new Server(3);
  const queue = await open(server);
  const own = { ...server.questions[0], queue: "u5", version: "u0", photo: { id: "elsewhere" } };
  server.others.set("u5", own);
  await queue.askAgain({ ...own, version: "old" });
  assert.equal(queue.current.photo.id, "elsewhere");
  assert.equal(queue.current.version, "u0");
  server.refusal = [409, { kind: "conflict", message: "changed", question: { ...own, queue: undefined, version: "u1" } }];
  await queue.answer(accept).saved;
  const { saved } = queue.answer({ decision: "other", class: "elm" });
  assert.equal((await saved).type, "saved");
  assert.deepEqual(server.answers, [{ queue: "u5", index: 0, version: "u1", decision: "other", class: "elm" }]);
  assert.equal(queue.current.index, 0, "nothing of this queue was settled");
  assert.equal(queue.current.photo.id, "photo0");
});

test("an undone answer that needs no answer any more is not asked", async () => {
  const server = new Server(3);
  const queue = await open(server);
  const first = queue.current;
  await queue.answer(accept).shown;
  await queue.flush();
  await queue.askAgain(first);
  assert.equal(queue.current.index, 1);
  assert.ok(!queue.isAgain);
});

test("skipping sends nothing in a session that only reads", async () => {
  const server = new Server(2);
  const queue = await open(server);
  store.update({ session: { readOnly: true } });
  try {
    const { shown, saved } = queue.answer({ decision: "skip" });
    await shown;
    assert.equal((await saved).type, "saved");
    assert.deepEqual(server.answers, []);
    assert.equal(queue.current.index, 1);
  } finally {
    store.update({ session: null });
  }
});

test("reads changed questions again, and moves on if the current one is decided", async () => {
  const server = new Server(4);
  const queue = await open(server);
  server.questions[0] = null;
  server.questions[2] = { ...server.questions[2], version: "v2b" };
  await queue.refresh(["photo0", "photo2"]);
  assert.equal(queue.current.index, 1);
  await queue.answer(accept).shown;
  assert.equal(queue.current.version, "v2b");
});

test("a queue opened while another one is read begins with its first question", async () => {
  const server = new Server(5);
  let opened = 0;
  /** By queue: resolved when its questions are asked for, and when they may be sent. */
  const queues = new Map(["q1", "q2"].map((name) => [name, {
    asked: deferred(), sent: deferred(),
  }]));
  globalThis.fetch = async (path, init) => {
    const url = new URL(path, "http://page.test");
    if (init.method === "POST") {
      opened += 1;
      return reply(201, { queue: `q${opened}`, count: 5, counts: {} });
    }
    const held = queues.get(url.pathname.split("/").at(-1));
    if (init.method !== "GET" || !held) return server.fetch(path, init);
    held.asked.resolve();
    await held.sent.promise;
    return server.fetch(path.replace("/q2", "/q1"), init);
  };
  const queue = new ReviewQueue({ images: new Images(), side: () => 1600, confirm: async () => true });
  const first = queue.open({ query: "", kind: "doubtful" });
  await queues.get("q1").asked.promise;
  const second = queue.open({ query: "", kind: "unlabeled" });
  await queues.get("q2").asked.promise;
  queues.get("q1").sent.resolve();
  await first;
  queues.get("q2").sent.resolve();
  await second;
  assert.equal(queue.position, 0);
  assert.equal(queue.current?.index, 0);
});

/** A promise with its functions. */
function deferred() {
  /** @type {any} */
  const parts = {};
  parts.promise = new Promise((resolve) => { parts.resolve = resolve; });
  return parts;
}

test("a question that was read again is the same question", () => {
  const [first, second] = new Server(2).questions;
  assert.ok(isSameQuestion(first, { ...first, version: "v9" }));
  assert.ok(!isSameQuestion(first, second));
  assert.ok(!isSameQuestion(first, { ...first, class: "elm" }));
  assert.ok(!isSameQuestion(null, first));
});
