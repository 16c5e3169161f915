"""A transcript as text for people: one paragraph a turn, who speaks in the margin, wrapped."""

import sys
import textwrap
from collections.abc import Iterable

from tau_emotion_gym.episode import Turn

WIDTH = 100
_MARGIN = 10
_LABELS = {"user": "Customer", "agent": "Agent", "call": "Call", "tool": "Result"}
_LONGEST_RESULT = 600


def transcript_text(turns: Iterable[Turn], *, width: int = WIDTH) -> str:
    """The turns as text, each ending with a line break; long tool results are cut.

    Args:
        turns: any part of a transcript.
        width: columns.
    """
    return "".join(_paragraph(turn, width) for turn in turns)


def _paragraph(turn: Turn, width: int) -> str:
    label = "Notice" if turn.name == "episode" else _LABELS[turn.role]
    body = turn.content
    if turn.role == "call":
        body = f"{turn.name} {body}"
    elif turn.role == "tool" and len(body) > _LONGEST_RESULT:
        body = f"{body[:_LONGEST_RESULT]} … ({len(body)} characters)"
    text = (f"(thinks: {turn.thought})\n" if turn.thought else "") + body
    lines = [
        part
        for line in text.splitlines() or [""]
        for part in textwrap.wrap(line, width - _MARGIN, break_on_hyphens=False) or [""]
    ]
    heads = [label, *[""] * (len(lines) - 1)]
    return "".join(f"{head:<{_MARGIN}}{line}".rstrip() + "\n" for head, line in zip(heads, lines, strict=True))


def show(text: str) -> None:
    """Print to standard output, with signs that the console cannot show replaced."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()
