"""Point 9: sync, and what others change meanwhile."""

import re

from playwright.sync_api import expect

from browser import LONG_TIMEOUT
from grid_page import Grid
from steps.grid import ids
from walk import step

def note_progress(page, view):
    """Notes what a view says of its progress from now on."""
    page.evaluate("""view => {
      window.steps = [];
      const progress = document.querySelector(`${view} .job-progress`);
      const note = () => window.steps.push(progress.checkVisibility() ? progress.querySelector(".job-line").textContent : "");
      new MutationObserver(note).observe(progress, { attributes: true, childList: true, characterData: true, subtree: true });
    }""", view)


def expect_progress(page, view):
    """Expects that the view showed its progress, and hides it now."""
    noted = page.evaluate("window.steps")
    assert any(noted), noted
    expect(page.locator(f"{view} .job-progress")).to_be_hidden()


@step("9 sync: state, progress, what came in, and disputes")
def syncs(walk):
    page = walk.page
    mine = next(photo for photo in walk.ann.find("label:oak by:ann -state:disputed")
                if walk.ann.verdict(photo, "oak") == "present")
    walk.ann.cairn("sync")
    walk.bob.cairn("pull")
    walk.bob.cairn("label", mine, "oak", "--absent", "--quiet")
    walk.bob.cairn("sync")
    walk.ann.cairn("label", mine, "heather", "--quiet")
    walk.ann.cairn("commit", "--message", "Heather")
    git(walk.ann, "fetch", "--quiet", "origin")
    walk.tab.go("sync")
    expect(page.get_by_text("origin", exact=True)).to_be_visible()
    state = page.locator("cairn-sync .panel").first
    expect(state).to_contain_text("1 commit is not on origin yet.")
    expect(state).to_contain_text("origin has 1 commit that is not here yet.")
    walk.shot("sync-before")
    note_progress(page, "cairn-sync")
    page.get_by_role("button", name="Sync", exact=True).click()
    expect(page.get_by_role("heading", name="Synced")).to_be_visible(timeout=LONG_TIMEOUT)
    expect_progress(page, "cairn-sync")
    expect(state).to_contain_text("Up to date with origin as of the last sync.")
    outcome = page.locator(".sync-outcome")
    expect(outcome).to_contain_text("1 label")
    expect(outcome).to_contain_text("1 new disagreement")
    expect(outcome.get_by_role("option")).to_have_count(1)
    walk.shot("sync")
    assert walk.ann.state(mine, "oak") == "disputed"
    outcome.get_by_role("link", name="oak").click()
    expect(page).to_have_url(re.compile(f"#/photo/{mine}"))
    expect(page.get_by_role("region", name="Labels")).to_contain_text("Disputed")
    expect(page.locator("cairn-photo .photo-place")).to_have_text("1 of 1")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("#/sync$"))
    expect(outcome).to_contain_text("1 new disagreement")


@step("9 sync: a pull in the terminal appears without losing the place")
def appears(walk):
    page, grid = walk.page, Grid(walk.page)
    walk.tab.go("grid")
    grid.search("pin:Harbor")
    count = walk.ann.count("pin:Harbor")
    grid.expect_count(count)
    name = grid.name(6)
    photo = ids(walk)[name]
    grid.focus(6)
    walk.bob.cairn("label", photo, "heather", "--quiet")
    walk.bob.cairn("label", photo, "Lichen", "--create", "--quiet")
    walk.bob.cairn("sync")
    walk.ann.cairn("pull")
    expect(grid.of(name)).to_have_accessible_name(re.compile("heather"))
    expect(grid.class_button("Lichen")).to_be_visible()
    grid.expect_count(count)
    expect(grid.cell(6)).to_have_class(re.compile("focused"))
    grid.search("")


@step("9 sync: photos that a teammate deleted with git, and how to restore them")
def deletions(walk):
    page, bob = walk.page, walk.bob
    photo, other = walk.ann.find("pin:Loch")[:2]
    name = walk.ann.show(photo)["photo"]["source"]
    walk.ann.cairn("sync")
    bob.cairn("sync")
    documents = [path for path in git(bob, "ls-files").splitlines() if photo in path or other in path]
    git(bob, "rm", "-q", *documents)
    git(bob, "commit", "-qm", "Clean up <b>")
    git(bob, "push", "-q", "origin", "HEAD")
    commit = git(bob, "rev-parse", "HEAD").strip()[:10]
    walk.tab.go("sync")
    page.get_by_role("button", name="Sync", exact=True).click()
    outcome = page.locator(".sync-outcome")
    expect(outcome.get_by_role("heading", name="2 photos were deleted from the dataset")).to_be_visible()
    assert photo not in walk.ann.find()
    restore = f"git revert --no-edit {commit}"
    expect(outcome.get_by_text(restore)).to_be_hidden()
    outcome.get_by_text(f"Bob removed 2 photos in commit {commit}: “Clean up <b>”").click()
    expect(outcome.get_by_text(restore)).to_be_visible()
    expect(outcome.get_by_text(name, exact=True)).to_be_visible()
    walk.shot("sync-deleted")
    walk.tab.check_accessibility("deleted photos")
    git(walk.ann, *restore.split()[1:])
    walk.ann.cairn("sync")
    assert {photo, other} <= set(walk.ann.find())
    bob.cairn("pull")


def git(dataset, *arguments):
    return dataset.workspace.run("git", *arguments, cwd=dataset.path)
