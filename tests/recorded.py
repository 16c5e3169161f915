"""One conversation, played here and now, as the record that a run would log."""

from tau_emotion_gym.agents import Agent
from tau_emotion_gym.episode import Episode, Outcome, UserRequest
from tau_emotion_gym.rollouts import Place, Record, record_of
from tau_emotion_gym.users import User


def recorded(episode: Episode, user: User, agent: Agent, place: Place, stop_after: int | None = None) -> Record:
    """Play a fresh episode to its end; a server "fails" after `stop_after` actions."""
    signals: list[str] = []
    agent.reset(episode.domain, episode.task)
    step = episode.open()
    while True:
        if isinstance(step, UserRequest):
            reply = user.reply(step)
            signals.append(str(reply.signal))
            turn = episode.hear(reply)
        else:
            turn = step
        if episode.outcome is None and episode.steps == stop_after:
            episode.stop(Outcome.INFRASTRUCTURE, "the server has gone")
        if episode.outcome is not None:
            return record_of(episode, place, tuple(signals))
        step = episode.act(agent.act(turn.observation))
