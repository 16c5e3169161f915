"""Why a task is refused: each reason shown on a task that has that fault alone."""

import re

import msgspec
import pytest

from tau_emotion_gym.kit import TRANSFER, Call, Domain, Fact, Goal, Kind, Output, Script
from tau_emotion_gym.tasks import soundness, walks
from tau_emotion_gym.tasks.arguments import step
from tau_emotion_gym.tasks.replay import replay_task
from tau_emotion_gym.world import ChangeSet, to_change_set

DAY = Output("date", "2026-06-01")
LIST = Call("list_loans", {"member_id": "M1"})
RENEW = Call("renew_loan", {"loan_id": "L1"})
HAND_OFF = Call(TRANSFER, {"reason": "other"})


def goal(intent="renew", kind=Kind.FULFIL, **more) -> Goal:
    return Goal(intent=intent, kind=kind, **more)


def task_of(domain: Domain, *intents: str):
    return next(t for t in domain.test_tasks.values() if tuple(g.intent for g in t.goals) == intents)


def reached(domain: Domain, task):
    return to_change_set(replay_task(domain, task).world.changes())


EMPTY = ChangeSet()


# --- nothing for nothing --------------------------------------------------------------------------


def test_an_idle_agent_must_not_succeed(library: Domain):
    assert "idle" in soundness.for_nothing(library, [goal("late_cost", Kind.INFORM)], EMPTY)
    assert soundness.for_nothing(library, [goal("late_cost", Kind.INFORM, outputs=(DAY,))], EMPTY) is None


def test_a_refusal_needs_an_output_or_a_write_beside_it(library: Domain):
    bare, told = goal("renew_again", Kind.DENY), goal("renew_again", Kind.DENY, outputs=(DAY,))
    inform = goal("late_cost", Kind.INFORM, outputs=(DAY,))
    write = goal("renew", calls=(RENEW,))
    changed = reached(library, task_of(library, "renew"))
    assert "a refusal without an output" in soundness.for_nothing(library, [inform, bare], EMPTY)
    assert soundness.for_nothing(library, [told], EMPTY) is None
    assert soundness.for_nothing(library, [write, bare], changed) is None


def test_a_hand_off_alone_must_not_succeed(library: Domain):
    stuck = task_of(library, "stuck")
    only_transfer = reached(library, stuck)
    lost = goal("lost", Kind.HAND_OFF, calls=(HAND_OFF,))
    assert soundness.for_nothing(library, [lost], only_transfer) == "a hand-off alone solves it"
    told = msgspec.structs.replace(lost, outputs=(DAY,))
    assert soundness.for_nothing(library, [told], only_transfer) is None
    assert soundness.for_nothing(library, stuck.goals, only_transfer) is None


def test_no_shipped_task_is_solved_by_doing_nothing_or_handing_off(each_domain: Domain):
    """Null and refuse-all agents change and tell nothing; a transfer-only agent makes one hand-off."""
    for task in each_domain.test_tasks.values():
        if each_domain.intents[task.goals[-1].intent].emergency:
            continue
        end = reached(each_domain, task)
        assert task.outputs or end != EMPTY, task.id
        assert task.outputs or end.updated or end.removed or set(end.added) != {"hand_offs"}, task.id


# --- goals of a kind ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "tools", "reason"),
    [
        (goal(calls=(LIST,)), 2, "grants a wish without a write"),
        (goal(kind=Kind.CONDITIONAL, calls=(LIST,)), 2, "grants a wish without a write"),
        (goal(kind=Kind.DENY, calls=(RENEW,)), 2, "is deny and yet calls renew_loan"),
        (goal(kind=Kind.INFORM, calls=(LIST, RENEW), outputs=(DAY,)), 3, "is inform and yet calls renew_loan"),
        (goal(kind=Kind.INFORM, calls=(LIST,)), 2, "informs without an output"),
        (goal(kind=Kind.HAND_OFF, calls=(LIST,)), 2, "does not end with one transfer_to_human"),
        (goal(kind=Kind.HAND_OFF, calls=(HAND_OFF, LIST)), 3, "does not end with one transfer_to_human"),
        (goal(calls=(RENEW, HAND_OFF)), 3, "is fulfil and yet calls transfer_to_human"),
        (goal(calls=(RENEW,)), 5, "uses 5 tools"),
        (goal(kind=Kind.INFORM, outputs=(DAY,)), 1, "uses 1 tools"),
        (goal(kind=Kind.DENY), 1, None),
        (goal(calls=(LIST, RENEW)), 3, None),
        (goal(kind=Kind.HAND_OFF, calls=(HAND_OFF,)), 2, None),
    ],
)
def test_a_goal_is_as_its_kind_says(library: Domain, made, tools, reason):
    found = soundness.unlike_its_kind(library, made, tools)
    assert found == reason if reason is None else reason in found


# --- what is said ---------------------------------------------------------------------------------


def test_an_output_is_news(library: Domain):
    told = goal("late_cost", Kind.INFORM, outputs=(DAY,), fill={"title": "Salt"})
    assert soundness.given_away(library, [Fact("title", "Salt")], [told]) is None
    facts = [Fact("title", "Salt", "the book due on June 1")]
    assert "the customer knows the output (date)" in soundness.given_away(library, facts, [told])
    filled = msgspec.structs.replace(told, fill={"title": "2026-06-01"})
    assert "the customer knows" in soundness.given_away(library, [], [filled])
    policy = msgspec.structs.replace(told, outputs=(Output("money", "10.00"),))
    assert "the policy says the output (money)" in soundness.given_away(library, [], [policy])


def test_one_description_means_one_thing():
    one = goal(facts=(Fact("title", "B1", "the blue one"),))
    two = goal(facts=(Fact("title", "B2", "The blue one"),))
    assert "means two values of title" in soundness.ambiguous([one, two])
    assert soundness.ambiguous([one, one]) is None
    assert soundness.ambiguous([one, goal(facts=(Fact("pickup", "B2", "the blue one"),))]) is None


GOOD = Goal(
    fill={"title": "Salt"},
    facts=(Fact("title", "Salt"),),
    calls=(RENEW,),
    outputs=(DAY,),
    script=Script(propose="I will renew it.", report="It has been renewed until June 1, 2026."),
)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"fill": {}}, r"placeholders without fill: \['title'\]"),
        ({"facts": (Fact("titel", "Salt"),)}, "slot 'titel' is not among"),
        (
            {"script": Script(propose="I will do it.", report=GOOD.script.report)},
            "propose does not name renew_loan",
        ),
        (
            {"script": Script(propose="I will renew it.", report="June 1, 2026.")},
            "report does not name renew_loan",
        ),
        ({"outputs": (DAY, Output("money", "3.00"))}, "does not tell the output money 3.00"),
        ({"kind": Kind.DENY, "calls": (), "outputs": ()}, "script.refuse is empty"),
    ],
)
def test_sentences_say_what_they_must(library: Domain, change, reason):
    found = soundness.unsayable(library, library.intents["renew"], msgspec.structs.replace(GOOD, **change))
    if reason is None:
        assert found is None
    else:
        assert re.search(reason, found)


# --- walks ----------------------------------------------------------------------------------------


def test_steps_are_enabled_by_edges_or_facts(library: Domain):
    task = task_of(library, "renew")
    done = [step(library, call, done) for call, done in zip(task.calls, replay_task(library, task).done, strict=True)]
    assert walks.astray(library, [], done) is None
    assert walks.astray(library, [], done[:1] + done[2:]) == "renew_loan needs a loan that no earlier step gives"
    assert walks.astray(library, [], done[1:]) == "list_loans needs a member that no earlier step gives"
    told = [Fact("card", task.customer), Fact("title", done[2].done.arguments["loan_id"])]
    assert walks.astray(library, told, done[2:]) is None


def test_no_write_twice_and_no_figure_twice(library: Domain):
    renew, inform = goal(calls=(LIST, RENEW)), goal("late_cost", Kind.INFORM, calls=(LIST, Call("calculate", {})))
    other = goal("other", Kind.INFORM, calls=(LIST,))
    assert walks.repeated(library, [renew, renew]) == "renew_loan"
    assert walks.repeated(library, [inform, other]) == "list_loans"
    assert walks.repeated(library, [inform, renew]) is None
    assert walks.repeated(library, [goal(calls=(RENEW, RENEW))]) == "renew_loan"


def test_tools_are_counted_without_the_calculator():
    made = goal(calls=(LIST, Call("calculate", {}), Call("think", {}), LIST, RENEW))
    assert walks.tools_used("find_member_by_email", made) == 3
