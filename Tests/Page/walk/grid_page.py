"""The grid and what is around it, as a person finds them: by role and name."""

import re

from playwright.sync_api import expect


class Grid:
    def __init__(self, page):
        self.page = page
        self.list = page.get_by_role("listbox", name="Photos", exact=True)
        self.query = page.get_by_role("combobox", name="Query")
        self.bar = page.get_by_role("group", name="Label the selection")
        self.messages = page.get_by_role("region", name="Messages")

    def cell(self, number):
        """Returns the photo at a position, from 1."""
        return self.list.locator(f'[role=option][aria-posinset="{number}"]:not([hidden])')

    def of(self, photo):
        """Returns the thumbnail of a photo by the name of its file."""
        return self.list.get_by_role("option", name=photo)

    def search(self, text):
        self.query.fill(text)
        self.query.press("Enter")

    def expect_count(self, count):
        text = f"{count:,} photo" + ("" if count == 1 else "s")
        expect(self.page.locator(".query-count")).to_have_text(text)

    def expect_pictures(self, count):
        """Waits until at least so many thumbnails are decoded."""
        self.page.wait_for_function(
            """count => [...document.querySelectorAll(".cell:not([hidden]) img")]
              .filter(image => image.complete && image.naturalWidth > 0).length >= count""",
            arg=count)

    def expect_selected(self, count):
        expect(self.bar).to_contain_text(f"{count:,} selected")

    def name(self, number):
        """Returns the file name of the photo at a position."""
        cell = self.cell(number)
        expect(cell).to_have_accessible_name(re.compile(r"\.\w+"))
        return cell.get_attribute("aria-label").split(",")[0]

    def focus(self, number):
        """Gives the photo at a position the focus."""
        self.cell(number).click()
        expect(self.cell(number)).to_have_class(re.compile("focused"))

    def open(self, number):
        """Opens the photo at a position: by double click, which Playwright cannot send to Debian's Firefox."""
        if self.page.context.browser.browser_type.name == "firefox":
            self.focus(number)
            self.page.keyboard.press("Enter")
        else:
            self.cell(number).dblclick()

    def choose(self, label, option):
        self.page.get_by_role("combobox", name=label, exact=True).select_option(label=option)

    def key_of(self, class_name):
        """Returns the key that labels with a class."""
        return self.class_button(class_name).get_attribute("aria-keyshortcuts")

    def class_button(self, class_name):
        """Returns the button that labels with a class."""
        classes = self.bar.get_by_role("toolbar", name="Classes")
        return classes.get_by_role("button", name=class_name, exact=True)
