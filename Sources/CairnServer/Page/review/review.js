// @ts-check
/** @file `<cairn-review>`: one question after the other, answered with one key. */

import { confirmClass, edit, errorText, pickClass, report, undo } from "../edits/actions.js";
import { ApiError, CLIENT } from "../data/api.js";
import { DecodedImages } from "../data/decoded.js";
import { announce, h } from "../common/dom.js";
import { aheadSide, PhotoStage } from "../photo/photo-stage.js";
import { optionsOf, ReviewBar } from "./review-bar.js";
import { registerReviewKeys } from "./review-keys.js";
import { questionText, ReviewPanel } from "./review-panel.js";
import { isSameQuestion, ReviewQueue } from "./review-queue.js";
import { warnWhile } from "../shell/leaving.js";
import { current, navigate } from "../shell/router.js";
import { patchRows } from "../data/rows.js";
import { emit, on, store } from "../data/store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Question} Question */
/** @typedef {import("../data/types.js").Row} Row */
/** @typedef {import("./review-queue.js").Answer} Answer */
/** @typedef {import("./review-queue.js").QueueOptions} QueueOptions */

/** Answers that an undo may ask again. */
const MOST_REMEMBERED = 500;

export class CairnReview extends HTMLElement {
  #images = new DecodedImages();
  #queue = new ReviewQueue({ images: this.#images, side: aheadSide, confirm: confirmClass });
  /** What the open queue was asked for, as text. */
  #opened = "";
  /** The latest attempt to open one. */
  #opening = Symbol("opening");
  #visible = false;
  /** @type {Map<string, Question>} answered questions by the action that answered them */
  #answered = new Map();
  /** @type {Map<string, {name: string, photo: string|null}>} what each of the others reviews, by person */
  #others = new Map();

  connectedCallback() {
    if (this.stage) return;
    this.stage = new PhotoStage(this.#images, { onSwipe: (direction) => this.swipe(direction) });
    this.panel = new ReviewPanel({
      answer: (answer) => this.answer(answer), correct: () => this.correct(), undo: () => this.undo(),
      favorite: () => this.favorite(), open: () => this.openPhoto(),
      restart: (changes) => this.restart(changes), grid: () => navigate("grid", { q: store.query }),
    });
    this.bar = new ReviewBar((changes) => this.restart(changes));
    this.append(this.bar.element, h("div", { class: "review-body" },
      h("div", { class: "photo-stage" }, this.stage.element, this.stage.controls), this.panel.element));
    this.#listen();
    registerReviewKeys(this);
    this.stage.keys("review");
  }

  // MARK: The queue

  /** @param {Record<string, string>} params */
  async show(params) {
    this.#visible = true;
    const options = optionsOf(params);
    this.bar?.show(options);
    const wanted = JSON.stringify(options);
    try {
      if (wanted === this.#opened && this.#queue.id) await this.#queue.refresh(null);
      else await this.#open(options).catch(() => {});
    } catch (error) {
      if (isGone(error)) await this.#open(options).catch(() => {});
      else report(error);
    }
    this.#paint();
    this.bar?.readSpeed();
  }

  hide() {
    this.#visible = false;
    this.bar?.hide();
    this.stage?.hide();
    this.#images.keep([]);
  }

  /**
   * Opens a queue; if that fails, the panel says why.
   * @param {QueueOptions} options
   */
  async #open(options) {
    this.#opened = JSON.stringify(options);
    const opening = Symbol("opening");
    this.#opening = opening;
    this.#answered.clear();
    this.panel?.waiting();
    try {
      await this.#queue.open(options);
    } catch (error) {
      // Another one was opened meanwhile.
      if (this.#opening !== opening) throw error;
      this.#opened = "";
      // The search bar says what is wrong with a query.
      const isReported = error instanceof ApiError && error.status === 400
        && store.set !== null && store.set.query !== options.query;
      this.panel?.failed(isReported ? t("review.badQuery") : errorText(error));
      throw error;
    }
  }

  /**
   * Opens a queue with other parameters.
   * @param {Record<string, any>} changes
   */
  restart(changes) {
    const params = { ...current().params, q: store.query, ...changes };
    this.#opened = "";
    navigate("review", params, { replace: true });
  }

  // MARK: Painting

  /** Returns the names of the others who look at the photo of this question. */
  #looking() {
    const question = this.#queue.current;
    const names = new Set(question?.looking ?? []);
    // The question may have been read before they came or left.
    for (const { name, photo } of this.#others.values()) {
      names[photo === question?.photo.id ? "add" : "delete"](name);
    }
    names.delete(store.session?.person?.name ?? "");
    return names;
  }

  #paint() {
    // The next question is painted once it is known.
    if (!this.#visible || !this.stage || !this.panel || this.#queue.isMoving) return;
    const question = this.#queue.current;
    if (question) {
      patchLocal(question.photo);
      this.stage.show(question.photo);
      this.panel.show(question, {
        readOnly: store.session?.readOnly ?? false, again: this.#queue.isAgain, looking: this.#looking(),
      });
      announce(`${questionText(question)} ${question.photo.name}`);
      store.update({ focus: question.photo.id });
    } else {
      this.stage.show(null);
      // Otherwise the panel says that it waits for the question, or why there is none.
      if (this.#queue.isAtEnd) {
        this.panel.finished({
          kind: this.bar?.kind.value ?? "doubtful", count: this.#queue.count,
          readOnly: store.session?.readOnly ?? false,
        });
      }
    }
    this.bar?.paint(this.#queue);
  }

  // MARK: Commands

  /**
   * Answers the question and shows the next one.
   * @param {Answer} answer
   */
  answer(answer) {
    const question = this.#queue.current;
    if (!question || (store.session?.readOnly && answer.decision !== "skip")) return;
    if (question.kind === "unlabeled" && ["accept", "reject"].includes(answer.decision)) return;
    if (question.kind === "photo" && answer.decision === "other") return;
    const { shown, saved } = this.#queue.answer(answer);
    shown.then(() => this.#paint(), (error) => this.#failed(error));
    saved.then((result) => this.#saved(question, result));
  }

  /** @param {Question} question @param {import("./review-queue.js").AnswerResult} result */
  #saved(question, result) {
    this.bar?.paint(this.#queue);
    if (result.type === "saved") {
      if (result.photo) patchRows([result.photo]);
      if (result.action) {
        this.#answered.set(result.action, question);
        const oldest = this.#answered.keys().next().value;
        if (this.#answered.size > MOST_REMEMBERED && oldest) this.#answered.delete(oldest);
      }
      this.bar?.readSpeed();
      return;
    }
    if (result.type === "failed") return this.#failed(result.error, t("review.notSaved"));
    if (result.type === "conflict") this.panel?.say(result.message);
    this.#paint();
    if (result.type === "conflict") this.panel?.say(result.message);
  }

  /**
   * Goes on after an error; a queue that the server no longer has is opened again.
   * @param {unknown} error
   * @param {string} [message] about the answer before
   */
  async #failed(error, message) {
    report(error);
    if (isGone(error)) {
      try {
        await this.#open(optionsOf(current().params));
      } catch {
        return this.#paint();
      }
    }
    this.#paint();
    if (message) this.panel?.say(message);
    // The next question could not be read: nothing is left to answer.
    const isAsking = this.#queue.current || this.#queue.isAtEnd || this.#queue.isMoving;
    if (!isAsking) this.panel?.failed(errorText(error));
  }

  /** Has the person type the right class. */
  async correct() {
    const question = this.#queue.current;
    if (!question || question.kind === "photo" || store.session?.readOnly) return;
    const name = await pickClass({
      title: questionText(question), near: question.options.map((option) => option.class),
    });
    if (!name) return;
    // It may have been read again meanwhile, for example after marking a favorite.
    if (isSameQuestion(this.#queue.current, question)) this.choose(name);
    else this.panel?.say(t("review.notSaved"));
  }

  /**
   * Answers with one of the classes that the question offers.
   * @param {number} index
   * @returns {boolean} false if it offers fewer
   */
  chooseOption(index) {
    const option = this.#queue.current?.options[index];
    if (option) this.choose(option.class);
    return option !== undefined;
  }

  /**
   * Answers with a class.
   * @param {string} name
   */
  choose(name) {
    const accepts = this.#queue.current?.class === name;
    this.answer(accepts ? { decision: "accept" } : { decision: "other", class: name });
  }

  async undo() {
    await this.#queue.flush();
    await undo();
  }

  async favorite() {
    const question = this.#queue.current;
    if (!question || store.session?.readOnly) return;
    const { photo } = question;
    question.photo = { ...photo, favorite: !photo.favorite };
    this.panel?.favorite(question.photo.favorite);
    const target = { photos: [photo.id] };
    const result = await edit({ do: "favorite", target, on: question.photo.favorite });
    if (!result) question.photo = photo;
    else await this.#refresh([photo.id]);
    this.panel?.favorite(this.#queue.current?.photo.favorite ?? false);
  }

  openPhoto() {
    const question = this.#queue.current;
    if (question) emit("open-photo", { id: question.photo.id });
  }

  /**
   * A swipe to the right accepts, one to the left rejects.
   * @param {-1|1} direction
   */
  swipe(direction) {
    const question = this.#queue.current;
    if (question?.kind !== "class" || question.set) return;
    this.answer({ decision: direction > 0 ? "accept" : "reject" });
  }

  // MARK: Events

  #listen() {
    warnWhile(() => this.#queue.pending > 0);
    on("undone", ({ action, question }) => {
      // A question of this queue is answered there, where it counts.
      const again = this.#answered.get(action) ?? question;
      this.#answered.delete(action);
      if (!this.#queue.id) return;
      if (!again) return this.#refresh(null);
      this.#queue.askAgain(again).then(() => this.#paint());
    });
    on("server:photos", ({ ids, session }) => { if (session !== CLIENT) this.#refresh(ids); });
    on("server:dataset", () => this.#refresh(null));
    on("server:reset", () => this.#refresh(null));
    on("server:presence", ({ person, photo, view, online }) => {
      if (person.id === store.session?.person?.id) return;
      const isReviewing = online !== false && view === "review";
      this.#others.set(person.id, { name: person.name, photo: isReviewing ? photo : null });
      if (this.#visible) this.panel?.others(this.#looking());
    });
  }

  /** @param {string[]|null} ids */
  async #refresh(ids) {
    if (!this.#visible || !this.#queue.id) return;
    const before = this.#queue.current;
    try {
      await this.#queue.refresh(ids);
    } catch (error) {
      if (isGone(error)) return this.#failed(error);
      return;
    }
    if (this.#queue.current !== before) this.#paint();
  }
}

/**
 * Keeps the row for views that are opened next; nothing shows it now.
 * @param {Row} row
 */
function patchLocal(row) {
  if (!store.rows.has(row.id)) store.rows.set(row.id, row);
}

/**
 * Whether the server no longer has the queue.
 * @param {unknown} error
 */
function isGone(error) {
  return error instanceof ApiError && error.status === 410;
}

customElements.define("cairn-review", CairnReview);
