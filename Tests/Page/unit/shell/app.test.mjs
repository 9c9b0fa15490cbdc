import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { App } = await import(new URL("shell/app.js", page).href);
const { store } = await import(new URL("data/store.js", page).href);

/** Returns a view that notes that it gets the focus. */
const view = (...elements) => ({
  elements, scrollTop: 0, focused: 0, focus() { this.focused += 1; }, contains(one) { return this.elements.includes(one); },
});

test("a focus in the view before goes to the one that is opened, one elsewhere stays", () => {
  const [button, link] = [new HTMLElement(), new HTMLElement()];
  const [grid, table] = [view(button), view()];
  const app = Object.assign(new App(), { shown: "grid" });
  app.views.set("grid", grid).set("table", table);
  document.activeElement = button;
  app.swap("table", table);
  assert.deepEqual([grid.hidden, table.hidden, table.focused], [true, false, 1]);
  document.activeElement = link;
  app.swap("grid", grid);
  assert.equal(grid.focused, 0);
  document.activeElement = null;
});

test("after a photo, the focus is where it was in the view", () => {
  const button = Object.assign(new HTMLElement(), { focused: 0, focus() { this.focused += 1; } });
  const [grid, photo] = [view(button), view()];
  const app = Object.assign(new App(), { shown: "grid" });
  app.views.set("grid", grid).set("photo", photo);
  document.activeElement = button;
  app.swap("photo", photo);
  document.activeElement = document.body;
  app.swap("grid", grid);
  assert.deepEqual([photo.focused, button.focused, grid.focused], [1, 1, 0]);
  document.activeElement = null;
});

test("the title of the window names the view, or the photo once it is read", () => {
  store.update({ session: { dataset: { name: "Oaks" } } });
  const app = new App();
  document.title = "cairn";
  app.paintTitle();
  assert.equal(document.title, "cairn");
  app.shown = "review";
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
