"""What makes two runs the same: all that decides what is played and said, and nothing that decides how fast."""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.envs.chat import function_tools
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.rollouts.config import RunConfig
from tau_emotion_gym.users import make_user

TRANSPORT = frozenset(
    {
        "api_key_env",
        "base_url",
        "concurrency",
        "prices",
        "requests_per_minute",
        "retries",
        "timeout",
        "tokens_per_minute",
    }
)
"""Options of models that say where and how fast, and not what."""

SPOKEN = ("agents", "emotions", "episode", "users")
"""Folders of the package whose data decides what is said and how it is read."""

DATA = (".json", ".jsonl", ".md")

MOST_DIFFERENCES = 8
"""Differences that a message names."""


def identity(config: RunConfig) -> dict[str, Any]:
    """Everything that has to be equal for a run to be continued, as JSON-able values.

    Keys: `package`; `phrases`, a digest of the package's own wordings; `agent` and `user`, which hold the
    configuration and, where the object describes itself, its decoding and prompts; `domains`, digests of world,
    tasks, policy, tools and all its files of code and data; and `plan`, the rest of the configuration.
    """
    settings = msgspec.to_builtins(config)
    for apart in ("agent", "user", "folders"):
        del settings[apart]
    found = {
        "package": package_version(),
        "phrases": phrases_digest(),
        "agent": _party(config.agent, make_agent(config.agent)),
        "user": _party(config.user, make_user(config.user)),
        "domains": {name: data_digests(config.domain(name), config.think_tool) for name in config.domains},
        "plan": {**settings, "user_exit": config.exits},
    }
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found))
    return made


def hash_of(found: Mapping[str, Any]) -> str:
    """A digest of an identity: 16 hexadecimal digits."""
    return _digest(msgspec.json.encode(found, order="deterministic"))


def differences(old: Any, new: Any, where: str = "") -> list[str]:
    """Where two identities differ: "agent.model: 'a' before, 'b' now"."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return [
            line
            for key in [*old, *(key for key in new if key not in old)]
            for line in differences(old.get(key), new.get(key), f"{where}.{key}" if where else key)
        ]
    return [] if old == new else [f"{where}: {_short(old)} before, {_short(new)} now"]


def package_version() -> str:
    """The version of this package."""
    from tau_emotion_gym import __version__

    return __version__


def versions() -> dict[str, str]:
    """Versions of the package and of what a model's answers may depend on, where installed."""
    found = {"tau-emotion-gym": package_version()}
    for name in ("gymnasium", "msgspec", "openai", "vllm"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@cache
def phrases_digest() -> str:
    """A digest of the package's own wordings: what the scripted side says, and what the reader looks for."""
    root = files("tau_emotion_gym")
    return _digest(b"".join(part for folder in SPOKEN for part in _contents(root / folder, DATA)))


def data_digests(domain: Domain, think_tool: bool = False) -> dict[str, str]:
    """Digests of a domain's data and code; one that is only trained on may lack test data."""
    tools = function_tools(domain, think_tool=think_tool)
    return {
        "world": _file_digest(domain.folder / "world.json"),
        "tasks": _file_digest(domain.folder / "tasks" / "test.jsonl"),
        "policy": _digest(domain.policy.encode()),
        "files": _digest(b"".join(_contents(domain.folder, (".py", ".json")))),
        "tools": _digest(msgspec.json.encode(tools, order="deterministic")),
    }


def _contents(folder: Traversable, endings: tuple[str, ...]) -> Iterator[bytes]:
    """Names and contents of the files with such endings, in a fixed order."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _contents(entry, endings)
        elif entry.name.endswith(endings):
            yield entry.name.encode() + b"\0" + entry.read_bytes()


def _party(spec: str | Mapping[str, Any], made: Any) -> dict[str, Any]:
    describe = getattr(made, "describe", None)
    config = {"kind": spec} if isinstance(spec, str) else dict(spec)
    return {"config": _without_transport(config), **_without_transport(describe() if describe else {})}


def _without_transport(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_transport(inner) for key, inner in value.items() if key not in TRANSPORT}
    return value


def _file_digest(path: Path) -> str:
    return _digest(path.read_bytes()) if path.is_file() else ""


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _short(value: Any) -> str:
    return f"{value!r:.80}"
