import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { emit, on } = await import(new URL("data/store.js", page).href);
const { thumbs } = await import(new URL("data/thumbs.js", page).href);

/** @type {string[]} */
let asked = [];
globalThis.fetch = async (/** @type {string} */ path) => {
  const ids = new URL(path, "http://page.test").searchParams.get("ids").split(",");
  asked.push(...ids);
  // Records without a picture: their images are not on the server's disk.
  const records = new Uint8Array(12 * ids.length);
  ids.forEach((_, index) => records.set([index % 256, index >> 8, 1], 12 * index));
  return new Response(records);
};

/** Resolves when `count` thumbnails have been read. */
const read = (count) => new Promise((resolve) => {
  const stop = on("thumb", () => {
    count -= 1;
    if (count > 0) return;
    stop();
    resolve(undefined);
  });
});

test("pictures that were missing are asked for again after a pull, not after a commit", async () => {
  const first = read(2);
  thumbs.want(["a", "b"]);
  await first;
  assert.deepEqual([thumbs.problem("a"), asked.splice(0).sort()], [1, ["a", "b"]]);
  thumbs.want(["a"]);
  emit("server:dataset", { reason: "commit" });
  const again = read(2);
  emit("server:dataset", { reason: "pull" });
  await again;
  assert.deepEqual(asked.splice(0).sort(), ["a", "b"]);
  const last = read(1);
  emit("server:photos", { ids: ["b", "c"] });
  await last;
  assert.deepEqual(asked, ["b"]);
});

test("says once when the pictures on the screen are loaded, not when others are", async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `on screen ${index}`);
  /** @type {number[]} */
  const shown = [];
  let loaded = 0;
  const stop = [on("thumb", () => { loaded += 1; }), on("thumbs-shown", () => { shown.push(loaded); })];
  thumbs.want(ids, { urgent: true });
  await new Promise((resolve) => on("thumbs-shown", resolve));
  const others = read(2);
  thumbs.want(["beside it", "beside it too"]);
  await others;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(shown, [120]);
  for (const end of stop) end();
});

test("asks for other pictures when those on the screen are loaded", async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `seen ${index}`);
  const fetchBefore = globalThis.fetch;
  let loaded = 0;
  /** @type {{count: number, loaded: number}[]} */
  const requests = [];
  globalThis.fetch = (/** @type {string} */ path) => {
    requests.push({ count: path.split(",").length, loaded });
    return fetchBefore(path);
  };
  const stop = on("thumb", () => { loaded += 1; });
  const all = read(63);
  thumbs.want(["below", "below too", "far below"]);
  thumbs.want(ids, { urgent: true });
  await all;
  assert.deepEqual(requests,
    [{ count: 50, loaded: 0 }, { count: 10, loaded: 0 }, { count: 3, loaded: 60 }]);
  stop();
  globalThis.fetch = fetchBefore;
});
