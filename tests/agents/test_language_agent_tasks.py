"""A model that knows the answers loses nothing on the way through messages: it solves what the reference solves."""

import pytest

from tau_emotion_gym.agents import make_agent, play
from tau_emotion_gym.agents.language import LanguageAgent
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.users import ScriptedUser

FORMS = [("native", 1, 1), ("native", 16, 4), ("text", 1, 4), ("text", 16, 1)]
"""Tool mode, calls in one answer at most, and which tasks: all, or every fourth."""


def played(domain, task, agent):
    episode = Episode(domain, task, CONDITIONS[task.condition])
    score = play(episode, ScriptedUser(), agent)
    return score, episode.transcript


@pytest.mark.parametrize(("mode", "most", "step"), FORMS)
@pytest.mark.parametrize("name", names(added=False))
def test_a_model_with_the_right_answers_solves_every_task(name, mode, most, step):
    domain = load(name)
    for task in list(domain.test_tasks.values())[::step]:
        spec = {"kind": "puppets:Puppet", "domain": name, "task": task.id, "form": mode, "most": most}
        score, transcript = played(domain, task, agent := LanguageAgent(spec, tool_mode=mode))
        assert score.strict_success, (task.id, score)
        assert (score, transcript) == played(domain, task, make_agent("reference"))
        assert agent.usage.calls == agent.usage.completion_tokens > 0
        assert agent.asides == {}
