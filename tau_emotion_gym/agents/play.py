"""The plainest driver: one episode, one user, one agent, in this thread."""

from collections.abc import Mapping

from tau_emotion_gym.agents.base import Agent, ModelAgent, begin
from tau_emotion_gym.episode import Action, Episode, Outcome, Score, Turn, UserRequest
from tau_emotion_gym.llm import ContextOverflow, ModelError, ModelRefused
from tau_emotion_gym.users import User, UserError
from tau_emotion_gym.users.base import checked_reply


def play(episode: Episode, user: User, agent: Agent | ModelAgent) -> Score:
    """Play a fresh episode to its end and score it.

    A user or a model that fails ends the episode with the outcome `infrastructure`, a conversation that a model
    cannot hold any more with `context_limit`.

    Raises:
        ModelRefused: the model behind the agent or the user refuses every request: a wrong key, an unknown model.
        TypeError, ValueError: what the user answered is no answer.
    """
    begin(agent, episode.domain, episode.task, episode.seed)
    step: Turn | UserRequest = episode.open()
    while True:
        turn = _heard(episode, user, step) if isinstance(step, UserRequest) else step
        if episode.outcome is not None:
            return episode.score()
        step = _acted(episode, agent, turn.observation)


def _heard(episode: Episode, user: User, request: UserRequest) -> Turn:
    try:
        reply = user.reply(request)
    except UserError as error:
        if isinstance(error.__cause__, ModelRefused):
            raise error.__cause__ from error
        return episode.stop(Outcome.INFRASTRUCTURE, str(error))
    return episode.hear(checked_reply(user, request, reply))


def _acted(episode: Episode, agent: Agent | ModelAgent, observation: Mapping[str, str]) -> Turn | UserRequest:
    try:
        action: Action = agent.act(observation)
    except ModelRefused:
        raise
    except ContextOverflow as error:
        return episode.stop(Outcome.CONTEXT_LIMIT, str(error))
    except ModelError as error:
        return episode.stop(Outcome.INFRASTRUCTURE, str(error))
    return episode.act(action)
