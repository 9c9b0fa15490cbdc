import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { api } = await import(new URL("data/api.js", page).href);
const { emit, store } = await import(new URL("data/store.js", page).href);
const { jobTray } = await import(new URL("shell/job-tray.js", page).href);

globalThis.CSS = { escape: (name) => name };
// Messages stay.
window.setTimeout = () => 0;

const job = (/** @type {string} */ name, state = "running") =>
  ({ job: name, kind: "edit", text: "Oak on 3 photos", state, done: 1, total: 3, step: "", result: null, error: null });

test("after a restart of the server, jobs that it does not have are gone", async () => {
  jobTray();
  emit("server:job", job("j5"));
  emit("server:job", job("j6"));
  let answered = Promise.resolve();
  api.get = (/** @type {string} */ path) => {
    assert.equal(path, "/api/jobs");
    // It ends while the list is on its way.
    emit("server:job", job("j6", "done"));
    answered = Promise.resolve({ jobs: [job("j6"), job("j7")] });
    return answered;
  };
  emit("server:reset");
  await answered;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...store.jobs.values()].map(({ job: name, state }) => [name, state]),
    [["j6", "done"], ["j7", "running"]]);
});

test("tells how a job ended, unless the open view shows its progress", () => {
  let told = 0;
  window.setTimeout = () => { told += 1; };
  let followed = null;
  document.querySelector = (selector) => selector.includes(`"${followed}"`) ? { getClientRects: () => [{}] } : null;
  for (const [name, kind, state, follows, count] of [
    ["j20", "fetch", "done", false, 1], ["j21", "fetch", "done", true, 0], ["j22", "fetch", "failed", true, 1],
    ["j23", "edit", "done", false, 0],
  ]) {
    told = 0;
    followed = follows ? name : null;
    emit("server:job", { ...job(name, state), kind });
    assert.equal(told, count, name);
  }
  document.querySelector = () => null;
});
