"""The static check: nothing to say about sound domains, and every fault named with its task."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest

from tau_emotion_gym.kit import Call, Domain, Fact, Intent, Kind, Task
from tau_emotion_gym.tasks.check import DomainReport, Problem, check_domain, task_problems
from tau_emotion_gym.world import ChangeSet

replace = msgspec.structs.replace


@pytest.fixture
def copy(library: Domain, tmp_path: Path) -> Domain:
    """The library in a folder of its own, so that its files can be damaged."""
    folder = tmp_path / "library"
    shutil.copytree(library.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    memos = ("test_base", "test_tasks", "policy", "prose")
    other = object.__new__(Domain)
    other.__dict__.update({k: v for k, v in library.__dict__.items() if k not in memos} | {"folder": folder})
    return other


def rewrite(domain: Domain, change) -> None:
    """Write the test tasks anew, changed; `change` gets the list and changes it in place."""
    path = domain.folder / "tasks" / "test.jsonl"
    tasks = [msgspec.json.decode(line, type=Task) for line in path.read_bytes().splitlines()]
    change(tasks)
    path.write_bytes(b"".join(msgspec.json.encode(task) + b"\n" for task in tasks))


def reasons(domain: Domain) -> list[str]:
    return [str(problem) for problem in check_domain(domain).problems]


def test_every_domain_is_sound(each_domain: Domain):
    report = check_domain(each_domain)
    assert report.problems == ()
    assert report.tasks == 100
    assert min(report.intents.values()) > 0
    assert min(report.rules.values()) > 0
    assert min(report.writes.values()) > 0
    assert set(report.rules) == {rule.id for rule in each_domain.rules}


def test_the_report_is_data_and_text(library: Domain):
    report = check_domain(library)
    assert msgspec.json.decode(msgspec.json.encode(report), type=DomainReport) == report
    summary = report.summary()
    assert "library: 100 tasks" in summary
    assert "problems: 0" in summary
    faulty = replace(report, problems=(Problem("test-003", "is odd"), Problem("", "all is odd")))
    assert faulty.summary().endswith("problems: 2\n    test-003: is odd\n    all is odd")


def altered(task: Task, at: int, **changes) -> Task:
    """The task with one goal changed."""
    goals = list(task.goals)
    goals[at] = replace(goals[at], **changes)
    return replace(task, goals=tuple(goals))


def renewal(domain: Domain) -> Task:
    return next(t for t in domain.test_tasks.values() if [g.intent for g in t.goals] == ["renew"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t, None),
        (lambda t: replace(t, goals=()), "has 0 goals, not 1 to 3"),
        (lambda t: replace(t, goals=t.goals * 4), "has 4 goals, not 1 to 3"),
        (lambda t: altered(t, 0, intent="renown"), r"unknown intents \['renown'\]"),
        (lambda t: replace(t, domain="retail"), "belongs to the domain 'retail'"),
        (lambda t: replace(t, customer="M000000"), r"identification finds M\d+ and not the customer M000000"),
        (lambda t: replace(t, identity=(Fact("mail", "x"),)), r"identity: the slots \['mail'\] are not among"),
        (lambda t: altered(t, 0, calls=t.goals[0].calls[:1]), "does not reach the expected changes"),
        (
            lambda t: altered(t, 0, calls=(Call("renew_loan", {"loan_id": "L1"}),)),
            "fails at call 1: renew_loan: no",
        ),
        (lambda t: altered(t, 0, calls=(*t.goals[0].calls, t.goals[0].calls[1])), "renew_loan twice"),
        (lambda t: altered(t, 0, calls=t.goals[0].calls[1:]), "nobody says where renew_loan loan_id"),
        (lambda t: altered(t, 0, calls=t.goals[0].calls[1:]), "renew_loan needs a loan that no earlier step gives"),
        (lambda t: altered(t, 0, sources={}), "the stored sources are not those of its values"),
        (lambda t: altered(t, 0, kind=Kind.DENY), "is deny and yet calls renew_loan"),
        (lambda t: altered(t, 0, fill={}), "placeholders without fill"),
        (lambda t: altered(t, 0, facts=(Fact("title", t.goals[0].outputs[0].value),)), "the customer knows the output"),
        (lambda t: replace(t, expected=(ChangeSet(removed={"loan": ["L1"]}),)), "unknown table or field 'loan'"),
        (lambda t: replace(t, expected=(ChangeSet(),)), "does not reach the expected changes"),
    ],
)
def test_faults_of_a_task_are_named(library: Domain, change, reason):
    found = list(task_problems(library, change(renewal(library))))
    if reason is None:
        assert found == []
    else:
        assert any(re.search(reason, text) for text in found), found


def test_a_broken_rule_is_named(library: Domain):
    task = next(t for t in library.test_tasks.values() if [g.intent for g in t.goals] == ["pay"])
    look, pay = task.goals[0].calls
    part = altered(task, 0, calls=(look, Call("pay_fees", pay.arguments | {"amount": 0.01})))
    assert "call 2 breaks the rule paid_in_full" in list(task_problems(library, part))


def test_faults_of_the_set_are_named(copy: Domain):
    def spoil(tasks: list[Task]) -> None:
        tasks[3] = replace(tasks[3], condition=(tasks[3].condition + 1) % 594)
        tasks[5] = replace(tasks[4], id=tasks[5].id, condition=tasks[5].condition)
        del tasks[90:]

    rewrite(copy, spoil)
    found = reasons(copy)
    assert any(re.fullmatch(r"test-003: condition \d+ is not the one assigned to row 3", text) for text in found)
    assert any("2 tasks share the customer and intents" in text for text in found)
    assert "90 test tasks instead of 100" in found


def test_what_no_task_uses_is_named(copy: Domain):
    def spoil(tasks: list[Task]) -> None:
        tasks[:] = [task for task in tasks if all(goal.intent != "pay" for goal in task.goals)]

    rewrite(copy, spoil)
    found = reasons(copy)
    assert "no task uses the intents pay, hold_after_paying" in found
    assert "no task uses the rules paid_in_full" in found
    assert "no task uses the writes pay_fees" in found
    assert "0 chained tasks, fewer than 8" in found
    assert any(re.search(r"tasks with 1 goals: .* %, not 30 to 40 %", text) for text in found)


def test_damaged_files_are_problems_with_file_line_and_reason(copy: Domain):
    path = copy.folder / "tasks" / "test.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:6], lines[6].replace(b'"customer":"', b'"customer":7,"x":"', 1), *lines[7:]]))
    assert any(
        re.search(r"test\.jsonl, line 7: Expected `str`, got `int` - at `\$\.customer`", t) for t in reasons(copy)
    )


@pytest.mark.parametrize(
    ("name", "damage", "reason"),
    [
        ("tasks/test.jsonl", lambda data: data[:-9], r"test.jsonl, line 100: "),
        (
            "tasks/test.jsonl",
            lambda data: data + data.splitlines()[0],
            r"test.jsonl, line 101: .*'test-000' occurs twice",
        ),
        ("tasks/test.jsonl", None, r"test.jsonl is missing"),
        (
            "world.json",
            lambda data: data.replace(b'"title":"', b'"title":5,"x":"', 1),
            r"json, line \d+: table 'books'",
        ),
        ("world.json", lambda data: data.replace(b"Salt", b"Sale", 1), r"world.json: checksum \w+ is not the recorded"),
        ("world.json", None, r"world.json is missing"),
        ("world.checksum", None, r"world.checksum is missing"),
        ("policy.md", lambda data: data.replace(b"{rules}", b""), r"policy.md: no \{rules\} line"),
    ],
)
def test_each_damaged_file_is_reported(copy: Domain, name, damage, reason):
    path = copy.folder / name
    data = path.read_bytes()
    if damage is None:
        path.unlink()
    else:
        assert damage(data) != data
        path.write_bytes(damage(data))
    found = reasons(copy)
    assert any(re.search(reason, text) for text in found), found


def test_shared_ids_and_failing_intents_are_problems(copy: Domain):
    """A training world that is the test world, and an intent that raises."""
    test = copy.test_base

    def explode(s):
        raise ZeroDivisionError("no loans")

    old = copy.intents["late_cost"]
    copy.train_base = lambda seed: test
    copy.intents = copy.intents | {"late_cost": Intent("late_cost", old.kind, explode, old.phrasings, old.stakes)}
    copy.train_base(0).tables[copy.customer_kind].pop(next(iter(test.tables[copy.customer_kind])), None)
    found = reasons(copy)
    assert any(re.match(r"train-0-\d+: ZeroDivisionError: no loans", text) for text in found), found


def test_unknown_reviewed_edges_are_problems(copy: Domain):
    copy.edges_added = (("list_loans", "renew_lone"),)
    found = reasons(copy)
    assert any("reviewed edge" in text and "renew_loan" in text for text in found), found
