"""Which wish a dialogue is about: by the customer's words, in order, one after another."""

import pytest
from macro_play import discrete, stacked
from oracle import Oracle

from tau_emotion_gym.kit import Kind, load, names
from tau_emotion_gym.wrappers.wishes import wishes_of

DOMAINS = names(added=False)


class Tracking(Oracle):
    """The oracle, and the number of the goal that it serves."""

    serving = -1

    def _serve(self, number, goal):
        for name in super()._serve(number, goal):
            self.serving = number
            yield name


def alike(dialogue) -> set[str]:
    wishes = wishes_of(dialogue.domain)
    return {name for name, one in zip(wishes.names, dialogue.agenda.current.likeness, strict=True) if one}


@pytest.mark.parametrize("name", DOMAINS)
def test_the_wish_at_hand_is_the_one_that_is_served(name):
    env = discrete(load(name).title, emotion="task")
    actions = env.get_wrapper_attr("action_names")
    right = seen = 0
    for task_id in list(load(name).test_tasks)[::2]:
        env.reset(seed=1, options={"task_id": task_id})
        episode = env.unwrapped.episode
        oracle = Tracking(env.get_wrapper_attr("linker"), episode)
        for action in oracle.actions():
            if oracle.serving in oracle.dialogue.heard:
                intent = episode.task.goals[oracle.serving].intent
                right += not alike(oracle.dialogue).isdisjoint({f"wish.{intent}", f"instead.{intent}"})
                seen += 1
            env.step(actions.index(action))
            if episode.outcome is not None:
                break
    assert seen > 300
    assert right >= 0.97 * seen


def test_intents_that_are_worded_alike_are_brought_up_together():
    wishes = wishes_of(load("retail"))
    ((start, likeness),) = wishes.hear("hello. i want to cancel order r1. the tricks are sickening.")
    found = {name for name, one in zip(wishes.names, likeness, strict=True) if one}
    assert start == len("hello. ")
    assert {"wish.cancel_unwanted", "wish.cancel_shipped"} <= found
    assert not any(name.startswith("wish.return") for name in found)


def test_a_message_with_other_words_brings_up_nothing():
    assert wishes_of(load("retail")).hear("my email is someone@mail.example. please be quick.") == []


def test_the_second_best_counts_once_the_first_was_refused():
    env = stacked()
    tasks = load("retail").test_tasks.values()
    task = next(task for task in tasks if [goal.kind for goal in task.goals] == [Kind.CONDITIONAL])
    observation, _ = env.reset(seed=1, options={"task_id": task.id})
    place = env.get_wrapper_attr("names").index(f"instead.{task.goals[0].intent}")
    oracle = Oracle(env.get_wrapper_attr("linker"), env.unwrapped.episode)
    refused = False
    for name in oracle.actions():
        assert refused or not observation[place]
        refused = refused or name == "refuse"
        observation, *_ = env.step(env.get_wrapper_attr("action_names").index(name))
        if env.unwrapped.episode.outcome is not None:
            break
    assert refused
    assert observation[place] == 1.0


def test_what_the_customer_describes_is_found_when_a_result_shows_it():
    """An item that the customer describes stands in the last of the orders that the reference looks at."""
    env = stacked()
    tasks = load("retail").test_tasks.values()
    task = next(task for task in tasks if len(task.goals) == 1 and _looks_through(task))
    env.reset(seed=1, options={"task_id": task.id})
    place = env.get_wrapper_attr("names").index("slot.item.found")
    oracle = Oracle(env.get_wrapper_attr("linker"), env.unwrapped.episode)
    found = []
    for name in oracle.actions():
        observation, *_ = env.step(env.get_wrapper_attr("action_names").index(name))
        if name == "call:get_order":
            found.append(observation[place])
        if env.unwrapped.episode.outcome is not None:
            break
    assert found == [*([0.0] * (len(found) - 1)), 1.0]
    assert len(found) > 1


def _looks_through(task) -> bool:
    goal = task.goals[0]
    return [fact.slot for fact in goal.facts][:1] == ["item"] and sum(c.name == "get_order" for c in goal.calls) > 2
