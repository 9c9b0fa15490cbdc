"""Datasets, and what is in their documents: everything here goes through the command line."""

import json
import os
import pathlib
import subprocess
import sys

# Seconds that one command may take.
COMMAND_LIMIT = 120


class Workspace:
    """A home directory with datasets, without the settings and variables of the person."""

    def __init__(self, root, cairn):
        self.root, self.cairn = pathlib.Path(root), pathlib.Path(cairn).resolve()
        self.home = self.root / "home"
        self.home.mkdir(parents=True)
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
            stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_LIMIT)
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

    def person(self, name):
        """Makes another person the user of this dataset."""
        for key, value in [("name", name), ("email", f"{name.lower()}@example.org")]:
            self.workspace.run("git", "config", f"user.{key}", value, cwd=self.path)


def add_net(dataset, version="1"):
    """Adds the labeler `net`."""
    program = pathlib.Path(__file__).with_name("net.py")
    dataset.cairn("labeler", "add", "net", "--program", sys.executable, program, version)
