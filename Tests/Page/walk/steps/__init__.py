"""The steps of the walk, in the order in which they run."""

from steps import (  # noqa: F401
    serve, grid, photo, review, undo, map, table, models, similarity, add, apps, sync, people, access, motion,
    touch, jobs, crash)
