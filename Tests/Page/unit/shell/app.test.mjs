import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { App } = await import(new URL("shell/app.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

test("the title of the window names the view, or the photo once it is read", () => {
  store.update({ session: { dataset: { name: "Oaks" } } });
  const app = Object.assign(new App(), { shown: "review" });
  app.paintTitle();
  assert.equal(document.title, "Review · Oaks – cairn");
  location.hash = "#/photo/3fa9";
  app.shown = "photo";
  app.paintTitle();
  assert.equal(document.title, "Photo · Oaks – cairn");
  store.rows.set("3fa9", { id: "3fa9", name: "By the mill" });
  app.paintTitle();
  assert.equal(document.title, "By the mill · Oaks – cairn");
});
