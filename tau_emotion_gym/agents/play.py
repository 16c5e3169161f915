"""The plainest driver: one episode, one user, one agent, in this thread."""

from tau_emotion_gym.agents.base import Agent
from tau_emotion_gym.episode import Episode, Outcome, Score, Turn, UserRequest
from tau_emotion_gym.users import User, UserError


def play(episode: Episode, user: User, agent: Agent) -> Score:
    """Play a fresh episode to its end and score it."""
    agent.reset(episode.domain, episode.task)
    step: Turn | UserRequest = episode.open()
    while True:
        if isinstance(step, UserRequest):
            try:
                turn = episode.hear(user.reply(step))
            except UserError as error:
                turn = episode.stop(Outcome.INFRASTRUCTURE, str(error))
        else:
            turn = step
        if episode.outcome is not None:
            return episode.score()
        step = episode.act(agent.act(turn.observation))
