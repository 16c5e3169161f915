"""The careless agents: each fails what its trap catches, and nothing else."""

from collections.abc import Iterator

import pytest

from tau_emotion_gym.agents import make_agent, play
from tau_emotion_gym.agents.careless import reverse
from tau_emotion_gym.agents.choices import Reference, choices
from tau_emotion_gym.agents.rework import Rework
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode, Score
from tau_emotion_gym.evaluation.difficulty import LEAST_FAILED, TRAPS, traps
from tau_emotion_gym.kit import Domain, Task, load, names
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.users import ScriptedUser

DOMAINS = ["library", *names(added=False)]


@pytest.fixture(scope="module", params=DOMAINS)
def domain(request, library) -> Domain:
    return library if request.param == "library" else load(request.param)


def played(domain: Domain, task: Task, name: str, *, neutral: bool = False) -> tuple[Episode, Score]:
    episode = Episode(domain, task, None if neutral else CONDITIONS[task.condition])
    return episode, play(episode, ScriptedUser(), make_agent(name))


def messages(episode: Episode) -> str:
    return "\n".join(turn.content for turn in episode.transcript if turn.role == "agent")


def calls(episode: Episode, name: str) -> list[dict]:
    return [dict(done.arguments) for done in episode.calls if done.name == name and done.ok]


@pytest.mark.parametrize("name", TRAPS)
def test_each_fails_a_share_of_its_traps_and_solves_the_rest(domain, name):
    met = traps(domain)[name]
    assert met
    failed = {task.id for task in domain.test_tasks.values() if not played(domain, task, name)[1].success}
    assert failed <= met
    assert len(failed) >= LEAST_FAILED * len(met)


@pytest.mark.parametrize("name", ["first_match", "no_fallback", "wrong_order"])
def test_customers_who_are_told_the_truth_do_not_leave(library, name):
    scores = [played(library, train_task(library, 11, index), name)[1] for index in range(40)]
    assert {score.outcome.value for score in scores} <= {"satisfied", "handed_off"}


def test_worked_out_again_in_the_same_way_a_task_is_the_same(domain):
    for task in domain.test_tasks.values():
        work = Rework(domain, task)
        assert tuple(work.goal(number) for number in range(len(task.goals))) == task.goals, task.id


# --- first match ------------------------------------------------------------------------------------


def other_copies(library) -> Iterator[tuple[Task, list]]:
    """Tasks with a hold for which another copy of the title stands before the right one."""
    for index in range(2000):
        task = train_task(library, 5, index)
        if [goal.intent for goal in task.goals] == ["hold_or_other"]:
            found = [c for c in choices(Reference(library, task)) if c.entry != "result.0"]
            if found:
                yield task, found


def test_the_first_copy_is_taken_for_the_one_at_the_right_branch(library):
    task, (choice,) = next(other_copies(library))
    first = Rework(library, task, first=True).goal(0)
    assert choice.entry == "result.1"
    assert not [call for call in first.calls if call.name == "place_hold"]
    episode, score = played(library, task, "first_match")
    assert "Hold a copy that stands at the branch where the member collects it." in messages(episode)
    assert not score.state_match
    assert not episode.violations


def _beyond_first(library, task) -> bool:
    return any(choice.entry != "result.0" for choice in choices(Reference(library, task)))


def test_an_entry_that_the_customer_names_is_found(library):
    tasks = (train_task(library, 5, index) for index in range(400))
    task = next(t for t in tasks if t.goals[0].intent == "renew" and len(t.goals) == 1 and _beyond_first(library, t))
    assert played(library, task, "first_match")[1].success


def test_an_id_that_the_customer_says_is_no_choice():
    retail = load("retail")
    for task in retail.test_tasks.values():
        said = {fact.spoken for goal in task.goals for fact in goal.facts}
        reference = Reference(retail, task)
        for choice in choices(reference):
            assert reference.results[choice.place.call][choice.place.path].value not in said


def test_the_wrong_record_is_the_one_that_is_spoken_of():
    retail = load("retail")
    task = next(task for task in retail.test_tasks.values() if [g.intent for g in task.goals][-1] == "cancel_unwanted")
    episode, _ = played(retail, task, "first_match")
    opened = calls(episode, "get_order")[-1]["order_id"]
    proposals = [t.content for t in episode.transcript if t.role == "agent" and "To confirm" in t.content]
    assert all(opened in text for text in proposals[-1:])


# --- wrong order ------------------------------------------------------------------------------------


def test_a_wish_that_needs_another_one_first_is_refused_by_the_rule(library, find_task):
    task = find_task("pay", "hold_after_paying")
    episode, score = played(library, task, "wrong_order")
    assert "cannot place holds until they have paid" in messages(episode)
    assert calls(episode, "pay_fees")
    assert not calls(episode, "place_hold")
    assert not score.success
    assert not episode.violations


def test_a_balance_is_told_as_it_is_before_the_other_wish():
    retail = load("retail")
    task = next(t for t in retail.test_tasks.values() if any(g.intent == "gift_card_after" for g in t.goals))
    episode, score = played(retail, task, "wrong_order")
    (missing,) = score.missing_outputs
    assert missing.kind == "money"
    assert score.state_match
    assert "your gift card now holds $" in messages(episode)


def test_a_hand_off_stays_last(library, find_task):
    task = find_task(last="lost")
    assert reverse(library, task)[-1] == len(task.goals) - 1
    assert sorted(reverse(library, task)) == list(range(len(task.goals)))


# --- policy -----------------------------------------------------------------------------------------


def test_nothing_is_refused_and_nobody_is_asked(library, find_task):
    again, _ = played(library, find_task("renew_again"), "policy_ignorant")
    assert calls(again, "renew_loan")
    assert again.violations == ["confirmation", "renewal_limit"]
    assert "can't" not in messages(again)
    pay, score = played(library, find_task("pay"), "policy_ignorant")
    assert score.success
    assert not score.strict_success
    assert pay.violations == ["confirmation"]


def test_nothing_is_handed_over(library, find_task):
    episode, score = played(library, find_task(last="lost"), "policy_ignorant")
    assert not calls(episode, "transfer_to_human")
    assert not score.success


def test_a_wish_that_was_never_brought_up_is_not_served(library, find_task):
    task = find_task("renew_again", "pay", reveal="one_by_one")
    episode, _ = played(library, task, "policy_ignorant")
    assert calls(episode, "renew_loan")
    assert not calls(episode, "pay_fees")


# --- second best ------------------------------------------------------------------------------------


def test_the_second_best_is_not_done(library, find_task):
    task = find_task("hold_or_other")
    episode, score = played(library, task, "no_fallback")
    assert task.goals[0].script.refuse in messages(episode)
    assert not calls(episode, "place_hold")
    assert not score.success
