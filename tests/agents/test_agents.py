"""The reference agent solves its tasks; the agents that do nothing do not."""

import pytest

from tau_emotion_gym.agents import agent_names, make_agent, play
from tau_emotion_gym.emotions import CONDITIONS, NECESSARY_MOVES, Event
from tau_emotion_gym.episode import Episode, Outcome, UserRequest
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.users import ScriptedUser, UserError


def episodes(library, count=120):
    for index in range(count):
        task = train_task(library, 11, index)
        yield Episode(library, task, CONDITIONS[task.condition])


def test_the_reference_agent_solves_every_task_without_a_violation_and_is_never_left(library):
    for episode in episodes(library):
        score = play(episode, ScriptedUser(), make_agent("reference"))
        assert score.strict_success, (episode.task.id, score, episode.transcript[-4:])
        assert not episode.user_fault
        assert episode.tool_errors == 0


def test_its_moves_are_necessary_ones(library):
    allowed = NECESSARY_MOVES | {Event.REFUSAL_WITH_REASON, Event.HAND_OFF}
    for episode in episodes(library):
        play(episode, ScriptedUser(), make_agent("reference"))
        assert set(episode.events) <= allowed, (episode.task.id, episode.events)


@pytest.mark.parametrize("name", ["null", "refuse_all", "transfer_only"])
def test_idle_agents_solve_nothing_but_emergencies(library, name):
    emergencies = {intent.name for intent in library.intents.values() if intent.emergency}
    for episode in episodes(library, 60):
        score = play(episode, ScriptedUser(), make_agent(name))
        assert not score.success or episode.task.goals[0].intent in emergencies


def test_the_friction_agent_does_the_work_and_loses_customers(library):
    scores = [play(episode, ScriptedUser(), make_agent("friction")) for episode in episodes(library)]
    left = sum(score.outcome is Outcome.DISSATISFIED for score in scores)
    assert 0 < left < len(scores)
    assert all(score.success for score in scores if score.outcome is not Outcome.DISSATISFIED)


def test_a_user_that_fails_is_infrastructure(library, find_task):
    class Broken(ScriptedUser):
        def reply(self, request: UserRequest):
            if request.turn:
                raise UserError("no answer in 30 s")
            return super().reply(request)

    episode = Episode(library, find_task("renew"))
    score = play(episode, Broken(), make_agent("reference"))
    assert score.outcome is Outcome.INFRASTRUCTURE
    assert episode.detail == "no answer in 30 s"


def test_agents_by_name():
    careless = {"first_match", "policy_ignorant", "no_fallback", "wrong_order"}
    assert set(agent_names()) == careless | {"reference", "friction", "null", "refuse_all", "transfer_only"}
    with pytest.raises(UnknownName, match="reference"):
        make_agent("refrence")
