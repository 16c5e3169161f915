"""What an agent did in each episode: calls, messages, questions by kind."""

from collections.abc import Iterable
from statistics import fmean

import msgspec

from tau_emotion_gym.emotions import Event
from tau_emotion_gym.evaluation.foreign.results import PREFIX
from tau_emotion_gym.rollouts.record import Record

NEEDLESS = (
    Event.REDUNDANT_QUESTION,
    Event.AVOIDABLE_QUESTION,
    Event.BUNDLED_QUESTIONS,
    Event.DRIPPED_QUESTION,
)
"""Affect events that say of a question that it was not needed, or not in this form."""


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """The agent's conduct in one episode.

    Attributes:
        key: the episode's key.
        task: domain and task, which are resampled together.
        success: the customer was served.
        left: the customer left dissatisfied.
        tool_calls: calls of tools.
        tool_errors: of them, those that failed.
        messages: messages to the customer.
        words: mean length of a message in words; 0.0 without a message.
        questions: things asked, requests for a yes included.
        necessary, redundant, avoidable, bundled, dripped: messages that asked so, as affect reads them (see
            "How the simulator feels"); None where that is not recorded.
        confirmations: requests for a yes; None where that is not recorded.
        acknowledgements: messages that met the customer's feeling; None where that is not recorded.
    """

    key: str
    task: tuple[str, str]
    success: bool
    left: bool
    tool_calls: int
    tool_errors: int
    messages: int
    words: float
    questions: int
    necessary: int | None = None
    redundant: int | None = None
    avoidable: int | None = None
    bundled: int | None = None
    dripped: int | None = None
    confirmations: int | None = None
    acknowledgements: int | None = None

    @property
    def needless(self) -> int | None:
        """Questions that were not needed, or not in this form; a message may count twice."""
        parts = (self.redundant, self.avoidable, self.bundled, self.dripped)
        return None if None in parts else sum(part or 0 for part in parts)

    @property
    def balance(self) -> float | None:
        """necessary / (necessary + tool calls), 0 to 1; None where neither is known to have happened.

        An agent gets what it lacks from the customer or from its tools. This is the customer's share. Only
        necessary questions count, since a needless one brings nothing; so an agent cannot look balanced by asking
        twice. Near 0 it acts on what it was told unasked; near 1 it interviews and does nothing.
        """
        if self.necessary is None or not self.necessary + self.tool_calls:
            return None
        return self.necessary / (self.necessary + self.tool_calls)


def behaviour_of(record: Record) -> Behaviour:
    """The agent's conduct in one episode. Of records from elsewhere, which have no affect, kinds are not known."""
    messages = [turn.content for turn in record.transcript if turn.role == "agent"]
    kinds = {} if record.place.domain.startswith(PREFIX) else _kinds(record)
    return Behaviour(
        key=record.place.key,
        task=(record.place.domain, record.place.task_id),
        success=record.success,
        left=record.outcome == "dissatisfied",
        tool_calls=record.tool_calls,
        tool_errors=record.tool_errors,
        messages=len(messages),
        words=fmean(len(text.split()) for text in messages) if messages else 0.0,
        questions=record.questions,
        **kinds,
    )


def _kinds(record: Record) -> dict[str, int]:
    events = record.events
    return {
        "necessary": events.get(Event.NECESSARY_QUESTION, 0),
        "redundant": events.get(Event.REDUNDANT_QUESTION, 0),
        "avoidable": events.get(Event.AVOIDABLE_QUESTION, 0),
        "bundled": events.get(Event.BUNDLED_QUESTIONS, 0),
        "dripped": events.get(Event.DRIPPED_QUESTION, 0),
        "confirmations": events.get(Event.CONFIRMATION_REQUEST, 0),
        "acknowledgements": events.get(Event.ACKNOWLEDGEMENT, 0),
    }


def behaviours_of(records: Iterable[Record]) -> list[Behaviour]:
    """The conduct in every episode that no server spoilt."""
    return [behaviour_of(record) for record in records if not record.excluded]
