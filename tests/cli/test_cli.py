"""The command line: what each command prints, and how each ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tau_emotion_gym.agents import agent_names
from tau_emotion_gym.cli import check as check_command
from tau_emotion_gym.emotions import LEAVES
from tau_emotion_gym.evaluation import CheckReport, Line
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.tasks.check import DomainReport
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.world.state import digest

COMMANDS = ("list", "describe", "demo", "play", "check")


def program(*arguments: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed program in a process of its own."""
    code = "from tau_emotion_gym.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="strict",
        env={**os.environ, **environment},
        timeout=120,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(run, command):
    for flag in ("--help", "-h"):
        result = run(command, flag)
        assert result.exit_code == 0
        assert "Examples" in result.stdout
        assert f"tau-emotion {command}" in result.stdout


def test_help_lists_every_command(run):
    assert all(command in run("--help").stdout for command in COMMANDS)


def test_version(run):
    assert run("--version").stdout.startswith("tau-emotion 0.")


# --- list and describe --------------------------------------------------------------------------------


def test_list_shows_every_domain_with_its_environment(run):
    shown = run("list").stdout
    for name in names():
        assert name in shown
    assert "TauEmotion-Retail-v0" in shown


def test_list_emotions_shows_every_leaf(run):
    shown = run("list", "--emotions").stdout
    assert all(leaf.name in shown for leaf in LEAVES)
    assert "594" in shown


def test_list_agents(run):
    assert run("list", "--agents").stdout.split() == agent_names()


def test_describe_shows_every_rule_tool_and_intent(run):
    shown = run("describe", "retail").stdout
    retail = load("retail")
    assert all(rule.text in shown for rule in retail.rules)
    assert all(tool.name in shown for tool in retail.offered())
    assert all(name in shown for name in retail.intents)


def test_describe_only_graph_is_mermaid_alone(run):
    shown = run("describe", "retail", "--only", "graph").stdout
    assert shown.startswith("flowchart LR\n")
    assert "policy" not in shown


def test_describe_takes_a_folder(run, library):
    assert "town library" in run("describe", str(library.folder)).stdout


# --- errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("describe", "retial"), ("unknown domain 'retial'", "did you mean 'retail'")),
        (("check", "nowhere"), ("unknown domain 'nowhere'", "retail")),
        (("play", "retail", "--emotion", "angr"), ("angr", "'anger'")),
        (("play", "retail", "--task", "test-999"), ("test-999", "test-099")),
        (("play", "retail", "--as", "user", "--agent", "referense"), ("unknown agent 'referense'", "'reference'")),
        (("describe", "./no/such/folder"), ("no/such/folder",)),
    ],
)
def test_a_wrong_name_is_one_line_that_names_valid_ones(run, arguments, parts):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.output
    assert all(part in result.stderr for part in parts)


@pytest.mark.parametrize("arguments", [("nonsense",), ("describe",), ("describe", "retail", "--only", "poem")])
def test_wrong_usage_ends_with_2(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_wrong_usage_in_a_process():
    result = program("describe", "retial")
    assert result.returncode == 2
    assert "did you mean 'retail'" in result.stderr
    assert "Traceback" not in result.stderr


# --- consoles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("list", "--emotions"), ("describe", "retail"), ("list", "--help")])
def test_a_console_without_unicode_gets_plain_characters(command):
    result = program(*command, PYTHONIOENCODING="ascii")
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()


def test_a_conversation_on_a_console_without_unicode():
    result = program("play", "retail", typed="Hello – where is it?\n/quit\n", PYTHONIOENCODING="ascii:strict")
    assert result.returncode == 0, result.stderr
    assert "Customer: " in result.stdout
    assert result.stdout.isascii()


def test_output_to_a_pipe_has_no_colours():
    result = program("describe", "retail")
    assert "\x1b" not in result.stdout


# --- demo ---------------------------------------------------------------------------------------------


def test_demo_tells_three_stories_and_shows_a_table(run):
    result = run("demo", "retail", "--episodes", "5")
    assert result.exit_code == 0
    shown = result.stdout
    assert all(shown.count(title) == 1 for title in ("A furious customer", "An anxious customer", "A proud customer"))
    assert shown.count("dissatisfied, reward -1") == 1
    assert shown.count("satisfied, reward +1") == 2
    for agent in ("reference", "friction", "null", "refuse_all", "transfer_only"):
        (row,) = [line for line in shown.splitlines() if f" {agent} " in line]
        assert "retail" in row
        assert "%" in row
    assert "25 of 25" in result.stderr


def test_demo_is_the_same_every_time(run):
    assert run("demo", "retail", "-n", "2").stdout == run("demo", "retail", "-n", "2").stdout


# --- check --------------------------------------------------------------------------------------------


def report(holds: bool) -> CheckReport:
    counts = {name: {} for name in ("sizes", "kinds", "intents", "rules", "writes", "reveals")}
    static = DomainReport(domain="retail", tasks=100, problems=(), chained=0, emergencies=(), **counts)
    line = Line("the claim", "99 of 100 episodes", holds, () if holds else ("test-007, anger: [no] reason",))
    return CheckReport("retail", 100, 100, (line,), static, (), {})


@pytest.mark.parametrize(("holds", "status", "word"), [(True, 0, "ok"), (False, 1, "FAILS")])
def test_check_says_what_holds_and_ends_accordingly(run, monkeypatch, holds, status, word):
    monkeypatch.setattr(check_command, "check", lambda domain, **options: report(holds))
    result = run("check", "retail")
    assert result.exit_code == status
    assert word in result.stdout
    assert "99 of 100 episodes" in result.stdout
    assert ("test-007, anger: [no] reason" in result.stdout) is not holds


def test_check_as_json(run, monkeypatch):
    monkeypatch.setattr(check_command, "check", lambda domain, **options: report(True))
    assert msgspec.json.decode(run("check", "retail", "--json").stdout, type=list[CheckReport]) == [report(True)]


def test_check_hands_its_options_on(run, monkeypatch):
    asked = []

    def note(*given, **options):
        asked.append((given, options))
        return report(True)

    monkeypatch.setattr(check_command, "check", note)
    run("check", "retail", "--all-conditions", "--jobs", "3")
    ((given, options),) = asked
    assert given == (load("retail"),)
    assert options["all_conditions"] is True
    assert options["jobs"] == 3


def test_check_without_names_checks_every_domain(run, monkeypatch):
    asked = []
    monkeypatch.setattr(check_command, "check", lambda domain, **options: asked.append(domain.name) or report(True))
    run("check")
    assert asked == names()


def test_check_in_a_process_with_workers(library, tmp_path):
    """A domain of the user's own, checked from the shell in two processes, and found wanting: it has two tasks."""
    folder = copied(library, tmp_path)
    result = program("check", str(folder), "--jobs", "2")
    assert result.returncode == 1, result.stderr
    assert "2 test tasks" in result.stdout
    assert "2 test tasks instead of 100" in result.stdout
    assert "playing shelf" in result.stderr


def test_a_damaged_data_file_is_refused_with_file_line_and_reason(library, tmp_path):
    tasks = copied(library, tmp_path) / "tasks" / "test.jsonl"
    first, second = tasks.read_bytes().splitlines()
    tasks.write_bytes(first + b"\n" + second[: len(second) // 2])
    result = program("check", str(tmp_path / "shelf"))
    assert result.returncode == 2
    assert "test.jsonl, line 2: Input data was truncated" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("file", "damage", "reason"),
    [
        ("policy.md", lambda text: None, "policy.md is missing"),
        ("policy.md", lambda text: text + "{rules}", "policy.md: 2 {rules} lines"),
        (
            "tasks/test.jsonl",
            lambda text: text.replace('"intent":"', '"intent":"x'),
            "test.jsonl, line 1: unknown intent",
        ),
        ("world.json", lambda text: text[:9000], "world.json, line 73: Input data was truncated"),
    ],
)
def test_damage_is_one_line(run, library, tmp_path, file, damage, reason):
    path = copied(library, tmp_path) / file
    text = damage(path.read_text(encoding="utf-8"))
    if text is None:
        path.unlink()
    else:
        path.write_text(text, encoding="utf-8")
    result = run("check", str(tmp_path / "shelf"))
    assert result.exit_code == 2
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1


def copied(library, tmp_path: Path) -> Path:
    """The toy domain under another name, with a world and two test tasks."""
    folder = tmp_path / "shelf"
    shutil.copytree(library.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    init = folder / "__init__.py"
    text = init.read_text(encoding="utf-8").replace('"library"', '"shelf"').replace('"Library"', '"Shelf"')
    init.write_text(text, encoding="utf-8")
    tasks = [msgspec.structs.replace(train_task(library, 5, n), world=None, domain="shelf") for n in range(2)]
    world = library.train_base(5).to_json()
    (folder / "world.json").write_bytes(world)
    (folder / "world.checksum").write_text(digest(world), encoding="ascii")
    (folder / "tasks").mkdir(exist_ok=True)
    (folder / "tasks" / "test.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, tasks)))
    return folder
