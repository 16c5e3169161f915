"""Reading this folder's data: JSON tables, checked against msgspec types, and text.

Files are read through the package's own loader (so a zipped package works too):
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
    try:
        return msgspec.json.decode(_read(name), type=shape)
    except msgspec.DecodeError as error:
        raise DataError(f"{_path(name)}: {error}") from error


def read_text(name: str) -> str:
    """The text file `name` of this folder.

    Raises:
        DataError: the file is missing.
    """
    return _read(name).decode("utf-8")


def _path(name: str) -> str:
    return __file__[: -len("_tables.py")] + name


def _read(name: str) -> bytes:
    loader: Any = __spec__.loader
    try:
        data: bytes = loader.get_data(_path(name))
    except OSError as error:
        raise DataError(f"{_path(name)}: {error}") from error
    return data
