"""The page "How the simulator feels", rendered from the tables so that it cannot disagree with them.

`python -m tau_emotion_gym.emotions.describe` prints it.
"""

from collections.abc import Iterable, Sequence
from string import Template

from tau_emotion_gym.emotions._tables import read_text
from tau_emotion_gym.emotions.affect import NECESSARY_MOVES, Event, leaving, move, start
from tau_emotion_gym.emotions.amounts import AffectTable, DimensionRow, EventRow, affect_table
from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import LEAF_BY_NAME, LEAVES, TRUST, URGENCY

_EXAMPLES = ("disappointment", "nervousness", "desperation")


def affect_markdown() -> str:
    """The whole page as Markdown."""
    table = affect_table()
    cite = _Citations(table)
    floors = {row.floor for row in table.events if row.floor}
    values = {
        "necessary": ", ".join(_words(event) for event in Event if event in NECESSARY_MOVES),
        "floor": ", ".join(f"{floor:g}" for floor in sorted(floors)),
        "start_satisfaction": f"{table.start.satisfaction:g}",
        "start_patience": f"{table.start.patience:g}",
        "start_reason": table.start.reason,
        "leave_satisfaction": f"{table.leaving.satisfaction:g}",
        "leave_patience": f"{table.leaving.patience:g}",
        "leave_reason": table.leaving.reason,
        "events": _events(table.events),
        "event_reasons": "\n\n".join(
            f"**{_words(row.name).capitalize()}.** {row.reason}{cite(row.sources)}" for row in table.events
        ),
        "families": _grid(
            ("family", "starts at", "friction", "acknowledgement"),
            (
                (row.name, f"{row.satisfaction:g}", f"× {row.friction:g}", f"× {row.acknowledgement:g}")
                for row in table.families
            ),
        ),
        "family_reasons": "\n\n".join(
            f"*{row.name.capitalize()}.* {row.reason}{cite(row.sources)}" for row in table.families
        ),
        "intensity_reason": table.intensity.reason + cite(table.intensity.sources),
        "urgency": _levels(table.urgency, "× {:g}"),
        "urgency_reason": table.urgency.reason + cite(table.urgency.sources),
        "trust": _levels(table.trust, "× {:g}"),
        "trust_reason": table.trust.reason + cite(table.trust.sources),
        "politeness": _levels(table.politeness, "{:+g}"),
        "politeness_reason": table.politeness.reason + cite(table.politeness.sources),
        "examples": "\n\n".join(_example(leaf) for leaf in _EXAMPLES),
        "leaves": _leaves(),
        "unsupported": ", ".join(_unsupported(table)),
    }
    return Template(read_text("affect_page.md")).substitute(values, sources=cite.bibliography())


class _Citations:
    """Numbers sources in the order in which the page cites them."""

    def __init__(self, table: AffectTable) -> None:
        self._texts = table.sources
        self._numbers: dict[str, int] = {}

    def __call__(self, keys: Sequence[str]) -> str:
        for key in keys:
            self._numbers.setdefault(key, len(self._numbers) + 1)
        return f" [{', '.join(str(self._numbers[key]) for key in keys)}]" if keys else ""

    def bibliography(self) -> str:
        return "\n".join(f"{number}. {self._texts[key]}" for key, number in self._numbers.items())


def _words(event: str) -> str:
    return event.replace("_", " ")


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (" | ".join(cells) for cells in (head, ["---"] * len(head), *rows))
    return "\n".join(f"| {line} |" for line in lines)


def _events(rows: Sequence[EventRow]) -> str:
    return _grid(
        ("event", "when", "satisfaction", "patience", "multiplied by"),
        (
            (
                _words(row.name),
                row.meaning,
                _signed(row.satisfaction),
                _signed(row.patience),
                ", ".join(row.scales) or "nothing",
            )
            for row in rows
        ),
    )


def _signed(amount: float) -> str:
    return f"{amount:+g}".replace("-", "−") if amount else "0"


def _levels(row: DimensionRow, shape: str) -> str:
    levels = (f"{level.name} {shape.format(level.factor)}" for level in row.levels)
    return ", ".join(levels).replace("-", "−").replace("+0,", "0,")


def _example(leaf: str) -> str:
    def questions(urgency: str, trust: str) -> int:
        condition = EmotionCondition(LEAF_BY_NAME[leaf].family, leaf, "cold", urgency, trust)
        affect, count = start(condition), 0
        while not leaving(affect, condition):
            affect = move(affect, [Event.REDUNDANT_QUESTION], condition)
            count += 1
        return count

    rows = ((urgency, *(str(questions(urgency, trust)) for trust in TRUST)) for urgency in URGENCY)
    return _grid((leaf, *TRUST), rows)


def _leaves() -> str:
    return _grid(
        ("family", "leaf", "intensity", "constructive", "destructive", "ambiguous"),
        (
            (
                leaf.family,
                leaf.name,
                f"{leaf.intensity[0]} to {leaf.intensity[1]}",
                *(", ".join(kind) or "–" for kind in (leaf.constructive, leaf.destructive, leaf.ambiguous)),
            )
            for leaf in LEAVES
        ),
    )


def _unsupported(table: AffectTable) -> list[str]:
    """The rows without a source, in words."""
    rows = [("the thresholds of leaving", table.leaving.sources), ("the start", table.start.sources)]
    rows.append(("politeness", table.politeness.sources))
    rows.extend((_words(row.name), row.sources) for row in table.events)
    return [name for name, sources in rows if not sources]


if __name__ == "__main__":
    print(affect_markdown(), end="")
