"""Models by specification: made once per process, and shared by all who ask for the same one."""

import json
import os
from collections.abc import Mapping
from typing import Any

from tau_emotion_gym._specs import kind_and_options, target_of
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.llm.base import ChatModel
from tau_emotion_gym.llm.options import OPTIONS, BadOption, EngineOptions, ServerOptions, read_options

ModelSpec = Mapping[str, Any]
"""A model as JSON-able values: "kind" ("openai", "vllm", or "module:callable") and its options beside it."""

_shared: dict[tuple[int, str], ChatModel] = {}
"""Models by process and specification: a fork makes its own."""


def make_model(spec: ModelSpec) -> ChatModel:
    """The model that a specification names; the same object for the same specification in one process.

    Nothing is imported, loaded or connected to before the first request.

    Raises:
        UnknownName: no such kind, callable or option.
        BadOption: an option has a wrong value.
        TypeError: the specification is no mapping with "kind", or what it names makes no model.
    """
    kind, options = _split(spec)
    try:
        written = json.dumps(spec, sort_keys=True, ensure_ascii=False, default=dict)
    except (TypeError, ValueError):
        raise TypeError(f"model {kind!r}: the options are JSON-able values") from None
    key = (os.getpid(), written)
    if key not in _shared:
        _shared.setdefault(key, _made(kind, options))
    return _shared[key]


def split_options(kind: str, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options that belong to a model of this kind, and the rest.

    Raises:
        UnknownName: no such kind.
    """
    if kind not in OPTIONS:
        raise unknown("kind of model", kind, OPTIONS)
    names = {*OPTIONS[kind].__struct_fields__, "api_key"}
    return (
        {name: value for name, value in options.items() if name in names},
        {name: value for name, value in options.items() if name not in names},
    )


def _split(spec: ModelSpec) -> tuple[str, dict[str, Any]]:
    found = kind_and_options(spec)
    if found and not isinstance(spec, str):
        return found
    raise TypeError(
        f"a model is a mapping with 'kind' ({', '.join(OPTIONS)}, or 'module:callable'), not {type(spec).__name__}"
    )


def _made(kind: str, options: dict[str, Any]) -> ChatModel:
    if kind == "openai":
        from tau_emotion_gym.llm.openai_chat import OpenAIChat

        return OpenAIChat(read_options(options, ServerOptions))
    if kind == "vllm":
        from tau_emotion_gym.llm.vllm_chat import VLLMChat

        return VLLMChat(read_options(options, EngineOptions))
    make = target_of("model", kind, kind)
    if make is None:
        raise unknown("kind of model", kind, OPTIONS)
    model: object = make(**options)
    if not isinstance(model, ChatModel):
        raise TypeError(f"model {kind!r}: {type(model).__name__} is no ChatModel")
    return model


__all__ = ["BadOption", "ModelSpec", "make_model", "split_options"]
