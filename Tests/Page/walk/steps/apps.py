"""What the apps that cairn grew out of do, from a pin to a new collection."""

import re

from playwright.sync_api import expect

from browser import LONG_TIMEOUT
from steps.map import pins, show
from steps.photo import Photo
from walk import step

GLEN = "56.9,-5.3"


@step("apps: a pin, photos from Flickr, percentages, a correction, another photo, a new collection")
def flow(walk):
    page, view = walk.page, show(walk, f"{GLEN},11")
    x, y = view.middle()
    view.drop_pin(x, y)
    view.panel.get_by_role("button", name="Rename").click()
    name = page.get_by_role("dialog", name="Name of the pin").get_by_role("textbox")
    name.fill("Glen")
    name.press("Enter")
    expect(view.title).to_have_text("Glen")

    # A pin without photos offers to fetch some.
    fetch(view, 4)
    expect(view.panel.get_by_text("4 photos added.")).to_be_visible(timeout=LONG_TIMEOUT)
    expect(view.panel.locator(".pin-count")).to_have_text("4 photos")
    walk.shot("fetched")
    first = set(walk.ann.find("pin:Glen"))
    assert len(first) == 4
    credit = walk.ann.show(min(first))["photo"]["credit"]
    assert credit["service"] == "flickr", credit
    asked = walk.services.requests("/flickr")[-1]["query"]
    assert abs(float(asked["lat"]) - pins(walk)["Glen"]["latitude"]) < 0.001, asked

    # A model predicts, and a person corrects it.
    walk.tab.go("models")
    page.get_by_role("textbox", name="Photos that match").fill("pin:Glen")
    expect(page.locator("cairn-models").get_by_text("4 photos", exact=True)).to_be_visible()
    page.get_by_role("button", name="Predict", exact=True).click()
    expect(page.get_by_text(re.compile(r"\d+ labels? on 4 photos"))).to_be_visible(timeout=LONG_TIMEOUT)
    view = show(walk, f"{GLEN},11")
    page.mouse.click(*view.middle())
    expect(view.title).to_have_text("Glen")
    expect(view.panel.locator(".pin-count")).to_have_text("4 photos")
    option = view.photos.get_by_role("option").first
    option.click()
    photo = Photo(page)
    photo.expect_decoded()
    expect(photo.labels.locator(".class-percent").first).to_be_visible()
    key = re.search(r"#/photo/([0-9a-f]{64})", page.url)[1]
    predicted = photo.percentages()
    assert predicted == sorted(predicted, key=lambda one: -one[1]) and 0 < predicted[0][1] < 100, predicted
    walk.shot("percentages")
    wrong = predicted[0][0]
    photo.labels.get_by_role("button", name=f"{wrong} is absent").click()
    rejected = photo.labels.get_by_text(re.compile(rf"^Rejected: (.*, )?{wrong}\b"))
    expect(rejected).to_be_visible()
    expect(rejected).to_be_focused()
    rejected.click()
    expect(photo.labels.get_by_role("button", name=f"{wrong} is absent")).to_have_attribute(
        "aria-pressed", "true")
    assert walk.ann.verdict(key, wrong) == "absent"

    # One photo is deleted, and another one comes.
    page.go_back()
    expect(view.title).to_have_text("Glen")
    view.photos.get_by_role("option").first.click(modifiers=["Control"])
    view.panel.get_by_role("button", name="Replace with other photos").click()
    expect(view.panel.get_by_text("1 photo added.")).to_be_visible(timeout=LONG_TIMEOUT)
    expect(view.panel.locator(".pin-count")).to_have_text("4 photos")
    second = set(walk.ann.find("pin:Glen"))
    assert len(second) == 4 and len(second - first) == 1, f"{first} → {second}"

    # A new collection.
    fetch(view, 3, new=True)
    expect(view.panel.get_by_text(re.compile("3 photos added"))).to_be_visible(timeout=LONG_TIMEOUT)
    third = set(walk.ann.find("pin:Glen"))
    assert len(third) == 3 and not third & (first | second), f"{second} → {third}"
    expect(view.panel.locator(".pin-count")).to_have_text("3 photos")
    walk.shot("new-collection")


def fetch(view, count, new=False):
    form = view.panel.locator("cairn-fetch-panel")
    if not form.is_visible():
        view.panel.get_by_text("Fetch photos here").click()
    form.get_by_role("combobox", name="Source").select_option(label="Flickr")
    form.get_by_role("spinbutton", name="Number of photos").fill(str(count))
    form.get_by_role("checkbox", name=re.compile("New collection")).set_checked(new)
    form.get_by_role("button", name="Fetch photos").click()
