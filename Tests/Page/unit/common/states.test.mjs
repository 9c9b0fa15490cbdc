import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { isLikely, judged, judgement, shownOnThumbnail } = await import(new URL("common/states.js", page).href);

const confirmed = { class: "oak", state: "confirmed", confidence: 1, mine: null };
const predicted = { class: "elm", state: "predicted", confidence: 0.6, mine: null };
const rejected = { class: "ash", state: "rejected", confidence: 1, mine: null };
const mine = { class: "fir", state: "rejected", confidence: 1, mine: "absent" };

test("a rejected class is not likely, however sure the rejection", () => {
  assert.deepEqual([confirmed, predicted, rejected, mine].map(isLikely), [true, true, false, false]);
  assert.equal(isLikely({ state: null, confidence: 0 }), false);
  assert.equal(isLikely({ state: "open", confidence: 1 }), false);
});

test("a thumbnail shows rejected classes only if I rejected them, after the others", () => {
  assert.deepEqual(shownOnThumbnail([mine, rejected, confirmed, predicted]).map((one) => one.class),
    ["oak", "elm", "fir"]);
});

test("accept and reject are about the strongest class that is predicted or disputed", () => {
  const disputed = { class: "yew", state: "disputed", confidence: 0.5, mine: "present" };
  assert.equal(judged([confirmed, predicted, disputed], "accept"), predicted);
  assert.equal(judged([confirmed, disputed, rejected], "reject"), disputed);
  assert.equal(judged([confirmed, rejected], "accept"), undefined);
  assert.equal(judged([confirmed, disputed, mine], "withdraw"), disputed);
  assert.deepEqual(judgement(predicted, "accept"), { do: "accept", class: "elm" });
  assert.deepEqual(judgement(disputed, "reject"), { do: "label", classes: ["yew"], verdict: "absent" });
  assert.deepEqual(judgement(disputed, "withdraw"), { do: "withdraw", class: "yew" });
});
