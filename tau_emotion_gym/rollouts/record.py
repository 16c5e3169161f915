"""The record of one finished episode: a line of the log, complete enough to be scored again without a model."""

import msgspec

from tau_emotion_gym.episode import Episode, Outcome, Turn
from tau_emotion_gym.episode.actions import clean
from tau_emotion_gym.llm import NO_USAGE, Usage


class Place(msgspec.Struct, frozen=True, gc=False):
    """Which episode of a run this is.

    Attributes:
        domain: name of the domain.
        task_id: the task.
        arm: the emotion that the run asked for, as it was written ("task", "neutral", "anger", a path, …).
        trial: number of the repetition, from 0.
        seed: the episode's seed, as digits, since a 64-bit integer does not fit every reader's numbers. It follows
            from the run's seed, domain, task and trial, and not from the arm: the arms of a run are paired.
        emotion: the condition's path, or "neutral".
    """

    domain: str
    task_id: str
    arm: str
    trial: int
    seed: str
    emotion: str

    @property
    def key(self) -> str:
        """What no two episodes of a run share."""
        return f"{self.domain}/{self.task_id}/{self.arm}/{self.trial}"


class Missing(msgspec.Struct, frozen=True):
    """An output that was not told."""

    kind: str
    value: str


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One episode that has ended.

    Attributes:
        place: which episode.
        outcome: why it ended (an `Outcome`).
        detail: what happened when it was stopped from outside.
        reward: the sum of `terms`.
        terms: reward term → contribution.
        success, strict_success, state_match, outputs_match, differences, missing: as in `Score`.
        violations: ids of the rules broken, in order.
        steps, tool_calls, tool_errors, malformed, questions: counts of the agent's actions.
        events: name of an affect event → count.
        satisfaction, patience: affect at the end.
        user_fault: the user was content with a wish unspoken.
        transcript: every turn.
        signals: what each of the user's turns meant for the conversation, as the user gave it.
        asides: number of an agent's action, from 0, as text → what its model wrote with it and did not send.
        agent_usage, user_usage: tokens by role.
        seconds: wall time from opening to end.
    """

    place: Place
    outcome: str
    detail: str = ""
    reward: float
    terms: dict[str, float]
    success: bool
    strict_success: bool
    state_match: bool
    outputs_match: bool
    differences: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()
    violations: tuple[str, ...] = ()
    steps: int
    tool_calls: int
    tool_errors: int
    malformed: int
    questions: int
    events: dict[str, int]
    satisfaction: float
    patience: float
    user_fault: bool = False
    transcript: tuple[Turn, ...]
    signals: tuple[str, ...]
    asides: dict[str, str] = {}
    agent_usage: Usage = NO_USAGE
    user_usage: Usage = NO_USAGE
    seconds: float = 0.0

    @property
    def excluded(self) -> bool:
        """A server failed: the episode says nothing about the agent and is left out of every figure."""
        return self.outcome == Outcome.INFRASTRUCTURE


def record_of(
    episode: Episode,
    place: Place,
    signals: tuple[str, ...],
    *,
    asides: dict[int, str] | None = None,
    agent_usage: Usage = NO_USAGE,
    user_usage: Usage = NO_USAGE,
    seconds: float = 0.0,
) -> Record:
    """The record of an episode that is over."""
    score = episode.score()
    return Record(
        place=place,
        outcome=str(score.outcome),
        detail=episode.detail,
        reward=score.reward,
        terms=score.terms,
        success=score.success,
        strict_success=score.strict_success,
        state_match=score.state_match,
        outputs_match=score.outputs_match,
        differences=score.differences,
        missing=tuple(Missing(output.kind, output.value) for output in score.missing_outputs),
        violations=tuple(episode.violations),
        steps=episode.steps,
        tool_calls=episode.tool_calls,
        tool_errors=episode.tool_errors,
        malformed=episode.malformed,
        questions=episode.questions,
        events={str(event): count for event, count in sorted(episode.events.items())},
        satisfaction=float(episode.affect.satisfaction),
        patience=float(episode.affect.patience),
        user_fault=episode.user_fault,
        transcript=tuple(episode.transcript),
        signals=signals,
        asides={str(number): clean(text) for number, text in (asides or {}).items()},
        agent_usage=agent_usage,
        user_usage=user_usage,
        seconds=round(seconds, 3),
    )


def line_of(record: Record) -> bytes:
    """A record as a line of the log, with its line end."""
    return msgspec.json.encode(record) + b"\n"


def record_from(line: bytes | str) -> Record:
    """A record from a line of the log.

    Raises:
        msgspec.DecodeError, msgspec.ValidationError: the line is no record.
    """
    return _DECODER.decode(line)


_DECODER = msgspec.json.Decoder(Record)
