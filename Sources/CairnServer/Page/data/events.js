// @ts-check
/** @file Server-sent events: `server:photos`, `server:job`, … and `connection`. */

import { api } from "./api.js";
import { emit, on, store } from "./store.js";

const NAMES = ["photos", "classes", "pins", "runs", "job", "presence", "dataset", "colors", "reset"];
/** Pauses before connecting again, in milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;
/** A hidden page gives its stream back after this time: a session has only three. */
const HIDDEN_TIME = 20_000;

/** @type {EventSource|null} */
let source = null;
/** @type {string|number|null} */
let lastId = null;
let pause = FIRST_PAUSE;
let timer = 0;
let hiding = 0;
let online = true;

/** @param {boolean} now */
function setOnline(now) {
  if (now === online) return;
  online = now;
  emit("connection", { online });
}

/** Says so if the server is there, but this session has as many streams as it may have. */
async function explain() {
  const streams = await api.get("/api/session").then((session) => session.streams, () => null);
  if (!online && streams && streams.open >= streams.limit) {
    emit("connection", { online, isFull: true });
  }
}

function open() {
  clearTimeout(timer);
  if (source) return;
  const after = lastId ?? store.session?.event;
  const known = after !== null && after !== undefined;
  const own = new EventSource(known ? `/api/events?after=${after}` : "/api/events");
  source = own;
  own.addEventListener("open", () => {
    pause = FIRST_PAUSE;
    setOnline(true);
  });
  own.addEventListener("error", () => {
    if (source !== own) return;
    close();
    setOnline(false);
    explain();
    timer = window.setTimeout(open, pause * (0.8 + Math.random() * 0.4));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  });
  for (const name of NAMES) {
    own.addEventListener(name, (event) => {
      const { data, lastEventId } = /** @type {MessageEvent} */ (event);
      if (lastEventId) lastId = lastEventId;
      try {
        send(name, JSON.parse(data || "{}"));
      } catch (error) {
        console.error(`Event ${name}:`, error);
      }
    });
  }
}

/** @param {string} name @param {any} detail */
function send(name, detail) {
  // A result that has not changed since the event before is left out.
  if (name === "job" && !("result" in detail)) detail.result = store.jobs.get(detail.job)?.result ?? null;
  emit(`server:${name}`, detail);
  if (name !== "dataset" || detail.reason === "commit") return;
  // A pull or another program may have changed all of these.
  for (const other of ["classes", "pins", "runs"]) emit(`server:${other}`, {});
}

function close() {
  source?.close();
  source = null;
}

/** Connects, and stays connected while the page is visible. */
export function connectEvents() {
  open();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (!document.hidden) open();
    else hiding = window.setTimeout(close, HIDDEN_TIME);
  });
  window.addEventListener("online", open);
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  on("unreachable", () => {
    // The stream may not have noticed: connecting again shows whether the server is there.
    if (source?.readyState === EventSource.OPEN) {
      close();
      if (!document.hidden) timer = window.setTimeout(open, FIRST_PAUSE);
    }
    setOnline(false);
  });
}
