"""Messages with labels, read by the reader: shared by the tests and by `report.py`."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tau_emotion_gym.episode.reading import Reader, Reading

HERE = Path(__file__).parent
REAL = HERE.parents[2] / "shared" / "data" / "agent_messages.jsonl"
KINDS = ("asks", "confirms", "claims", "refuses", "offers", "acknowledges")


class Message(NamedTuple):
    """One labelled message and what the reader makes of it."""

    key: str
    text: str
    expected: dict[str, Any]
    got: dict[str, Any]


@cache
def readers() -> dict[str, Reader]:
    """One reader per domain of `lexicon.json`."""
    lexicon = json.loads((HERE / "lexicon.json").read_text(encoding="utf-8"))
    return {domain: Reader(**tables) for domain, tables in lexicon.items()}


def labels(reading: Reading) -> dict[str, Any]:
    """A reading in the form of the labels."""
    got: dict[str, Any] = {name: getattr(reading, name) for name in reading.__struct_fields__}
    got["actions_claimed"] = sorted(reading.claims)
    got["proposed"] = sorted(reading.proposed)
    got["claims"] = reading.claims_done
    got["asks"] = sorted(reading.asks)
    return got


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _message(key: str, domain: str, text: str, row: dict[str, Any]) -> Message:
    expected = {k: v for k, v in row.items() if k not in ("domain", "conversation", "turn", "text")}
    expected["asks"] = sorted(row["asks"])
    return Message(key, text, expected, labels(readers()[domain].read(text)))


def annotated() -> list[Message]:
    """The annotated real messages; empty where their texts are absent."""
    if not REAL.exists():
        return []
    texts = {(r["domain"], r["conversation"], r["turn"]): r["content"] for r in _lines(REAL)}
    messages = []
    for row in _lines(HERE / "annotations.jsonl"):
        key = (row["domain"], row["conversation"], row["turn"])
        messages.append(_message("{} {}.{}".format(*key), row["domain"], texts[key], row))
    return messages


def own_messages() -> list[Message]:
    """The project's own messages."""
    path = HERE / "own_messages.jsonl"
    rows = _lines(path) if path.exists() else []
    return [_message(f"line {n}", row["domain"], row["text"], row) for n, row in enumerate(rows, 1)]


def wrong(messages: list[Message], kind: str) -> list[str]:
    """What was expected and what was read, for each wrong reading of a kind."""
    return [
        f"{m.key}: expected {m.expected[kind]!r}, read {m.got[kind]!r}"
        for m in messages
        if kind in m.expected and m.expected[kind] != m.got[kind]
    ]


def table(messages: list[Message], kinds: tuple[str, ...] = KINDS) -> dict[str, float]:
    """Share of the messages on which label and reading agree, by kind."""
    return {kind: 1 - len(wrong(messages, kind)) / max(len(messages), 1) for kind in kinds}
