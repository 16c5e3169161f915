import os
import subprocess
import sys
from pathlib import Path

import pytest

from tau_emotion_gym.emotions import LEAVES, Event
from tau_emotion_gym.emotions._tables import read_table, read_text
from tau_emotion_gym.emotions.describe import affect_markdown
from tau_emotion_gym.errors import DataError

ROOT = Path(__file__).parents[2]


def test_the_committed_page_is_the_generated_one() -> None:
    page = ROOT / "docs" / "how-the-simulator-feels.md"
    assert page.read_text(encoding="utf-8") == affect_markdown()


def test_the_page_covers_every_event_and_leaf() -> None:
    page = affect_markdown()
    for event in Event:
        assert page.count(event.replace("_", " ")) >= 1
    for leaf in LEAVES:
        assert f"| {leaf.name} | {leaf.intensity[0]} to {leaf.intensity[1]} |" in page
    assert "$" not in page


def test_a_missing_or_damaged_table_is_named() -> None:
    with pytest.raises(DataError, match=r"no_such\.json"):
        read_table("no_such.json", dict)
    with pytest.raises(DataError, match=r"affect\.json: Expected `array`"):
        read_table("affect.json", list)
    with pytest.raises(DataError, match=r"no_such\.md"):
        read_text("no_such.md")


def test_importing_emotions_loads_no_amounts_and_nothing_heavy() -> None:
    script = (
        "import sys; import tau_emotion_gym.emotions; "
        "print([m for m in sys.modules if m.split('.')[0] in "
        "{'networkx', 'rich', 'typer'} or m.endswith('.amounts')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == "[]"
