"""The steps of the walk, in the order in which they run."""

from steps import (  # noqa: F401
    serve, grid, photo, review, map, table, models, add, apps, sync, people, access, crash)
