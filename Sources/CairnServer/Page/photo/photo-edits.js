// @ts-check
/** @file Edits of the open photo, sent one after the other. */

import { edit, pickClass } from "../edits/actions.js";
import { toast } from "../common/dialog.js";
import { announce, setting } from "../common/dom.js";
import { className } from "../common/format.js";
import { judged, judgement } from "../common/states.js";
import { store } from "../data/store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Detail} Detail */

/** Edits that name one photo instead of a target, and those that expect its version. */
const SINGLE = ["title", "caption", "box", "moveBox", "removeBox"];
const VERSIONED = ["title", "caption", "moveBox"];

export class PhotoEdits {
  /** @type {Promise<unknown>} */
  #edits = Promise.resolve();
  /** Edits that are not on the server's disk yet. */
  pending = 0;

  /**
   * @param {{photo: () => string|null, detail: () => Detail|null, reload: (id: string) => Promise<void>,
   *   goOn: () => void}} options `reload` reads the photo again after an edit, `goOn` opens the next one
   */
  constructor({ photo, detail, reload, goOn }) {
    this.photo = photo;
    this.detail = detail;
    this.reload = reload;
    this.goOn = goOn;
  }

  /**
   * Sends an edit, with the version that the one before left.
   * @param {Record<string, any>} body without its target
   * @returns {Promise<any>} the server's answer, or null
   */
  send(body) {
    const id = this.photo();
    if (!id || store.session?.readOnly) return Promise.resolve(null);
    // What the person saw, should the photo be closed before its turn comes.
    const seen = this.pending === 0 ? this.detail() : null;
    this.pending += 1;
    const result = this.#edits.then(async () => {
      const now = this.detail();
      const detail = now?.photo.id === id ? now : seen;
      const versioned = VERSIONED.includes(body.do) && detail?.photo.id === id;
      const answer = await edit({
        ...body, ...(SINGLE.includes(body.do) ? { photo: id } : { target: { photos: [id] } }),
        ...(versioned && { expect: detail?.version }),
      });
      if (this.photo() === id) await this.reload(id);
      return answer;
    }).finally(() => { this.pending -= 1; });
    this.#edits = result.catch(() => {});
    return result;
  }

  /** @param {"present"|"absent"} [verdict] */
  async typeClass(verdict = "present") {
    const id = this.photo();
    const near = this.detail()?.classes.map((entry) => entry.class) ?? [];
    const name = await pickClass({ title: t("photo.typeClass"), near });
    if (name && id === this.photo()) this.send({ do: "label", classes: [name], verdict });
  }

  /**
   * Labels the photo and goes on to the next.
   * @param {string} name of the class
   * @param {"present"|"absent"} verdict
   */
  label(name, verdict) {
    if (!this.photo()) return false;
    announce(className(name));
    this.#sendAndGoOn({ do: "label", classes: [name], verdict });
  }

  /**
   * Accepts, rejects or withdraws the strongest class, and goes on to the next photo.
   * @param {import("../common/states.js").Judgement} action
   */
  judge(action) {
    const row = store.rows.get(this.photo() ?? "");
    const found = judged(this.detail()?.classes ?? row?.classes ?? [], action);
    if (found) return this.#sendAndGoOn(judgement(found, action));
    toast(t(action === "withdraw" ? "label-bar.withdrawNone" : "photo.noPrediction"));
  }

  /** @param {Record<string, any>} body */
  #sendAndGoOn(body) {
    if (store.session?.readOnly) return;
    this.send(body);
    if (setting("advance", true)) this.goOn();
  }
}
