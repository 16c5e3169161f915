"""A finished conversation as the audit reads it: both sides' messages, with what was known and felt at each."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from tau_emotion_gym.emotions import Affect
from tau_emotion_gym.episode import Brief, Episode, Turn
from tau_emotion_gym.episode.brief import reader_of
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.rollouts.record import Record
from tau_emotion_gym.rollouts.replay import ReplayError, replayed


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One message.

    Attributes:
        role: who wrote it.
        turn: its place in the transcript, from 0.
        text: the message.
        signal: of the user, what the message meant for the conversation; "" where that was not recorded.
        reading: of the agent, what the message does; None where the domain is not known.
        events: of the agent, the affect events of the message and of the calls since its last one.
        before: affect before these events.
        affect: affect after them; None where the episode cannot be played again.
        leaving: whether affect has crossed its threshold.
        deeds: the write tools that have succeeded so far.
    """

    role: Literal["user", "agent"]
    turn: int
    text: str
    signal: str = ""
    reading: Reading | None = None
    events: tuple[str, ...] = ()
    before: Affect | None = None
    affect: Affect | None = None
    leaving: bool = False
    deeds: frozenset[str] = frozenset()


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation.

    Attributes:
        key: the episode's key.
        outcome: why it ended.
        lines: the messages of both sides, in order.
        brief: the user's part; None where only the text is known.
        domain: the business; None where it is not known.
        knows: everything that the user was told and may say; None where that is not known.
        today: the day in the domain's clock, YYYY-MM-DD; "" where it is not known.
        user_fault: the user was content with a wish unspoken.
        text_only: why the exact checks cannot be made; "" where they can.
    """

    key: str
    outcome: str
    lines: tuple[Line, ...]
    brief: Brief | None = None
    domain: Domain | None = None
    knows: tuple[str, ...] | None = None
    today: str = ""
    user_fault: bool = False
    text_only: str = ""

    @property
    def user_lines(self) -> list[Line]:
        """The user's messages."""
        return [line for line in self.lines if line.role == "user"]


def talk_of(record: Record, **settings: Any) -> Talk:
    """The conversation of a record, played again for what the user knew and felt.

    A record whose domain or task this version does not have, or that plays otherwise, is read as text only.

    Args:
        record: the record.
        settings: arguments of `Episode` under which the run was played (`user_exit`, `max_steps`, `think_tool`).
    """
    try:
        return _played(record, settings)
    except (ReplayError, UnknownName) as error:
        return text_talk(
            record.place.key,
            record.transcript,
            outcome=record.outcome,
            signals=record.signals,
            why=str(error),
        )


def text_talk(
    key: str,
    transcript: Iterable[Turn],
    *,
    outcome: str = "",
    signals: Sequence[str] = (),
    knows: Sequence[str] | None = None,
    why: str = "the episode is from elsewhere",
) -> Talk:
    """A conversation of which only the text is known.

    Args:
        key: the episode's key.
        transcript: its turns.
        outcome: why it ended.
        signals: per message of the user what it meant, where that is known.
        knows: what the user was told, where that is known: an instruction, say.
        why: why no more is known.
    """
    given = iter(signals)
    lines = [
        Line(role=turn.role, turn=at, text=turn.content, signal=next(given, "") if turn.role == "user" else "")
        for at, turn in enumerate(transcript)
        if turn.role == "user" or turn.role == "agent"
    ]
    known = None if knows is None else tuple(knows)
    return Talk(key=key, outcome=outcome, lines=tuple(lines), knows=known, text_only=why)


def _played(record: Record, settings: dict[str, Any]) -> Talk:
    lines: list[Line] = []
    signals = iter(record.signals)
    seen: Counter[str] = Counter()
    felt: Affect | None = None
    episode: Episode | None = None
    for at, (episode, turn) in enumerate(replayed(record, **settings)):
        deeds = frozenset(done.name for done in episode.calls if done.ok and episode.domain.tools[done.name].writes)
        if turn.role == "user":
            lines.append(Line(role="user", turn=at, text=turn.content, signal=next(signals, ""), deeds=deeds))
            felt = felt or episode.affect
        elif turn.role == "agent":
            events = tuple((episode.events - seen).elements())
            seen = Counter(episode.events)
            lines.append(
                Line(
                    role="agent",
                    turn=at,
                    text=turn.content,
                    reading=reader_of(episode.domain).read(turn.content),
                    events=events,
                    before=felt,
                    affect=episode.affect,
                    leaving=episode.leaving,
                    deeds=deeds,
                )
            )
            felt = episode.affect
    if episode is None:
        return text_talk(record.place.key, (), outcome=record.outcome, why="nothing was said")
    brief = episode.brief
    return Talk(
        key=record.place.key,
        outcome=record.outcome,
        lines=tuple(lines),
        brief=brief,
        domain=episode.domain,
        knows=tuple(_known(brief)),
        today=brief.today,
        user_fault=episode.user_fault,
    )


def _known(brief: Brief) -> Iterator[str]:
    """Everything that the user is told of itself and may say."""
    yield brief.today
    for fact in brief.facts:
        yield fact.value
        yield fact.spoken
    for wish in brief.wishes:
        yield from (wish.say, wish.stake, wish.fallback, *wish.insist)
