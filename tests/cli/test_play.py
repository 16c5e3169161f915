"""`tau-emotion play`: a person as the agent, and as the customer."""

import pytest

from tau_emotion_gym.kit import Kind, load
from tau_emotion_gym.world.records import encode


@pytest.fixture(scope="module")
def task():
    """The first test task of retail that needs no hand-off."""
    tasks = load("retail").test_tasks.values()
    return next(task for task in tasks if task.goals[-1].kind is not Kind.HAND_OFF)


def as_typed(task) -> str:
    """The task's reference calls as a person types them."""
    return "".join(f"/{call.name} {encode(call.arguments)}\n" for call in task.calls)


def test_an_agent_reads_types_and_is_scored(run, task):
    typed = f'Hello, I will look into it.\n{as_typed(task)}/transfer_to_human {{"reason": "other"}}\n'
    result = run("play", "retail", "--task", task.id, "--emotion", "neutral", typed=typed)
    assert result.exit_code == 0
    assert "Customer: " in result.stdout
    assert task.customer in result.stdout
    assert "handed off, reward" in result.stdout
    assert f"the task was {task.id}" in result.stdout


def test_mistakes_are_error_turns_and_the_conversation_goes_on(run):
    typed = '/nonsense {}\n/get_order {"order_id": \n/get_order {"wrong": 1}\nStill here.\n/quit\n'
    result = run("play", "retail", typed=typed)
    assert result.exit_code == 0
    assert result.stdout.count("Error: ") == 3
    assert "there is no tool 'nonsense'" in result.stdout
    assert "Traceback" not in result.output


def test_help_tools_and_policy_take_no_step(run):
    result = run("play", "retail", typed="/help\n/tools\n/tools get_order\n\n/policy\n/quit\n")
    retail = load("retail")
    assert all(name in result.stdout for name in retail.tools if name != "think")
    assert retail.rules[0].text.split(",")[0] in result.stdout
    assert "Error" not in result.stdout
    assert "You stopped; nothing is scored." in result.stdout


def test_the_end_of_the_input_is_no_error(run):
    result = run("play", "retail", typed="Hello\n")
    assert result.exit_code == 0
    assert "You stopped; nothing is scored." in result.stdout


def test_another_seed_another_customer(run):
    first, second = (run("play", "retail", "--seed", seed, typed="").stdout for seed in ("1", "2"))
    assert first != second
    assert run("play", "retail", "--seed", "1", typed="").stdout == first


def test_the_customer_is_told_its_part_and_can_leave(run, task):
    result = run("play", "retail", "--as", "user", "--task", task.id, "-e", "anger", typed="Hello.\n/leave Bye!\n")
    shown = " ".join(result.stdout.split())
    assert "You are the customer." in shown
    assert all(fact.spoken in shown for goal in task.goals for fact in goal.facts)
    assert "Agent: " in shown
    assert "dissatisfied, reward -1" in shown


def test_a_customer_who_is_content_ends_it(run, task):
    result = run("play", "retail", "--as", "user", "--task", task.id, typed="Hello.\n/done Thanks!\n")
    assert "satisfied, reward 0" in result.stdout


def test_a_customer_who_goes_away_is_nobodys_fault(run, task):
    result = run("play", "retail", "--as", "user", "--task", task.id, typed="Hello.\n")
    assert result.exit_code == 0
    assert "infrastructure" in result.stdout
