// @ts-check
/** @file `<cairn-models>`: labelers and their runs, training, how good models are, how far people agree. */

import { h } from "../common/dom.js";
import { AgreementPanel } from "./model-agreement.js";
import { MetricsPanel } from "./model-metrics.js";
import { RunsPanel } from "./model-runs.js";
import { TrainingPanel } from "./model-training.js";
import { navigate } from "../shell/router.js";
import { on } from "../data/store.js";
import { t } from "../strings/strings.js";

const TABS = /** @type {const} */ (["predict", "train", "evaluate", "agreement"]);
/** Milliseconds from a label to the figures that count it: others may be labeling quickly. */
const FIGURES_PAUSE = 2000;

export class CairnModels extends HTMLElement {
  visible = false;
  /** Whether people have labeled since the figures were read. */
  isStale = false;
  isFollowing = false;
  /** @type {typeof TABS[number]} */
  tab = "predict";
  panels = {
    predict: new RunsPanel(), train: new TrainingPanel((name) => this.predict(name)),
    evaluate: new MetricsPanel(), agreement: new AgreementPanel(),
  };
  buttons = TABS.map((name) => h("button", {
    type: "button", role: "tab", id: `models-tab-${name}`, "aria-controls": `models-${name}`,
    onclick: () => this.choose(name),
  }, t(`models.tab.${name}`)));

  connectedCallback() {
    if (this.firstChild) return;
    const list = h("div", {
      class: "page-tabs", role: "tablist", "aria-label": t("models.name"),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    }, this.buttons);
    this.append(h("div", { class: "page-column" }, list, TABS.map((name) => {
      const { element } = this.panels[name];
      element.id = `models-${name}`;
      element.tabIndex = -1;
      element.setAttribute("role", "tabpanel");
      element.setAttribute("aria-labelledby", `models-tab-${name}`);
      return element;
    })));
    on("server:runs", () => this.refresh());
    on("server:reset", () => this.refresh());
    on("undone", () => this.refresh());
    on("server:photos", () => this.follow());
  }

  /** @param {Record<string, string>} params */
  show(params) {
    this.visible = true;
    this.tab = TABS.find((name) => name === params.tab) ?? "predict";
    TABS.forEach((name, index) => {
      const chosen = name === this.tab;
      this.buttons[index].setAttribute("aria-selected", String(chosen));
      this.buttons[index].tabIndex = chosen ? 0 : -1;
      this.panels[name].element.hidden = !chosen;
    });
    this.panels[this.tab].show();
  }

  hide() { this.visible = false; }

  async refresh() {
    if (this.visible) await this.panels[this.tab].show();
  }

  /** Has the figures follow the labels, one request after the other. */
  async follow() {
    this.isStale = true;
    if (this.isFollowing) return;
    this.isFollowing = true;
    try {
      while (this.isStale) {
        await new Promise((resolve) => { window.setTimeout(resolve, FIGURES_PAUSE); });
        // Nobody sees them now.
        if (document.hidden) await new Promise((resolve) => {
          document.addEventListener("visibilitychange", resolve, { once: true });
        });
        this.isStale = false;
        if (["evaluate", "agreement"].includes(this.tab)) await this.refresh();
      }
    } finally {
      this.isFollowing = false;
    }
  }

  /** @param {typeof TABS[number]} name */
  choose(name) {
    navigate("models", { tab: name === "predict" ? null : name });
    this.buttons[TABS.indexOf(name)].focus();
  }

  /**
   * Opens the predictions, by a labeler.
   * @param {string} name
   */
  predict(name) {
    this.panels.predict.wanted = name;
    this.choose("predict");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.choose(TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length]);
  }
}

customElements.define("cairn-models", CairnModels);
