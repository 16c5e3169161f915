"""A logged episode played again from its record, without user and agent: for scoring anew and for analysis."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode, Outcome, Signal, Turn, UserReply
from tau_emotion_gym.episode.actions import Malformed, Message
from tau_emotion_gym.episode.episode import ERROR
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.kit import load
from tau_emotion_gym.rollouts.record import Record
from tau_emotion_gym.tasks.train import task_by_id


class ReplayError(TauEmotionError):
    """A record that this version of the package cannot play again: its domain or task has changed."""


def replay(record: Record, *, reward: Mapping[str, float] | None = None, **settings: Any) -> Episode:
    """The episode of a record at its end, every turn driven through the rules as they are now.

    Args:
        record: the record.
        reward: reward terms; the default ones when None.
        settings: further arguments of `Episode` under which the run was played (`user_exit`, `max_steps`,
            `think_tool`).

    Raises:
        UnknownName: the domain or task no longer exists.
        ReplayError: the dialogue runs otherwise than the record says.
    """
    *_, (episode, _) = replayed(record, reward=reward, **settings)
    return episode


def replayed(
    record: Record, *, reward: Mapping[str, float] | None = None, **settings: Any
) -> Iterator[tuple[Episode, Turn]]:
    """The episode of a record after each of its turns, with that turn. The episode is the same object throughout."""
    place = record.place
    domain = load(place.domain)
    episode = Episode(
        domain,
        task_by_id(domain, place.task_id),
        resolve(place.emotion, assigned=None, seed=0),
        seed=int(place.seed),
        reward=reward,
        **settings,
    )
    episode.open()
    signals = iter(record.signals)
    for turn, after in zip_longest(record.transcript, record.transcript[1:]):
        try:
            _drive(episode, turn, after, signals)
        except (TauEmotionError, StopIteration, ValueError) as error:
            raise ReplayError(f"{place.key}: cannot be played again at a turn of {turn.role}: {error}") from None
        yield episode, turn
    if episode.outcome is None and record.outcome in (Outcome.INFRASTRUCTURE, Outcome.CONTEXT_LIMIT):
        episode.stop(record.outcome, record.detail)
    if episode.outcome is None:
        raise ReplayError(f"{place.key}: the record ends as {record.outcome}, the replay does not end")


def _drive(episode: Episode, turn: Turn, after: Turn | None, signals: Iterator[str]) -> None:
    if turn.role == "user":
        episode.hear(UserReply(turn.content, Signal(next(signals)), thought=turn.thought))
    elif turn.role == "agent":
        episode.act(Message(turn.content, turn.thought))
    elif turn.role == "call" and turn.error and after is not None:
        episode.act(Malformed(turn.name, turn.content, after.content.removeprefix(ERROR), turn.thought))
    elif turn.role == "call":
        thought = {"thought": turn.thought} if turn.thought else {}
        episode.act({"name": turn.name, "arguments": turn.content} | thought)
