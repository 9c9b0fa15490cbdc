import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { api, ApiError } = await import(new URL("data/api.js", page).href);
const { edit, undoAction } = await import(new URL("edits/actions.js", page).href);
const { emit, on } = await import(new URL("data/store.js", page).href);

// Messages stay.
window.setTimeout = () => 0;

test("the Undo button of a toast undoes its own action only", async () => {
  /** @type {string[]} */
  const posted = [];
  /** @type {string[]} */
  const undone = [];
  // Another action may come between a question and the undo: only the server knows the latest.
  let latest = "a2";
  api.post = async (/** @type {string} */ path) => {
    posted.push(path);
    const action = new URL(path, "http://localhost").searchParams.get("action") ?? latest;
    if (action !== latest) throw new ApiError(409, { kind: "conflict", message: "later" });
    undone.push(action);
    return { job: "j1" };
  };
  await undoAction("a1").run();
  assert.deepEqual([posted, undone], [["/api/undo?action=a1"], []]);
  latest = "a1";
  await undoAction("a1").run();
  assert.deepEqual(undone, ["a1"]);
});

test("photos whose edit got no answer are read again when the server is back", async () => {
  api.post = async () => { throw new ApiError(0, { kind: "unreachable", message: "no answer" }); };
  /** @type {any[]} */
  const events = [];
  const stop = on("server:photos", (event) => events.push(event));
  await edit({ do: "favorite", target: { photos: ["p1"] }, on: true });
  await edit({ do: "title", photo: "p2", text: "A tree" });
  emit("connection", { online: false });
  assert.deepEqual(events, []);
  emit("connection", { online: true });
  emit("connection", { online: true });
  stop();
  assert.deepEqual(events, [{ ids: ["p1", "p2"], session: null }]);
});
