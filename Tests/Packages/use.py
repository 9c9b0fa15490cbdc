"""Uses the Python package as installed from the wheel. Usage: use.py DATASET"""
import sys

import cairn_data

ds = cairn_data.open(sys.argv[1])
before = len(ds.photos("label:heather"))
photo = next(photo for photo in ds.photos() if not photo.classes)
assert ds.label(photo, "heather")[0].changed
assert len(ds.photos("label:heather")) == before + 1
ds.undo()
assert len(ds.photos("label:heather")) == before
assert photo.thumbnail_bytes().startswith(b"\xff\xd8")
try:
    ds.label(photo, "heathr")
except cairn_data.NotFound as error:
    assert error.exit_code == 66 and "heather" in str(error), error
else:
    raise AssertionError("a typo became a class")
print("use.py: passed", cairn_data.__version__)
