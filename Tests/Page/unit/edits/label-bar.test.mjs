import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

const { api } = await import(new URL("data/api.js", page).href);
const { selection } = await import(new URL("data/selection.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);
const { previewTitle } = await import(new URL("edits/actions.js", page).href);
const { judgeChosen, switchChosen } = await import(new URL("edits/label-bar.js", page).href);

// Messages stay.
window.setTimeout = () => 0;

/** @type {any[]} */
let posted = [];
/** Waits until all that was begun has gone as far as it can. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Selects two photos with these members. */
function select(members) {
  const rows = members.map((more, index) =>
    ({ id: `p${index}`, name: "", classes: [], favorite: false, removed: false, ...more }));
  store.rows = new Map(rows.map((row) => [row.id, row]));
  selection.all = null;
  selection.ids = new Set(store.rows.keys());
}

beforeEach(() => {
  posted = [];
  api.post = async (_path, body) => {
    posted.push(structuredClone(body));
    // All photos of the set are removed.
    return body.dryRun ? { photos: 3, changes: body.on ? 0 : 3, unchanged: 0, skipped: 0, reversals: 0 }
      : { action: "a1", changed: 1, photos: [] };
  };
});

test("classes of a selection are accepted as one action", async () => {
  const predicted = (key) => ({ class: key, state: "predicted", confidence: 0.9, mine: null });
  select([{ classes: [predicted("oak")] }, { classes: [{ ...predicted("elm"), state: "disputed" }] }]);
  await judgeChosen("accept");
  assert.deepEqual(posted, [{ edits: [
    { do: "accept", class: "oak", target: { photos: ["p0"] } },
    { do: "label", classes: ["elm"], verdict: "present", target: { photos: ["p1"] } },
  ] }]);
});

test("an edit that was declined is the last one", async () => {
  api.post = async (_path, body) => {
    posted.push(body);
    throw new DOMException("declined", "AbortError");
  };
  const predicted = (key) => ({ class: key, state: "predicted", confidence: 0.9, mine: null });
  select([{ classes: [predicted("oak")] }, { classes: [predicted("elm")] }]);
  await judgeChosen("accept");
  assert.equal(posted.length, 1);
});

test("all that match are restored if all of them are removed", async () => {
  selection.ids = new Set();
  selection.all = { set: "s5", except: new Set() };
  store.set = { set: "s5", query: "is:removed", sort: "id", descending: false, group: "none", count: 3 };
  switchChosen("remove");
  await settled();
  const target = { set: "s5", except: [] };
  assert.deepEqual(posted, [
    { do: "remove", target, on: true, dryRun: true }, { do: "remove", target, on: false, dryRun: true },
  ]);
});

test("selected photos are restored if all of them are removed", async () => {
  select([{ removed: true }, { removed: true }]);
  await switchChosen("remove");
  select([{ removed: true }, { removed: false }]);
  await switchChosen("remove");
  assert.deepEqual(posted.map(({ on }) => on), [false, true]);
});

test("the question about an edit says what it does", () => {
  const title = (body) => previewTitle({ target: { set: "s5" }, ...body }, 2);
  assert.equal(title({ do: "remove", on: true }), "Remove 2 photos?");
  assert.equal(title({ do: "remove", on: false }), "Restore 2 photos?");
  assert.equal(title({ do: "favorite", on: true }), "Mark 2 photos as favorites?");
  assert.equal(title({ do: "favorite", on: false }), "Remove 2 photos from your favorites?");
  assert.equal(title({ do: "label", classes: ["oak"] }), "Label 2 photos with oak?");
  assert.equal(title({ do: "label", classes: ["oak"], verdict: "absent" }), "Label 2 photos as not oak?");
  const edits = [{ do: "label", classes: ["oak"], verdict: "absent" }, { do: "reject", class: "elm" }];
  assert.equal(title({ edits }), "Reject oak, elm on 2 photos?");
});
