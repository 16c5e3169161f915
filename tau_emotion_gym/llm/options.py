"""Options of a model specification: what they are called, their types and defaults."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from tau_emotion_gym.errors import TauEmotionError, unknown
from tau_emotion_gym.llm.policy import Policy
from tau_emotion_gym.llm.redaction import like_a_key


class BadOption(TauEmotionError, ValueError):
    """An option of a model that has a wrong value, or is missing."""


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Dollars per million tokens.

    Attributes:
        prompt: tokens read.
        completion: tokens written.
    """

    prompt: float
    completion: float


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every kind of model takes: its name and its decoding. What is not set is left to the server.

    Attributes:
        model: the model's name; for vLLM in this process, a name or a folder.
        temperature: 0 or more.
        top_p: above 0, up to 1.
        max_tokens: tokens written at most, 1 or more.
        stop: texts that end the answer.
        extra_body: further fields of the request, whatever the server takes (`top_k`, `chat_template_kwargs`, …).
        prices: dollars per million tokens, for budgets and the report.
    """

    model: str
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: str | list[str] | None = None
    extra_body: dict[str, Any] | None = None
    prices: Prices | None = None

    def __post_init__(self) -> None:
        _require(bool(self.model), "model", "is a name", self.model)
        _require(self.temperature is None or self.temperature >= 0, "temperature", "is 0 or more", self.temperature)
        _require(self.top_p is None or 0 < self.top_p <= 1, "top_p", "is above 0, up to 1", self.top_p)
        _require(self.max_tokens is None or self.max_tokens >= 1, "max_tokens", "is 1 or more", self.max_tokens)

    def decoding(self) -> dict[str, Any]:
        """The fields of a request that say how to sample; those that are set."""
        values = {name: getattr(self, name) for name in ("temperature", "top_p", "max_tokens", "stop")}
        return {name: value for name, value in values.items() if value is not None}

    def described(self) -> dict[str, Any]:
        """Name, decoding and prices for the log."""
        values = {"model": self.model, **self.decoding(), "extra_body": self.extra_body, "prices": self.prices}
        built: dict[str, Any] = msgspec.to_builtins({key: value for key, value in values.items() if value is not None})
        return built


class ServerOptions(ModelOptions, frozen=True, kw_only=True, omit_defaults=True):
    """What a model behind a server takes.

    Attributes:
        base_url: the server, with its /v1; None for the environment's OPENAI_BASE_URL, or OpenAI itself.
        api_key_env: the environment variable that holds the key; None for OPENAI_API_KEY if it is set.
        timeout, retries, requests_per_minute, tokens_per_minute, concurrency: see `Policy`.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    timeout: float = 120.0
    retries: int = 5
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    concurrency: int = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        _require(self.timeout > 0, "timeout", "is seconds above 0", self.timeout)
        _require(self.retries >= 0, "retries", "is 0 or more", self.retries)
        _require(self.concurrency >= 1, "concurrency", "is 1 or more", self.concurrency)
        for name in ("requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            _require(value is None or value > 0, name, "is above 0", value)
        if self.api_key_env is not None and (not self.api_key_env.isidentifier() or like_a_key(self.api_key_env)):
            raise BadOption(
                'model option "api_key_env": the name of an environment variable, such as OPENAI_API_KEY, '
                "and not a key itself, which is never written down"
            )
        url = self.base_url
        if url is not None and not url.startswith(("http://", "https://")):
            raise BadOption('model option "base_url": a URL, which starts with http:// or https://')

    @property
    def policy(self) -> Policy:
        """How the server is treated."""
        return Policy(**{name: getattr(self, name) for name in Policy.__struct_fields__})


class EngineOptions(ModelOptions, frozen=True, kw_only=True, omit_defaults=True):
    """What vLLM in this process takes.

    Attributes:
        engine: keyword arguments of `vllm.LLM` (`dtype`, `max_model_len`, `tensor_parallel_size`, …).
    """

    engine: dict[str, Any] | None = None


_MISSING = re.compile(r"Object missing required field `(\w+)`")
_WRONG = re.compile(r"(.*) - at `\$\.(.+)`", re.S)

OPTIONS: dict[str, type[ModelOptions]] = {"openai": ServerOptions, "vllm": EngineOptions}
"""Kind of model → its options."""

Options = TypeVar("Options", bound=ModelOptions)


def read_options(options: Mapping[str, Any], kind: type[Options]) -> Options:
    """Options by name, checked.

    Raises:
        UnknownName: there is no option of that name.
        BadOption: a value is wrong, or the model's name is missing.
    """
    valid = kind.__struct_fields__
    for name in options:
        if name == "api_key":
            raise BadOption('a key is never written down: name its environment variable in "api_key_env"')
        if name not in valid:
            raise unknown("model option", name, valid)
    try:
        return msgspec.convert(dict(options), kind)
    except msgspec.ValidationError as error:
        raise BadOption(_words(str(error))) from None


def _words(error: str) -> str:
    """What a check of the options found, with the option first."""
    if error.startswith("model option "):
        return error
    if missing := _MISSING.fullmatch(error):
        return f'model option "{missing[1]}" is missing'
    if wrong := _WRONG.fullmatch(error):
        return f'model option "{wrong[2]}": {wrong[1].replace("`", "")}'
    return f"model option: {error}"


def _require(holds: bool, name: str, rule: str, value: object) -> None:
    if not holds:
        raise BadOption(f'model option "{name}": {rule}, not {value!r:.80}')
