// @ts-check
/** @file Starts the page. */

import { api, ApiError } from "./api.js";
import { $, clear, h } from "./dom.js";
import { connectEvents } from "./events.js";
import { startRouter } from "./router.js";
import { store } from "./store.js";
import { t } from "./strings.js";
import { loadClasses } from "./app.js";
import "./help.js";
import "./theme.js";

/** @typedef {import("./types.js").Session} Session */

async function start() {
  const place = /** @type {HTMLElement} */ ($("#cairn"));
  try {
    const classes = loadClasses();
    /** @type {Session} */
    const session = await api.get("/api/session");
    store.update({ session });
    document.title = `${session.dataset.name} · cairn`;
    clear(place).append(h("cairn-app"));
    startRouter();
    connectEvents();
    await classes;
  } catch (error) {
    const expired = error instanceof ApiError && error.status === 401;
    clear(place).append(h("main", { class: "start-problem" },
      h("h1", null, t(expired ? "main.expired" : "main.failed")),
      h("p", null, expired ? t("main.expiredHint") : String(error)),
      h("button", { type: "button", class: "primary", onclick: () => location.reload() },
        t("main.again"))));
  }
}

start();
