"""The steps of the walk, in the order in which they run."""

from steps import serve, grid, crash  # noqa: F401
