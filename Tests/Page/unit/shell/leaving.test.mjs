import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { warnWhile } = await import(new URL("shell/leaving.js", page).href);

test("the browser asks before it closes a page with something that is not saved", () => {
  let left = 0;
  warnWhile(() => false);
  warnWhile(() => left > 0);
  const asks = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  assert.equal(asks(), false);
  left = 1;
  assert.equal(asks(), true);
});
