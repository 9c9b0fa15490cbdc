// @ts-check
/** @file The keys of the review: those of the terminal, and digits for classes. */

import { registerKeys } from "../shell/keys.js";
import { t } from "../strings/strings.js";

/** @typedef {import("./review-queue.js").Answer} Answer */

/** @param {import("./review.js").CairnReview} review */
export function registerReviewKeys(review) {
  /** @param {Answer["decision"]} decision */
  const answer = (decision) => () => review.answer({ decision });
  registerKeys("review", [
    { key: "a", label: t("review.accept"), run: answer("accept") },
    { key: "r", label: t("review.reject"), run: answer("reject") },
    { key: "c", label: t("review.correct"), run: () => { review.correct(); } },
    { key: "s", label: t("review.skip"), run: answer("skip") },
    { key: "u", label: t("review.undo"), run: () => { review.undo(); } },
    { key: "ctrl+z", run: () => { review.undo(); } },
    { key: "f", label: t("review.favorite"), run: () => { review.favorite(); } },
    { key: "o", label: t("review.open"), run: () => review.openPhoto() },
    ...[..."123456789"].map((key) => ({
      key, label: key === "1" ? t("review.option") : undefined,
      run: () => review.chooseOption(Number(key) - 1),
    })),
  ]);
}
