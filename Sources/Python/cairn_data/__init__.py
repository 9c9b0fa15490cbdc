"""git for labeled photos: read, label and sync cairn datasets.

    import cairn_data

    ds = cairn_data.open("walk")
    heather = ds.photos("label:heather").to_pandas()
    ds.label("3fa9", "Scots pine")
    ds.sync()
"""
from ._program import version
from .dataset import Dataset, create, open
from .errors import (
    AlreadyExists,
    Ambiguous,
    Busy,
    CairnError,
    Damaged,
    DiskError,
    InvalidInput,
    NoDataset,
    NoIdentity,
    NotFound,
    RemoteError,
    Unsupported,
)
from .labels import Labels
from .photos import Photos
from .records import Label, LabelClass, LabelResult, Operation, Photo, Resolution, Run

__all__ = [
    "AlreadyExists", "Ambiguous", "Busy", "CairnError", "Damaged", "Dataset", "DiskError", "InvalidInput", "Label",
    "LabelClass", "LabelResult", "Labels", "NoDataset", "NoIdentity", "NotFound", "Operation", "Photo", "Photos",
    "RemoteError", "Resolution", "Run", "Unsupported", "create", "open", "version",
]
__version__ = version()
