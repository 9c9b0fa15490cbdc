"""The datasets of the walk."""

import pathlib
import shutil

import photos
from dataset import add_net

PHOTOS = 48
# More than one request may edit.
MANY = 700


def make(workspace, real=None):
    """Makes Ann's dataset `walk` with predictions, disputes and a remote, and Bob's clone of it.

    Args:
        real: A folder of photos to use, too.
    """
    camera = workspace.root / "camera"
    photos.make(camera, PHOTOS)
    if real:
        shutil.copytree(real, camera / "real", ignore=lambda directory, names: [
            name for name in names
            if not (pathlib.Path(directory) / name).is_dir()
            and pathlib.Path(name).suffix.lower() not in (".jpg", ".jpeg", ".png", ".webp", ".heic")])
    workspace.run(workspace.cairn, "init", "walk", "--name", "Highland walk")
    ann = workspace.dataset("walk")
    for name, latitude, longitude in photos.PINS:
        ann.cairn("pin", "add", latitude, longitude, "--name", name)
    ann.cairn("photo", "add", camera, "--pin", "nearest:2km", "--quiet")
    ids = ids_by_name(ann)
    tree = {name: [ids[key] for key in sorted(ids) if key.startswith(f"{name}-")] for name in photos.TREES}
    # Photos of the third pin stay without any label.
    for name in photos.TREES:
        ann.cairn("label", *tree[name][:2], tree[name][3], name, "--create", "--quiet")
    ann.cairn("class", "set", "tree", *photos.TREES)
    ann.cairn("label", tree["oak"][0], "heather", "--create", "--quiet")
    add_net(ann)
    ann.cairn("predict", "--labeler", "net", "--find", "pin:Harbor OR pin:\"North slope\"", "--quiet")
    ann.cairn("commit", "--message", "Start")
    ann.cairn("remote", "add", "origin", "../shared.git", "--create")
    ann.cairn("sync")
    workspace.run(workspace.cairn, "clone", "shared.git", "bob")
    bob = workspace.dataset("bob")
    bob.person("Bob")
    disagree(ann, bob, tree)
    return ann, bob


def ids_by_name(dataset):
    """Returns the ids of all photos by the names of their files, without extension."""
    rows = dataset.json("photo", "list")
    return {pathlib.Path(row["photo"]["source"]).stem: row["photo"]["id"] for row in rows}


def disagree(ann, bob, tree):
    """Bob agrees with two of Ann's labels and contradicts two."""
    bob.cairn("label", *tree["oak"][:2], "oak", "--quiet")
    bob.cairn("label", *tree["elm"][:2], "elm", "--absent", "--quiet")
    bob.cairn("sync")
    ann.cairn("pull")


def make_many(workspace):
    """Makes a dataset of many tiny photos, for edits that take a while."""
    folder = photos.make_tiny(workspace.root / "tiny", MANY)
    workspace.run(workspace.cairn, "init", "many", "--name", "Many photos")
    dataset = workspace.dataset("many")
    dataset.cairn("photo", "add", folder, "--quiet")
    dataset.cairn("commit", "--message", "Photos")
    return dataset
