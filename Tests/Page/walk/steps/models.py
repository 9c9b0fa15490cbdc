"""Point 7: models."""

import re

from playwright.sync_api import expect

from browser import LONG_TIMEOUT, Tab
from grid_page import Grid
import photos
from walk import step


@step("7 models: predict on a query, withdraw and restore the run")
def predicts(walk):
    page = walk.page
    walk.tab.go("models?tab=predict")
    count = walk.ann.count("pin:Loch")
    page.get_by_role("textbox", name="Photos that match").fill("pin:Loch")
    expect(page.locator("cairn-models").get_by_text(f"{count} photos", exact=True)).to_be_visible()
    page.get_by_role("button", name="Predict", exact=True).click()
    outcome = page.get_by_text(re.compile(rf"\d+ labels? on {count} photos"))
    expect(outcome).to_be_visible(timeout=LONG_TIMEOUT)
    walk.shot("predicted")
    runs = walk.ann.json("run", "list")
    run = max(runs, key=lambda one: one["started"])
    assert walk.ann.count(f"run:{run['id']} pin:Loch") == count
    row = page.get_by_role("row", name=re.compile(run["id"][:8]))
    row.get_by_role("button", name=re.compile("^Withdraw")).click()
    expect(row).to_contain_text("withdrawn")
    assert is_withdrawn(walk, run["id"])
    row.get_by_role("button", name=re.compile("^Restore")).click()
    expect(row).to_contain_text("active")
    assert not is_withdrawn(walk, run["id"])


def is_withdrawn(walk, run):
    return next(one for one in walk.ann.json("run", "list") if one["id"] == run)["withdrawn"]


@step("7 models: train on labels, see figures, train again while people label, predict with the model")
def trains(walk):
    folder = walk.workspace.root / "trees-in"
    photos.make(folder, 39)
    walk.workspace.run(walk.workspace.cairn, "init", "trees")
    dataset = walk.workspace.dataset("trees")
    dataset.cairn("photo", "add", folder, "--quiet")
    files = {name: sorted(folder.glob(f"{name}-*.jpg")) for name in photos.TREES}
    for name in photos.TREES:
        dataset.cairn("label", *files[name][:12], name, "--create", "--quiet")
    dataset.cairn("class", "set", "tree", *photos.TREES)
    server = walk.start(dataset)
    tab = Tab(walk.browser, server).open()
    try:
        page = tab.page
        tab.go("models?tab=train")
        panel = page.get_by_role("tabpanel", name="Train")
        expect(panel.get_by_role("combobox", name="What to learn")).to_have_value("set tree")
        name = panel.get_by_role("textbox", name="Name of the model")
        expect(name).to_have_value("tree")
        name.fill("trees")
        panel.get_by_role("button", name="Train", exact=True).click()
        heading = panel.get_by_role("heading", name=re.compile(r"^trees@[0-9a-f]+$"))
        expect(heading).to_be_visible(timeout=LONG_TIMEOUT)
        expect(panel.get_by_role("img", name=re.compile("labels per class: macro F1"))).to_be_visible()
        expect(panel.get_by_role("table", name=re.compile("^Confusion of trees@"))).to_be_visible()
        models = panel.get_by_role("row", name=re.compile("^trees@"))
        expect(models).to_have_count(1)
        tab.check_accessibility("training")
        walk.shot("trained", page)
        runs = dataset.json("run", "list")
        assert [run["parameters"]["training"]["photos"] for run in runs] == [36], runs
        panel.get_by_role("button", name="Label what it is least sure about").click()
        Grid(page).expect_count(3)
        expect(page.get_by_role("button", name="Least sure: trees")).to_be_visible()
        tab.go("models?tab=train")
        # Everything is known, so the first training is that of before.
        panel.get_by_role("checkbox", name="Train again while people label").check()
        panel.get_by_role("spinbutton", name="Train again after this many photos").fill("3")
        panel.get_by_role("button", name="Train", exact=True).click()
        expect(panel.locator(".job-progress")).to_contain_text("waiting for labels", timeout=LONG_TIMEOUT)
        for tree in photos.TREES:
            dataset.cairn("label", files[tree][12], tree, "--quiet")
        expect(models).to_have_count(2, timeout=LONG_TIMEOUT)
        expect(panel.get_by_text(re.compile(r"^trees@[0-9a-f]+ learned from 39 photos\."))).to_be_visible()
        panel.get_by_role("button", name="Predict with this model").click()
        expect(page.get_by_role("combobox", name="Labeler")).to_have_value("trees")
        assert not tab.take_problems()
    finally:
        tab.close()
        server.stop()


@step("7 models: evaluation as figures; a cell of the matrix opens its photos")
def evaluates(walk):
    page = walk.page
    walk.tab.go("models?tab=evaluate")
    expect(page.get_by_role("heading", name="Confusion within tree")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Reliability"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Precision and recall"))).to_be_visible()
    walk.shot("evaluate")
    cell = page.get_by_role("button", name=re.compile(r"^(\w+), predicted as \1: [1-9]\d* photo")).first
    count = int(re.search(r"([\d,]+) photo", cell.get_attribute("aria-label"))[1].replace(",", ""))
    cell.click()
    Grid(page).expect_count(count)
    expect(page).to_have_url(re.compile("#/grid"))
    chip = page.get_by_role("button", name=re.compile(r"^(\w+) predicted as \1$"))
    expect(chip).to_be_visible()
    walk.shot("cell")
    page.reload()
    expect(chip).to_be_visible()
    Grid(page).expect_count(count)
    chip.click()
    Grid(page).expect_count(walk.ann.count())
    expect(chip).to_be_hidden()


@step("7 models: agreement of people, and their disagreements as a queue")
def agreement(walk):
    page = walk.page
    # Bob contradicts Ann: what she has decided since his other labels is not asked again.
    mine = next(photo for photo in walk.ann.find("label:pine by:ann -state:disputed")
                if walk.ann.verdict(photo, "pine") == "present")
    walk.bob.cairn("label", mine, "pine", "--absent", "--quiet")
    walk.bob.cairn("sync")
    walk.ann.cairn("pull")
    walk.tab.go("models?tab=agreement")
    disputed = walk.ann.count("state:disputed")
    heading = page.get_by_role("heading", name="People disagree on")
    expect(heading).to_contain_text(f"on {disputed} photo")
    # The view follows the labels of others, and keeps the focus.
    subject = page.get_by_role("tabpanel", name="Agreement").get_by_role("combobox")
    subject.focus()
    walk.ann.cairn("label", mine, "pine", "--absent", "--quiet")
    expect(heading).to_contain_text(f"on {disputed - 1} photo")
    expect(subject).to_be_focused()
    walk.ann.cairn("label", mine, "pine", "--quiet")
    expect(heading).to_contain_text(f"on {disputed} photo")
    expect(page.get_by_role("row", name=re.compile("ann.*bob|Ann.*bob"))).not_to_have_count(0)
    walk.shot("agreement")
    # A number of the matrix opens as many photos.
    cell = page.get_by_role("button", name=re.compile(r" differ on [1-9]\d* photo")).first
    differing = int(re.search(r"(\d+) photo", cell.get_attribute("aria-label"))[1])
    cell.click()
    expect(page).to_have_url(re.compile("#/grid"))
    Grid(page).expect_count(differing)
    walk.tab.go("models?tab=agreement")
    page.get_by_role("tabpanel", name="Agreement").get_by_role("link", name="Review", exact=True).click()
    expect(page.get_by_role("region", name="Question", exact=True)).to_contain_text("disagree")
    Grid(page).search("")
