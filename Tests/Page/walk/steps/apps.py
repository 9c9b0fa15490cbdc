"""What the apps that cairn grew out of do, from a pin to a new collection."""

import re

from playwright.sync_api import expect

from browser import LONG_TIMEOUT
from fingers import middle, phone
from steps.grid import ids
from steps.map import Map, pins, show
from steps.photo import Photo
from steps.sync import expect_progress, note_progress
from walk import step

GLEN, STRATH = "56.9,-5.3", "56.95,-4.2"


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
    first = fetches(walk, view, "Glen")
    walk.shot("fetched")
    predict(walk, page, "Glen")
    view = show(walk, f"{GLEN},11")
    page.mouse.click(*view.middle())
    expect(view.title).to_have_text("Glen")
    expect(view.panel.locator(".pin-count")).to_have_text("4 photos")
    predicted(walk, view, "Glen").click()
    corrects(walk, page)
    walk.shot("percentages")

    # One photo is deleted, and another one comes.
    page.go_back()
    expect(view.title).to_have_text("Glen")
    view.photos.get_by_role("option").first.click(modifiers=["Control"])
    second = replaces(walk, view, "Glen", first)
    new_collection(walk, view, "Glen", first | second)
    walk.shot("new-collection")


@step("apps: the same with fingers on a phone, from a long press on", tags=("chromium",))
def by_finger(walk):
    with phone(walk, f"map?at={STRATH},11") as (tab, fingers):
        page, view = tab.page, Map(tab.page)
        expect(view.total).to_have_text(re.compile(r"\d photos? here"))
        page.evaluate("() => window.addEventListener('click', () => { window.clicked = true; }, true)")
        fingers.put(view.middle())
        expect(view.title).to_have_text("Pin without a name")
        fingers.lift()
        # The panel is under the finger now.
        assert not page.evaluate("window.clicked")
        new = next(pin for name, pin in pins(walk).items() if name == "")
        walk.ann.cairn("pin", "rename", new["id"], "Strath")
        expect(view.title).to_have_text("Strath")
        view.panel.get_by_role("button", name="Close").tap()
        expect(view.panel).to_be_hidden()
        # A long press on the pin offers to fetch photos near it.
        with view.read():
            tab.go(f"map?at={new['latitude']},{new['longitude']},12")
        fingers.put(view.middle())
        expect(view.panel.get_by_role("button", name="Fetch photos")).to_be_visible()
        fingers.lift()
        expect(view.title).to_have_text("Strath")
        first = fetches(walk, view, "Strath")
        walk.shot("touch-fetched", page)
        predict(walk, page, "Strath")
        page.go_back()
        expect(view.title).to_have_text("Strath")
        option = predicted(walk, view, "Strath")
        option.scroll_into_view_if_needed()
        fingers.tap(*middle(option))
        corrects(walk, page)
        walk.shot("touch-percentages", page)
        page.go_back()
        expect(view.title).to_have_text("Strath")
        option = view.photos.get_by_role("option").first
        option.scroll_into_view_if_needed()
        fingers.put(middle(option))
        expect(view.panel.get_by_text("1 selected")).to_be_visible()
        fingers.lift()
        second = replaces(walk, view, "Strath", first)
        new_collection(walk, view, "Strath", first | second)
        walk.shot("touch-new-collection", page)


def fetches(walk, view, pin):
    """Fetches four photos from Flickr near the open pin; returns their ids."""
    fetch(view, 4)
    expect(view.panel.get_by_text("4 photos added.")).to_be_visible(timeout=LONG_TIMEOUT)
    expect_progress(view.page, "cairn-fetch-panel")
    expect(view.panel.locator(".pin-count")).to_have_text("4 photos")
    found = set(walk.ann.find(f"pin:{pin}"))
    assert len(found) == 4
    credit = walk.ann.show(min(found))["photo"]["credit"]
    assert credit["service"] == "flickr", credit
    asked = walk.services.requests("/flickr")[-1]["query"]
    assert abs(float(asked["lat"]) - pins(walk)[pin]["latitude"]) < 0.001, asked
    return found


def predict(walk, page, pin):
    """Has the model predict what is in the photos of the pin."""
    page.get_by_role("link", name="Models").click()
    page.get_by_role("textbox", name="Photos that match").fill(f"pin:{pin}")
    panel = page.get_by_role("tabpanel", name="Predict")
    expect(panel.get_by_text("4 photos", exact=True)).to_be_visible()
    page.get_by_role("button", name="Predict", exact=True).click()
    expect(page.get_by_text(re.compile(r"\d+ labels? on 4 photos"))).to_be_visible(timeout=LONG_TIMEOUT)


def predicted(walk, view, pin):
    """Returns the thumbnail of a photo of the open pin about which the model is sure enough."""
    found = set(walk.ann.find(f"pin:{pin} state:predicted"))
    assert found, "the model is unsure about all photos"
    name = next(name for name, photo in ids(walk).items() if photo in found)
    return view.photos.get_by_role("option", name=re.compile(f"^{re.escape(name)}"))


def corrects(walk, page):
    """Reads the percentages of the open photo, and corrects the first."""
    photo = Photo(page)
    photo.expect_decoded()
    expect(photo.labels.locator(".class-percent").first).to_be_visible()
    key = re.search(r"#/photo/([0-9a-f]{64})", page.url)[1]
    predicted = photo.percentages()
    assert predicted == sorted(predicted, key=lambda one: -one[1]) and 0 < predicted[0][1] < 100, predicted
    wrong = predicted[0][0]
    photo.labels.get_by_role("button", name=f"{wrong} is absent").click()
    rejected = photo.labels.get_by_text(re.compile(rf"^Rejected: (.*, )?{wrong}\b"))
    expect(rejected).to_be_visible()
    expect(rejected).to_be_focused()
    rejected.click()
    expect(photo.labels.get_by_role("button", name=f"{wrong} is absent")).to_have_attribute(
        "aria-pressed", "true")
    assert walk.ann.verdict(key, wrong) == "absent"


def replaces(walk, view, pin, before):
    """Removes the selected photo and gets another one; returns the ids of the pin's photos."""
    view.panel.get_by_role("button", name="Replace with other photos").click()
    expect(view.panel.get_by_text("1 photo added.")).to_be_visible(timeout=LONG_TIMEOUT)
    expect(view.panel.locator(".pin-count")).to_have_text("4 photos")
    after = set(walk.ann.find(f"pin:{pin}"))
    assert len(after) == 4 and len(after - before) == 1, f"{before} → {after}"
    return after


def new_collection(walk, view, pin, before):
    """Removes the pin's photos and gets three others."""
    fetch(view, 3, new=True)
    expect(view.panel.get_by_text(re.compile("3 photos added"))).to_be_visible(timeout=LONG_TIMEOUT)
    after = set(walk.ann.find(f"pin:{pin}"))
    assert len(after) == 3 and not after & before, f"{before} → {after}"
    expect(view.panel.locator(".pin-count")).to_have_text("3 photos")


def fetch(view, count, new=False):
    form = view.panel.locator("cairn-fetch-panel")
    if not form.is_visible():
        view.panel.get_by_text("Fetch photos here").click()
    form.get_by_role("combobox", name="Source").select_option(label="Flickr")
    form.get_by_role("spinbutton", name="Number of photos").fill(str(count))
    form.get_by_role("checkbox", name=re.compile("New collection")).set_checked(new)
    note_progress(view.page, "cairn-fetch-panel")
    form.get_by_role("button", name="Fetch photos").click()
