"""Damaged task files and policies: refused with file, line and reason, whatever is wrong in them."""

import json
import shutil
from pathlib import Path

import pytest

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit import Domain, Goal, Intent, Kind, missing_fill
from tau_emotion_gym.kit.task_file import Names, read_policy, read_tasks


@pytest.fixture(scope="module")
def known(library: Domain) -> Names:
    return Names("library", library.tools, library.identify_tools, library.intents, library.slots)


@pytest.fixture
def path(library: Domain, tmp_path: Path) -> Path:
    return Path(shutil.copy(library.folder / "tasks" / "test.jsonl", tmp_path))


def spoil(path: Path, change) -> None:
    """Change the third task of a file in place."""
    lines = path.read_text(encoding="utf-8").splitlines()
    task = json.loads(lines[2])
    change(task)
    lines[2] = json.dumps(task)
    path.write_text("\n".join(lines), encoding="utf-8")


def test_a_sound_file_is_read_in_order(path: Path, known: Names):
    assert list(read_tasks(path, known)) == [f"test-{row:03}" for row in range(100)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t["goals"][0].update(intent="renoo"), "unknown intent 'renoo'; did you mean 'renew'"),
        (lambda t: t["goals"][0]["calls"][0].update(name="get_membr"), "unknown tool 'get_membr'.*'get_member'"),
        (lambda t: t["identify"].update(name="calculate"), "unknown identification tool 'calculate'"),
        (lambda t: t["identity"][0].update(slot="mail"), "unknown slot 'mail'; did you mean 'email'"),
        (lambda t: t["goals"][0].update(facts=[{"slot": "ttle", "value": "x"}]), "unknown slot 'ttle'.*'title'"),
        (lambda t: t.update(domain="retail"), "of the domain 'retail', not of 'library'"),
        (lambda t: t.update(condition=594), r"`int` <= 593.*\$\.condition"),
        (lambda t: t.update(condition=-1), r"`int` >= 0.*\$\.condition"),
        (lambda t: t.update(seed=-1), r"`int` >= 0.*\$\.seed"),
        (lambda t: t.update(goals=[]), r"length >= 1.*\$\.goals"),
        (lambda t: t.update(kind=1), "unknown field `kind`"),
        (lambda t: t["goals"][0].update(fil={}), r"unknown field `fil`.*\$\.goals"),
        (lambda t: t["identity"][0].update(vlaue="x"), r"unknown field `vlaue`.*\$\.identity"),
        (lambda t: t["identify"].update(args={}), r"unknown field `args`.*\$\.identify"),
        (lambda t: t["goals"][0].setdefault("script", {}).update(say="x"), r"unknown field `say`.*\.script"),
        (
            lambda t: t["goals"][0].update(outputs=[{"kind": "id", "value": "x", "nuon": "y"}]),
            r"unknown field `nuon`.*\.outputs",
        ),
        (lambda t: t["goals"][0].update(intent="pay", kind="deny"), "intent pay is of the kind fulfil, not deny"),
        (lambda t: t.update(id="test-000"), "the task id 'test-000' occurs twice"),
    ],
)
def test_a_damaged_line_is_named(path: Path, known: Names, change, reason: str):
    spoil(path, change)
    with pytest.raises(DataError, match=rf"test\.jsonl, line 3: .*{reason}"):
        read_tasks(path, known)


@pytest.mark.parametrize("line", ["", "hello", "[]", '{"id": "test-002"}', "\udcff"])
def test_a_line_that_is_no_task_is_named(path: Path, known: Names, line: str):
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[2] = line
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    with pytest.raises(DataError, match=r"test\.jsonl, line 3: "):
        read_tasks(path, known)


def test_a_file_without_tasks(tmp_path: Path, known: Names):
    (tmp_path / "test.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"test\.jsonl: holds no task"):
        read_tasks(tmp_path / "test.jsonl", known)
    with pytest.raises(DataError, match=r"nowhere\.jsonl is missing"):
        read_tasks(tmp_path / "nowhere.jsonl", known)
    with pytest.raises(DataError, match="cannot be read"):
        read_tasks(tmp_path, known)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Be kind.", r"no \{rules\} lines"),
        ("{rules}\nBe kind.\n{rules}", r"2 \{rules\} lines"),
        ("\udcff{rules}", "cannot be read"),
        (None, r"policy\.md is missing"),
    ],
)
def test_a_damaged_policy_is_refused(tmp_path: Path, text: str | None, reason: str):
    path = tmp_path / "policy.md"
    if text is not None:
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(DataError, match=reason):
        read_policy(path)


def wish(*phrasings: str) -> Intent:
    return Intent("wish", Kind.DENY, lambda s: None, phrasings, {"anger": ("I need {thing}.",)})


def test_fill_that_a_sentence_needs():
    assert missing_fill(wish("Cancel {ordr}.", "Cancel {}."), Goal(fill={"thing": "a lamp"})) == ["", "ordr"]
    assert missing_fill(wish("Cancel it."), Goal(fill={"thing": "a lamp", "more": "x"})) == []
    with pytest.raises(DataError, match=r"intent wish has a lone brace in .Cancel \{order."):
        missing_fill(wish("Cancel {order"), Goal())


def test_a_sentence_without_fill_is_found_in_shipped_tasks(library: Domain, known: Names):
    path = library.folder / "tasks" / "test.jsonl"
    task = read_tasks(path, known)["test-000"]
    name = task.goals[0].intent
    odd = wish("Do {smething}.")
    odd = Intent(name, task.goals[0].kind, odd.sample, odd.phrasings, {})
    damaged = Names("library", known.tools, known.identify_tools, {**known.intents, name: odd}, known.slots)
    with pytest.raises(DataError, match=rf"line 1: the intent {name} has placeholders without fill: \['smething'\]"):
        read_tasks(path, damaged)
