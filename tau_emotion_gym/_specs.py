"""Configurations that name a callable: "kind" with options beside it, and what a kind stands for."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from tau_emotion_gym.errors import UnknownName


def kind_and_options(spec: object) -> tuple[str, dict[str, Any]] | None:
    """The kind and the options of a name, or of a mapping with "kind"; None for anything else."""
    if isinstance(spec, str):
        return spec, {}
    if isinstance(spec, Mapping) and isinstance(spec.get("kind"), str):
        return spec["kind"], {str(key): value for key, value in spec.items() if key != "kind"}
    return None


def target_of(what: str, kind: str, path: str) -> Callable[..., Any] | None:
    """The callable at "module:name"; None where the path has no such form.

    Args:
        what: for messages: "agent", "user", …
        kind: for messages: how the configuration calls it.
        path: where it is.

    Raises:
        UnknownName: there is no such module, or nothing of that name in it.
    """
    module, _, name = path.partition(":")
    if not module or not name:
        return None
    try:
        target: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, TypeError) as error:
        raise UnknownName(f"{what} {kind!r}: {error}") from None
    return target
