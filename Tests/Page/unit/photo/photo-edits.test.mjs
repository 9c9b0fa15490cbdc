import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { page } from "../browser.mjs";

const { api } = await import(new URL("data/api.js", page).href);
const { saveSetting } = await import(new URL("common/dom.js", page).href);
const { PhotoEdits } = await import(new URL("photo/photo-edits.js", page).href);

window.setTimeout = () => 0;
/** @type {any[]} */
let sent;
let steps;
let photo = "p1";
/** @type {any[]} */
let classes;

const edits = new PhotoEdits({
  photo: () => photo, detail: () => ({ photo: { id: photo }, classes, version: "v1" }), reload: async () => {},
  goOn: () => { steps += 1; photo = "p2"; },
});

beforeEach(() => {
  [sent, steps, photo] = [[], 0, "p1"];
  saveSetting("advance", true);
  classes = [{ class: "oak", state: "predicted", confidence: 0.8, mine: null },
    { class: "elm", state: "confirmed", confidence: 0.7, mine: "present" }];
  api.post = async (/** @type {string} */ _, /** @type {any} */ body) => {
    sent.push(body);
    return { action: "a1", photos: [] };
  };
});

/** Lets the edits that were started end. */
const settle = () => new Promise((resolve) => { setImmediate(resolve); });

test("a label by key is about the open photo, and the next one opens", async () => {
  edits.label("oak", "absent");
  assert.equal(steps, 1);
  await settle();
  assert.deepEqual(sent, [{ do: "label", classes: ["oak"], verdict: "absent", target: { photos: ["p1"] } }]);
});

test("accept, reject and withdraw go on to the next photo", async () => {
  for (const action of ["accept", "reject", "withdraw"]) {
    photo = "p1";
    edits.judge(action);
    await settle();
  }
  assert.equal(steps, 3);
  assert.deepEqual(sent.map((body) => [body.do, body.class, body.target.photos[0]]),
    [["accept", "oak", "p1"], ["reject", "oak", "p1"], ["withdraw", "elm", "p1"]]);
});

test("the photo stays when going on is turned off, or when there is nothing to judge", () => {
  saveSetting("advance", false);
  edits.label("oak", "present");
  saveSetting("advance", true);
  classes = [];
  edits.judge("accept");
  edits.judge("withdraw");
  assert.equal(steps, 0);
});

test("a title that is saved while the photo is closed expects the version that was seen", async () => {
  /** @type {string|null} */
  let open = "p1";
  const closing = new PhotoEdits({
    photo: () => open, detail: () => (open ? { photo: { id: open }, classes, version: "v7" } : null),
    reload: async () => {}, goOn: () => {},
  });
  const saved = closing.send({ do: "title", text: "A tree" });
  assert.equal(closing.pending, 1);
  open = null;
  await saved;
  assert.deepEqual(sent, [{ do: "title", text: "A tree", photo: "p1", expect: "v7" }]);
  assert.equal(closing.pending, 0);
});
