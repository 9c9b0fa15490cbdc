"""Point 4: the review."""

import re

from playwright.sync_api import expect

from steps.grid import ids
from walk import step


class Review:
    def __init__(self, page):
        self.page = page
        self.view = page.locator("cairn-review")
        self.panel = page.get_by_role("region", name="Question", exact=True)
        self.question = self.panel.get_by_role("heading", level=2)
        self.place = self.view.locator(".review-place")

    def name(self):
        return self.panel.locator(".review-name").inner_text()

    def expect_shown(self):
        """Waits until the photo of the question is decoded."""
        self.page.wait_for_function(
            """() => document.querySelector("cairn-review .picture canvas")?.width > 0""")

    def options(self):
        return [text.strip() for text in self.panel.locator(".option-name").all_inner_texts()]

    def press(self, key):
        """Answers, and waits until the answer is saved and another question is shown."""
        before = self.place.inner_text()
        with self.page.expect_response(lambda one: "/answers" in one.url and one.ok):
            self.page.keyboard.press(key)
        expect(self.place).not_to_have_text(before)


def suggested(review):
    """Returns the class that the question is about, as `Which tree is it?` suggests it."""
    text = review.panel.inner_text()
    match = re.search(r"Suggested: (\w+)", text) or re.search(r"Is this (\w+)\?", text)
    return match[1]


@step("4 review: accept, reject, choose, skip and correct")
def answers(walk):
    walk.tab.go("review")
    review, names = Review(walk.page), ids(walk)
    expect(review.question).to_be_visible()
    review.expect_shown()
    expect(walk.page).to_have_title(re.compile("^Review · .+ – cairn$"))
    walk.shot("review")
    expect(review.place).to_have_text(re.compile(r"^1 of \d+"))
    accepted, about = names[review.name()], suggested(review)
    review.press("a")
    assert walk.ann.verdict(accepted, about) == "present"
    rejected, about = names[review.name()], suggested(review)
    review.press("r")
    assert walk.ann.verdict(rejected, about) == "absent"
    skipped, about = names[review.name()], suggested(review)
    before = walk.ann.verdict(skipped, about)
    review.press("s")
    assert walk.ann.verdict(skipped, about) == before
    # One question settles an exclusive set.
    expect(review.question).to_have_text("Which tree is it?")
    chosen, options = names[review.name()], review.options()
    about = suggested(review)
    other = next(number for number, name in enumerate(options, 1) if name != about)
    review.press(str(other))
    assert walk.ann.verdict(chosen, options[other - 1]) == "present"
    assert walk.ann.state(chosen, about) == "rejected", walk.ann.show(chosen)["resolution"]
    corrected = names[review.name()]
    walk.page.keyboard.press("f")
    expect(review.panel.get_by_role("button", name="Favorite")).to_have_attribute("aria-pressed", "true")
    walk.page.keyboard.press("c")
    dialog = walk.page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("oak")
    with walk.page.expect_response(lambda one: "/answers" in one.url and one.ok):
        dialog.get_by_role("combobox").press("Enter")
    expect(review.panel.locator(".review-name")).to_be_visible()
    assert walk.ann.verdict(corrected, "oak") == "present"
    assert corrected in walk.ann.find("is:favorite")
    expect(review.view.locator(".review-speed")).to_have_text(re.compile(r"\d+ decided · \d+ per minute"))


@step("4 review: undo, also after the page was opened again")
def undo(walk):
    walk.tab.go("review")
    review, names = Review(walk.page), ids(walk)
    expect(review.question).to_be_visible()
    answered = []
    for key in "ar":
        photo, about = names[review.name()], suggested(review)
        answered.append((photo, about, walk.ann.verdict(photo, about)))
        review.press(key)
    photo, about, before = answered.pop()
    walk.page.keyboard.press("u")
    expect(review.panel).to_contain_text("Asked again.")
    assert names[review.name()] == photo
    assert walk.ann.verdict(photo, about) in (before, "withdrawn" if before is None else before)
    walk.page.reload()
    expect(review.question).to_be_visible()
    photo, about, before = answered.pop()
    walk.page.keyboard.press("u")
    expect(walk.page.get_by_role("region", name="Messages")).to_contain_text("Undone")
    assert walk.ann.verdict(photo, about) in (before, "withdrawn" if before is None else before)


@step("4 review: what is it? for photos that nobody labeled")
def unlabeled(walk):
    walk.tab.go("review")
    review, names = Review(walk.page), ids(walk)
    count = walk.ann.count("is:unlabeled")
    walk.page.get_by_role("combobox", name="What to review").select_option(label="Unlabeled photos")
    expect(review.question).to_have_text("What is it?")
    expect(review.place).to_have_text(f"1 of {count}")
    review.expect_shown()
    photo, options = names[review.name()], review.options()
    walk.shot("review-unlabeled")
    review.press("2")
    assert walk.ann.verdict(photo, options[1]) == "present"
    assert walk.ann.count("is:unlabeled") == count - 1
    photo = names[review.name()]
    walk.page.keyboard.press("o")
    expect(walk.page).to_have_url(re.compile(f"#/photo/{photo}"))
    walk.page.go_back()
    expect(review.question).to_be_visible()


# Notes each frame in which the photo of the question is not painted, decoded, from now on.
WATCH = """() => {
  const view = document.querySelector("cairn-review");
  window.watched = { frames: 0, late: 0 };
  const look = () => {
    watched.frames += 1;
    const { photo } = view.querySelector(".picture").dataset;
    const question = view.stage.row?.id;
    if (photo !== question || !(view.querySelector(".picture canvas")?.width > 0)) watched.late += 1;
    if (!watched.stop) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
# Whether the next three photos are decoded, too.
AHEAD = """() => {
  const { images, row } = document.querySelector("cairn-review").stage;
  const asked = performance.getEntriesByType("resource")
    .map(({ name }) => /photos\\/([0-9a-f]{64})\\/preview/.exec(name)?.[1]);
  return [...new Set(asked)].filter((id) => id && id !== row?.id && images.get(id)).length >= 3;
}"""


@step("4 review: the next photo is decoded before its question; reasons, and the list of keys")
def ahead(walk):
    page = walk.page
    walk.tab.go("grid")
    expect(page.locator("cairn-grid")).to_be_visible()
    # The browser lists a limited number of requests of a page.
    page.evaluate("performance.clearResourceTimings()")
    walk.tab.go("review")
    review = Review(page)
    expect(review.question).to_be_visible()
    review.expect_shown()
    page.wait_for_function(AHEAD)
    page.evaluate(WATCH)
    for _ in range(3):
        shown = review.name()
        page.keyboard.press("s")
        expect(review.panel.locator(".review-name")).not_to_have_text(shown)
        page.wait_for_function(AHEAD)
    watched = page.evaluate("() => { watched.stop = true; return watched; }")
    assert watched["late"] == 0, f"the photo of the question was missing in {watched['late']} of {watched['frames']} frames"
    for reason, label in [("unsure", "Model is unsure"), ("disputed", "People disagree")]:
        count = len(walk.ann.json("review", "--reason", reason, "--limit", "1000"))
        page.get_by_role("combobox", name="Reason").select_option(label=label)
        expect(review.place).to_have_text(f"1 of {count}" if count else "0 of 0")
    page.get_by_role("combobox", name="Reason").select_option(label="All reasons")
    expect(review.question).to_be_visible()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    for name in ["Accept", "Reject", "Skip"]:
        expect(keys.get_by_text(name, exact=True)).not_to_have_count(0)
    page.keyboard.press("Escape")
