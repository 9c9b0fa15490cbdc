// @ts-check
/** @file Edits of the open photo, sent one after the other. */

import { edit, pickClass } from "../edits/actions.js";
import { classKeys } from "../edits/label-bar.js";
import { toast } from "../common/dialog.js";
import { announce } from "../common/dom.js";
import { className } from "../common/format.js";
import { store } from "../data/store.js";
import { t } from "../strings/strings.js";

/** @typedef {import("../data/types.js").Detail} Detail */

/** Edits that name one photo instead of a target, and those that expect its version. */
const SINGLE = ["title", "caption", "box", "moveBox", "removeBox"];
const VERSIONED = ["title", "caption", "moveBox"];

export class PhotoEdits {
  /** @type {Promise<unknown>} */
  #edits = Promise.resolve();

  /**
   * @param {{photo: () => string|null, detail: () => Detail|null, reload: (id: string) => Promise<void>}} options
   *   `reload` reads the photo again after an edit
   */
  constructor({ photo, detail, reload }) {
    this.photo = photo;
    this.detail = detail;
    this.reload = reload;
  }

  /**
   * Sends an edit, with the version that the one before left.
   * @param {Record<string, any>} body without its target
   * @returns {Promise<any>} the server's answer, or null
   */
  send(body) {
    const id = this.photo();
    if (!id || store.session?.readOnly) return Promise.resolve(null);
    const result = this.#edits.then(async () => {
      const detail = this.detail();
      const versioned = VERSIONED.includes(body.do) && detail?.photo.id === id;
      const answer = await edit({
        ...body, ...(SINGLE.includes(body.do) ? { photo: id } : { target: { photos: [id] } }),
        ...(versioned && { expect: detail?.version }),
      });
      if (this.photo() === id) await this.reload(id);
      return answer;
    });
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

  /** @param {string} key @param {"present"|"absent"} verdict */
  labelByKey(key, verdict) {
    const name = classKeys.classOf(key);
    if (!name || !this.detail()) return false;
    announce(className(name));
    this.send({ do: "label", classes: [name], verdict });
  }

  /**
   * Accepts or rejects the strongest prediction.
   * @param {"accept"|"reject"} action
   */
  judge(action) {
    const predicted = this.detail()?.classes.find(({ state, confidence }) =>
      confidence > 0 && (state === "predicted" || state === "disputed"));
    if (!predicted) return toast(t("photo.noPrediction"));
    const verdict = action === "accept" ? "present" : "absent";
    this.send(predicted.state === "predicted" ? { do: action, class: predicted.class }
      : { do: "label", classes: [predicted.class], verdict });
  }
}
