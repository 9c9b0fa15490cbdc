"""The steps of the walk, in the order in which they run."""

from steps import serve, grid, photo, review, add, crash  # noqa: F401
