import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

globalThis.CSS = { escape: (text) => text };
const { CairnSync } = await import(new URL("sync/sync.js", page).href);
const { api } = await import(new URL("data/api.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

test("after a commit, when nothing is left to commit, the view has the focus", () => {
  const view = Object.assign(new CairnSync(), { focused: 0, focus() { this.focused += 1; } });
  const button = Object.assign(new HTMLElement(), { dataset: { tool: "commit" }, disabled: true });
  Object.assign(view.state, { removeAttribute() {}, contains: () => true, querySelector: () => button });
  document.activeElement = button;
  view.paint({
    name: "walk", branch: "main", commit: null, operation: null, uncommitted: 0, problems: [], upstream: null,
    remotes: [], images: { here: 1, missing: 0 },
  }, null);
  assert.equal(view.focused, 1);
  document.activeElement = null;
});

test("after a sync, the button that started it has the focus again", async () => {
  const view = new CairnSync();
  /** @type {string[]} */
  const focused = [];
  const button = Object.assign(new HTMLElement(), { dataset: { tool: "sync" }, focus() { focused.push("sync"); } });
  Object.assign(view.state, {
    removeAttribute() {}, contains: (element) => element === button,
    querySelectorAll: () => [button],
    // Painting again turns it on.
    querySelector: (selector) => selector.includes("sync") ? Object.assign(button, { disabled: false }) : null,
  });
  view.outcome.replaceChildren = () => {};
  view.showOutcome = () => {};
  store.update({ session: { readOnly: false } });
  api.get = async () => ({
    name: "walk", branch: "main", commit: null, operation: null, uncommitted: 0, problems: [], upstream: null,
    remotes: [{ name: "origin", address: "x", ahead: 0, behind: 0 }], images: { here: 1, missing: 0 },
  });
  document.activeElement = button;
  // The browser takes the focus from a button that is turned off.
  view.progress.run = async () => { document.activeElement = document.body; return { state: "done" }; };
  await view.follow(Promise.resolve({ job: "j1" }));
  assert.deepEqual(focused, ["sync"]);
  // What the person focused meanwhile keeps the focus.
  document.activeElement = button;
  view.progress.run = async () => { document.activeElement = new HTMLElement(); return { state: "done" }; };
  await view.follow(Promise.resolve({ job: "j2" }));
  assert.deepEqual(focused, ["sync"]);
});
