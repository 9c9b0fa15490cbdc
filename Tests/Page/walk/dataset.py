"""Datasets, and what is in their documents: everything here goes through the command line."""

import json
import os
import pathlib
import subprocess
import sys

# Seconds that one command may take, unless a workspace allows more.
COMMAND_LIMIT = 600


class Workspace:
    """A home directory with datasets, without the settings and variables of the person."""

    def __init__(self, root, cairn, limit=COMMAND_LIMIT):
        self.root, self.cairn, self.limit = pathlib.Path(root), pathlib.Path(cairn).resolve(), limit
        self.home = self.root / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.environment = {
            name: os.environ[name] for name in ("PATH", "TMPDIR", "LD_LIBRARY_PATH")
            if name in os.environ}
        self.environment |= {
            "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
            "CAIRN_CONTACT": "ann@example.org"}
        for key, value in [("name", "Ann"), ("email", "ann@example.org")]:
            self.run("git", "config", "--global", f"user.{key}", value)

    def run(self, *command, cwd=None):
        """Runs a program, which must succeed, and returns its output."""
        result = subprocess.run(
            [str(part) for part in command], cwd=cwd or self.root, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=self.limit)
        if result.returncode != 0:
            raise AssertionError(
                f"{' '.join(map(str, command))}: exit code {result.returncode}\n{result.stderr}")
        return result.stdout

    def dataset(self, name):
        return Dataset(self, self.root / name)


class Dataset:
    def __init__(self, workspace, path):
        self.workspace, self.path = workspace, path

    def cairn(self, *arguments):
        return self.workspace.run(self.workspace.cairn, *arguments, cwd=self.path)

    def json(self, *arguments):
        return json.loads(self.cairn(*arguments, "--json"))

    def count(self, query=""):
        """Returns how many photos match a query."""
        return int(self.cairn("find", "--count", *query.split()).strip())

    def find(self, query=""):
        """Returns the ids of the photos that match a query, by id."""
        return [entry["photo"]["id"] for entry in self.json("photo", "list", *query.split())]

    def show(self, photo):
        return self.json("show", photo)

    def state(self, photo, class_key):
        """Returns the state of a class on a photo, or None."""
        resolution = self.show(photo)["resolution"]
        return next((one["state"] for one in resolution if one["class"] == class_key), None)

    def verdict(self, photo, class_key, person="ann"):
        """Returns what a person says about a class on a photo, apart from boxes, or None."""
        return next((
            label["verdict"] for label in self.show(photo)["labels"]
            if label["class"] == class_key and "region" not in label
            and label["annotator"] == f"human:{person}@example.org"), None)

    def boxes(self, photo):
        """Returns Ann's labels with a region that are not withdrawn."""
        return [
            label for label in self.show(photo)["labels"]
            if "region" in label and label["verdict"] == "present"
            and label["annotator"] == "human:ann@example.org"]

    def person(self, name):
        """Makes another person the user of this dataset."""
        for key, value in [("name", name), ("email", f"{name.lower()}@example.org")]:
            self.workspace.run("git", "config", f"user.{key}", value, cwd=self.path)


def add_net(dataset, name="net", *arguments):
    """Adds a labeler that runs `net.py`."""
    program = pathlib.Path(__file__).with_name("net.py")
    dataset.cairn("labeler", "add", name, "--program", sys.executable, program, *arguments)
