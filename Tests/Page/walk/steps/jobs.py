"""Jobs: their progress, and Cancel."""

import re

from playwright.sync_api import expect

from browser import LONG_TIMEOUT, Tab
from dataset import add_net
from grid_page import Grid
from walk import step

# Presses Cancel as soon as the bar has moved: a fast computer would otherwise be done before.
CANCEL = """() => new Promise((done) => {
  const look = () => {
    const bar = document.querySelector(".jobs progress");
    if (!(bar?.value > 0)) return requestAnimationFrame(look);
    const seen = { done: bar.value, total: bar.max };
    bar.closest(".job").querySelector("button").click();
    done(seen);
  };
  look();
})"""


@step("2 jobs: a bulk edit shows its progress, is canceled, and undone as far as it got", tags=("chromium", "many"))
def cancels(walk):
    server = walk.start(walk.many)
    tab = Tab(walk.browser, server).open()
    try:
        grid, page = Grid(tab.page), tab.page
        count = walk.many.count()
        grid.expect_count(count)
        grid.expect_pictures(30)
        grid.focus(1)
        page.keyboard.press("Control+a")
        page.keyboard.press("c")
        page.get_by_role("dialog", name="Label with which class?").get_by_role("combobox").fill("gale")
        page.keyboard.press("Enter")
        page.get_by_role("dialog", name=re.compile("Create")).get_by_role("button", name="Create").click()
        page.get_by_role("button", name=re.compile("^Change")).click()
        seen = page.evaluate(CANCEL)
        assert 0 < seen["done"] < seen["total"] == count, seen
        # It stops after the photos that it was at, and says after how many.
        toast = grid.messages.get_by_text(re.compile(r"canceled after [\d,]+$"))
        expect(toast).to_be_visible(timeout=LONG_TIMEOUT)
        expect(page.get_by_role("region", name="Running jobs")).to_be_hidden()
        walk.shot("canceled", page)
        changed = int(re.search(r"([\d,]+)$", toast.inner_text())[1].replace(",", ""))
        assert seen["done"] <= changed < count, f"{seen}, {changed}"
        assert walk.many.count("label:gale") == changed
        # The grid shows what is in the documents.
        expect(page.locator(".cell.pending:not([hidden])")).to_have_count(0)
        grid.search("label:gale")
        grid.expect_count(changed)
        expect(grid.cell(1)).to_have_accessible_name(re.compile("gale"))
        page.get_by_role("banner").get_by_role("button", name="Undo").click()
        expect(grid.cell(1)).not_to_have_accessible_name(re.compile("gale"), timeout=LONG_TIMEOUT)
        assert walk.many.count("label:gale") == 0
        assert not tab.take_problems()
    finally:
        tab.close()
        server.stop()


@step("7 jobs: predictions show their progress, are canceled, and keep what was done")
def cancels_predictions(walk):
    page, panel = walk.page, walk.page.get_by_role("tabpanel", name="Predict")
    # The labeler answers twice, and then no more.
    add_net(walk.ann, "slow", "slow", "2")
    try:
        # The view reads the labelers when it is shown.
        walk.tab.go("grid")
        expect(page.locator("cairn-grid")).to_be_visible()
        walk.tab.go("models?tab=predict")
        page.get_by_role("combobox", name="Labeler").select_option("slow")
        count = walk.ann.count("pin:Loch")
        page.get_by_role("textbox", name="Photos that match").fill("pin:Loch")
        expect(panel.get_by_text(f"{count} photos", exact=True)).to_be_visible()
        page.get_by_role("button", name="Predict", exact=True).click()
        progress = panel.locator(".job-progress")
        expect(progress).to_contain_text(f"2 of {count}", timeout=LONG_TIMEOUT)
        expect(progress.get_by_role("progressbar")).to_have_js_property("value", 2)
        expect(page.get_by_role("region", name="Running jobs")).to_contain_text("Predictions by slow")
        walk.shot("predicting")
        progress.get_by_role("button", name="Cancel").click()
        outcome = panel.get_by_text(re.compile(r"on 2 photos\. .*Canceled; the predictions made so far are kept\."))
        expect(outcome).to_be_visible(timeout=LONG_TIMEOUT)
        expect(progress).to_be_hidden()
        expect(page.get_by_role("region", name="Running jobs")).to_be_hidden()
        walk.shot("predicting-canceled")
        assert walk.ann.count("model:net@slow") == 2
        walk.ann.cairn("verify")
    finally:
        walk.ann.cairn("labeler", "remove", "slow")
