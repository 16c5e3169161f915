"""Reading this folder's JSON tables, each checked against a msgspec type.

The tables are read through the package's own loader (so a zipped package works too):
`importlib.resources` alone costs three times the import of this folder.
"""

from typing import Any, TypeVar

import msgspec

from tau_emotion_gym.errors import DataError

T = TypeVar("T")


def read_table(name: str, shape: type[T]) -> T:
    """The table `name` of this folder as a `shape`.

    Raises:
        DataError: the file is missing, is not JSON, or does not fit `shape`; names file and place.
    """
    loader: Any = __spec__.loader
    path = __file__[: -len("_tables.py")] + name
    try:
        return msgspec.json.decode(loader.get_data(path), type=shape)
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: {error}") from error
