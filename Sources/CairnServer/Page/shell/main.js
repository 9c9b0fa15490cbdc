// @ts-check
/** @file Starts the page. */

import { api, ApiError } from "../data/api.js";
import { loadClasses } from "./app.js";
import { openEarly } from "../data/current-set.js";
import { $, clear, h } from "../common/dom.js";
import { errorText } from "../edits/actions.js";
import { connectEvents } from "../data/events.js";
import { current, startRouter } from "./router.js";
import { store } from "../data/store.js";
import { t } from "../strings/strings.js";
import "../add/drop.js";
import "./help.js";
import "./theme.js";

/** @typedef {import("../data/types.js").Session} Session */

async function start() {
  const place = /** @type {HTMLElement} */ ($("#cairn"));
  try {
    /** @type {[Session, ...void[]]} */
    const [session] = await Promise.all([
      api.get("/api/session"), loadClasses(), openEarly(current().params),
    ]);
    store.update({ session });
    clear(place).append(h("cairn-app"));
    startRouter();
    connectEvents();
  } catch (error) {
    const expired = error instanceof ApiError && error.status === 401;
    clear(place).append(h("main", { class: "start-problem" },
      h("h1", null, t(expired ? "main.expired" : "main.failed")),
      h("p", null, expired ? t("main.expiredHint") : errorText(error)),
      h("button", { type: "button", class: "primary", onclick: () => location.reload() },
        t("main.again"))));
  }
}

start();
