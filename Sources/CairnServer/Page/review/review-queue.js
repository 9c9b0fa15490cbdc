// @ts-check
// The review queue: questions in pages, the next photos decoded ahead, answers saved in order.

import { api, ApiError } from "../data/api.js";
import { store } from "../data/store.js";

/** @typedef {import("../data/types.js").Question} Question */
/** @typedef {import("../data/types.js").Row} Row */
/** @typedef {import("../data/decoded.js").DecodedImages} DecodedImages */

const PAGE = 20;
/** The most questions of one request, and how far apart those are that share one. */
const MOST = 50;
const NEAR = 3;
/** How many photos ahead are kept decoded. */
const AHEAD = 3;

/**
 * @typedef {{query: string, kind: "doubtful"|"unlabeled", reasons?: string[], class?: string|null, skipped?: boolean}} QueueOptions
 * @typedef {{decision: "accept"|"reject"|"skip"|"other", class?: string, create?: boolean}} Answer
 * @typedef {{type: "saved", photo: Row|null, action: string|null} | {type: "conflict", message: string}
 *   | {type: "failed", error: unknown} | {type: "declined"}} AnswerResult
 */

/**
 * Whether two questions are about the same class of the same photo, even if one was read later.
 * @param {Question|null|undefined} one
 * @param {Question|null|undefined} other
 */
export function isSameQuestion(one, other) {
  return Boolean(one && other && one.photo.id === other.photo.id && one.class === other.class);
}

/** One queue of questions on the server, and the place in it. */
export class ReviewQueue {
  /** @type {string|null} */ id = null;
  count = 0;
  /** @type {Record<string, number>} */ counts = {};
  /** Answers that are not on the server's disk yet. */
  pending = 0;
  #index = 0;
  #generation = 0;
  /** Whether there are questions: not until those that were asked for last are there. */
  #isOpen = false;
  /** @type {Map<number, Question|null>} */ #questions = new Map();
  /** @type {Map<number, Promise<void>>} */ #pages = new Map();
  /** @type {Question[]} Questions asked again, after an undo or a conflict; the last is current. */
  #again = [];
  /** @type {Promise<void>|null} Resolves when the question after the answered one is known. */
  #showing = null;
  /** @type {Promise<unknown>} */ #chain = Promise.resolve();

  /** @param {{images: DecodedImages, side: () => number, confirm: (unknown: any) => Promise<boolean>}} options */
  constructor({ images, side, confirm }) {
    this.images = images;
    this.side = side;
    this.confirm = confirm;
  }

  /**
   * Opens a new queue on the server.
   * @param {QueueOptions} options
   * @param {AbortSignal} [signal]
   */
  async open(options, signal) {
    const generation = ++this.#generation;
    this.#isOpen = false;
    this.count = 0;
    await this.flush();
    const old = this.id;
    const body = { ...options, skipped: options.skipped ?? false };
    const opened = await api.post("/api/review", body, { signal });
    if (old) api.delete(`/api/review/${old}`).catch(() => {});
    if (generation !== this.#generation) return;
    this.id = opened.queue;
    this.count = opened.count;
    this.counts = opened.counts ?? {};
    this.#index = 0;
    this.#again = [];
    this.#showing = null;
    this.#questions.clear();
    this.#pages.clear();
    this.#isOpen = true;
    await this.#settle();
  }

  /**
   * The question that is asked now; null at the end, from an answer until the next question is
   * known, and while a queue is being opened or could not be: nobody sees one then.
   * @returns {Question|null}
   */
  get current() {
    if (this.#showing || !this.#isOpen) return null;
    return this.#again.at(-1) ?? this.#questions.get(this.#index) ?? null;
  }

  /** Whether the question after the answered one is not known yet. */
  get isMoving() {
    return this.#showing !== null;
  }

  /** Whether the current question is asked again (after an undo or a conflict). */
  get isAgain() {
    return this.#again.length > 0;
  }

  /** Whether no question is left; false also while it is not known which one is next. */
  get isAtEnd() {
    return this.#isOpen && this.#again.length === 0 && this.#index >= this.count;
  }

  get position() {
    return Math.min(this.#index, this.count);
  }

  /** Resolves when every answer is saved or has failed. */
  flush() {
    return this.#chain;
  }

  /** Answers the current question and moves on. The next question is current when `shown` resolves,
   * at once unless it is about the same photo; `saved` resolves after the server's disk has the answer.
   * @param {Answer} answer @returns {{shown: Promise<void>, saved: Promise<AnswerResult>}} */
  answer(answer) {
    const question = this.current;
    if (!question) {
      return { shown: Promise.resolve(), saved: Promise.resolve({ type: "declined" }) };
    }
    const again = this.#again.pop() !== undefined;
    if (!again) {
      this.#questions.set(this.#index, null);
    }
    this.pending += 1;
    const saved = this.#chain.then(() => this.#save(question, answer)).finally(() => { this.pending -= 1; });
    this.#chain = saved.catch(() => {});
    const next = this.#nextKnown();
    // An answer can settle other questions of the same photo: wait for it before showing one.
    const wait = next !== null && next.photo.id === question.photo.id && answer.decision !== "skip";
    const shown = (wait ? this.#chain : Promise.resolve()).then(() => this.#settle())
      .finally(() => { if (this.#showing === shown) this.#showing = null; });
    this.#showing = shown;
    return { shown, saved: /** @type {Promise<AnswerResult>} */ (saved) };
  }

  /**
   * Asks a question again before the others, as it is now, unless it needs no answer any more.
   * @param {Question} question
   */
  async askAgain(question) {
    // Its version tells the server what it is about if it could not be read.
    const fresh = await this.#fresh(question).catch(() => question);
    if (fresh) this.#again.push(fresh);
    this.prefetch();
  }

  /**
   * Reads again the loaded questions about these photos; null: all.
   * @param {string[]|null} ids
   */
  async refresh(ids) {
    const wanted = ids && new Set(ids);
    for (const question of [...this.#again]) {
      if (wanted && !wanted.has(question.photo.id)) continue;
      const fresh = await this.#fresh(question);
      const at = this.#again.indexOf(question);
      if (at >= 0) this.#again.splice(at, 1, ...(fresh ? [fresh] : []));
    }
    const indices = [...this.#questions]
      .filter(([index, question]) => question && index >= this.#index && (!wanted || wanted.has(question.photo.id)))
      .map(([index]) => index).sort((a, b) => a - b).slice(0, 2 * PAGE);
    for (let at = 0; at < indices.length;) {
      const from = indices[at];
      let to = from;
      // Neighbors share a request.
      while (at < indices.length && indices[at] <= to + NEAR && indices[at] < from + MOST) to = indices[at++];
      await this.#fetch(from, to - from + 1);
    }
    await this.#settle();
  }

  /** Frees the queue on the server. */
  async close() {
    await this.flush();
    if (this.id) api.delete(`/api/review/${this.id}`).catch(() => {});
    this.id = null;
    this.#isOpen = false;
    this.images.keep([]);
  }

  /** Loads and decodes the photos of the next questions. */
  prefetch() {
    const ids = this.#again.slice(-2).reverse().map((question) => question.photo.id);
    for (let index = this.#index; index < this.count && ids.length < AHEAD + 1; index += 1) {
      if (!this.#questions.has(index)) break;
      const question = this.#questions.get(index);
      if (question && !ids.includes(question.photo.id)) ids.push(question.photo.id);
    }
    this.images.keep(ids);
    for (const id of ids) this.images.load(id, this.side()).catch(() => {});
  }

  #nextKnown() {
    if (this.#again.length > 0) return this.#again[this.#again.length - 1];
    for (let index = this.#index; index < this.count; index += 1) {
      if (!this.#questions.has(index)) return null;
      const question = this.#questions.get(index);
      if (question) return question;
    }
    return null;
  }

  /** Moves to the first question that needs an answer, loading pages as needed. */
  async #settle() {
    const generation = this.#generation;
    while (this.#index < this.count && generation === this.#generation) {
      if (!this.#questions.has(this.#index)) await this.#page(this.#index);
      // Meanwhile, another queue may have been opened.
      if (generation !== this.#generation) return;
      if (this.#questions.get(this.#index)) break;
      this.#index += 1;
    }
    if (generation !== this.#generation) return;
    const ahead = this.#index + PAGE / 2;
    if (ahead < this.count && !this.#questions.has(ahead)) {
      this.#page(ahead).then(() => this.prefetch(), () => {});
    }
    for (const index of this.#questions.keys()) {
      if (index < this.#index - PAGE) this.#questions.delete(index);
    }
    this.prefetch();
  }

  /** @param {number} index */
  #page(index) {
    const from = index - (index % PAGE);
    let page = this.#pages.get(from);
    if (!page) {
      const own = this.#fetch(from, PAGE).finally(() => {
        if (this.#pages.get(from) === own) this.#pages.delete(from);
      });
      page = own;
      this.#pages.set(from, page);
    }
    return page;
  }

  /** @param {number} from @param {number} count */
  async #fetch(from, count) {
    const id = this.id;
    const { questions } = await api.get(`/api/review/${id}?from=${from}&count=${count}`);
    if (id !== this.id) return;
    for (let offset = 0; offset < count; offset += 1) {
      const index = from + offset;
      // Answered here while the page was on its way: the server did not know it yet.
      if (this.#questions.get(index) === null) continue;
      this.#questions.set(index, questions[offset] ?? null);
    }
  }

  /** Returns the question as it is now; null if it needs no answer.
   * @param {Question} question @returns {Promise<Question|null>} */
  async #fresh(question) {
    const { index, queue } = question;
    const { questions } = await api.get(`/api/review/${queue ?? this.id}?from=${index}&count=1`);
    const here = /** @type {Question|null} */ (questions[0] ?? null);
    // After an undo, it has a queue of its own.
    return here && queue ? { ...here, queue } : here;
  }

  /** @param {Question} question @param {Answer} answer @returns {Promise<AnswerResult>} */
  async #save(question, answer) {
    try {
      const result = await this.#post(question, answer);
      if (!question.queue) {
        for (const index of result.settled ?? []) this.#questions.set(index, null);
      }
      const id = question.photo.id;
      const ahead = [...this.#questions.values()].some((other) => other?.photo.id === id);
      if (ahead) await this.refresh([id]).catch(() => {});
      return {
        type: "saved", photo: result.photo ?? result.photos?.[0] ?? null, action: result.action ?? null,
      };
    } catch (error) {
      if (!(error instanceof ApiError)) return this.#failed(question, error);
      const unknown = error.body?.unknown;
      if (error.status === 422 && unknown) {
        if (await this.confirm(unknown)) return this.#save(question, { ...answer, create: true });
        this.#again.push(question);
        return { type: "declined" };
      }
      if (error.status !== 409 || error.kind !== "conflict") return this.#failed(question, error);
      const fresh = error.body?.question;
      if (fresh) this.#again.push({ ...fresh, queue: question.queue });
      this.prefetch();
      return { type: "conflict", message: error.message };
    }
  }

  /** @param {Question} question @param {unknown} error @returns {AnswerResult} */
  #failed(question, error) {
    this.#again.push(question);
    this.prefetch();
    return { type: "failed", error };
  }

  /** @param {Question} question @param {Answer} answer */
  #post(question, answer) {
    // A session that only reads has nowhere to note what it skipped.
    if (answer.decision === "skip" && store.session?.readOnly) return Promise.resolve({});
    const { index, version } = question;
    return api.post(`/api/review/${question.queue ?? this.id}/answers`, { index, version, ...answer });
  }
}
