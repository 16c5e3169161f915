"""What is said about a name that does not exist."""

from tau_emotion_gym.emotions import FAMILIES, LEAVES
from tau_emotion_gym.errors import unknown

EMOTIONS = [*FAMILIES, *(leaf.name for leaf in LEAVES), "task", "random", "neutral"]


def test_only_names_that_are_alike_are_suggested():
    text = str(unknown("emotion", "angr", EMOTIONS))
    assert text.startswith("unknown emotion 'angr'; did you mean 'anger'? Valid: anger, annoyance")
    assert text.endswith(", task")
    assert "did you mean" not in str(unknown("emotion", "zzz", EMOTIONS))


def test_numbered_names_are_a_range():
    tests = [f"test-{row:03}" for row in range(100)]
    assert str(unknown("task", "lending-999", tests)) == "unknown task 'lending-999'; valid: test-000 … test-099"
    assert "did you mean 'test-099' or" in str(unknown("task", "test-0999", tests))


def test_a_long_name_is_cut():
    assert len(str(unknown("emotion", "a" * 10**6, ["anger"]))) < 200


def test_a_long_list_is_shown_by_examples():
    names = [f"{chr(97 + n % 26)}{n:02}x" for n in range(60)]
    shown = str(unknown("slot", "?", names)).partition("valid: ")[2].split(", ")
    assert shown == [*sorted(names)[:10], "…"]
