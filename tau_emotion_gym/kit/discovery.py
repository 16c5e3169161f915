"""Finding domains: every folder under `tau_emotion_gym/domains`, and folders that a user adds."""

import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path

from tau_emotion_gym.errors import TauEmotionError, unknown
from tau_emotion_gym.kit.domain import Domain

PACKAGE = "tau_emotion_gym.domains"


@cache
def _shipped() -> dict[str, Path]:
    """Domain name → folder, found by listing, nothing imported."""
    root = Path(__file__).parent.parent / "domains"
    return {path.parent.name: path.parent for path in sorted(root.glob("*/__init__.py"))}


_added: dict[str, Path] = {}


def add_folder(folder: str | Path) -> str:
    """Make a domain of the user's own known: a folder with an `__init__.py` that defines `DOMAIN`.

    Returns:
        The domain's name, which is the folder's.
    """
    path = Path(folder).resolve()
    if not (path / "__init__.py").is_file():
        raise TauEmotionError(f"{path} is not a domain: it has no __init__.py")
    if path.name in _shipped():
        raise TauEmotionError(f"a shipped domain is called {path.name!r} already")
    _added[path.name] = path
    load.cache_clear()
    return path.name


def names(*, added: bool = True) -> list[str]:
    """The names of all known domains, shipped ones first, without importing them.

    Args:
        added: with the domains of the user's own that were made known.
    """
    return [*_shipped(), *_added] if added else [*_shipped()]


@cache
def load(name: str) -> Domain:
    """The domain of this name, imported on first use.

    Raises:
        UnknownName: with the nearest valid names.
    """
    folder = _added.get(name) or _shipped().get(name)
    if folder is None:
        raise unknown("domain", name, names())
    return load_from(name, str(folder))


@cache
def load_from(name: str, folder: str) -> Domain:
    """The domain in this folder; also what a pickled domain is rebuilt with, in any process.

    A shipped domain is found by its name alone, since the package may be installed elsewhere there.

    Raises:
        TauEmotionError: no domain of this name stands there.
    """
    path = Path(folder)
    if name in _shipped():
        module = importlib.import_module(f"{PACKAGE}.{name}")
    else:
        _added[name] = path
        qualified = f"{PACKAGE}.{name}"
        spec = importlib.util.spec_from_file_location(
            qualified, path / "__init__.py", submodule_search_locations=[str(path)]
        )
        if spec is None or spec.loader is None:
            raise TauEmotionError(f"{path} cannot be imported as a domain")
        module = importlib.util.module_from_spec(spec)
        _forget(qualified)
        sys.modules[qualified] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            _forget(qualified)
            raise
    domain = getattr(module, "DOMAIN", None)
    if not isinstance(domain, Domain):
        raise TauEmotionError(f"{path / '__init__.py'} does not define DOMAIN = Domain(...)")
    if domain.name != name:
        raise TauEmotionError(f"{path / '__init__.py'}: the domain is called {domain.name!r} and its folder {name!r}")
    return domain


def _forget(qualified: str) -> None:
    """Drop a package and its modules, so that another folder of that name is not mixed with this one."""
    for name in [*sys.modules]:
        if name == qualified or name.startswith(qualified + "."):
            del sys.modules[name]
