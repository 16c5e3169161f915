"""What a user is asked, and what it answers: self-contained, picklable, immutable."""

import hashlib
from enum import StrEnum
from functools import lru_cache
from typing import Literal

import msgspec

from tau_emotion_gym.emotions import Affect, EmotionCondition
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.episode.turns import Turn
from tau_emotion_gym.kit import Fact, Kind, Output
from tau_emotion_gym.llm import Usage


@lru_cache(maxsize=1024)
def digest_of(kind: str, value: str) -> str:
    """A digest of a normalised output value."""
    return hashlib.blake2b(f"{kind}|{value}".encode(), digest_size=8).hexdigest()


class Wish(msgspec.Struct, frozen=True):
    """A goal as the customer knows it.

    Attributes:
        kind: what the right end is. Users must not show it; the scripted user uses it to know what would
            close the wish.
        say: the wish in the customer's words.
        again: the wish in other words, for when it has to be said once more.
        stake: why the customer feels what it feels; empty when neutral.
        facts: what the customer knows for it.
        actions: names of the write tools that would fulfil it.
        outputs: what the customer waits to be told (kinds and nouns only; values are blanked).
        answers: digests of the outputs' values (see `digest_of`), so that the scripted user can tell an
            answer from another figure without a user model being able to read it.
        insists: how often to insist after a refusal.
        insist: ways to insist.
        fallback: how to take the second best; empty when there is none.
        emergency: somebody is in danger.
        chained: it comes of the wish before it, and its words say so.
    """

    kind: Kind
    say: str
    again: str
    stake: str
    facts: tuple[Fact, ...]
    actions: frozenset[str]
    outputs: tuple[Output, ...]
    answers: tuple[str, ...]
    insists: int
    insist: tuple[str, ...]
    fallback: str
    emergency: bool = False
    chained: bool = False


class Brief(msgspec.Struct, frozen=True):
    """Who the user is for one whole episode.

    Attributes:
        domain: name of the domain.
        folder: where the domain stands, so that a user in another process finds it.
        task_id: the task.
        seed: the episode's seed.
        condition: the emotion condition; None for neutral.
        identity: what the customer can identify itself with.
        wishes: what it wants, in order.
        reveal: all wishes in the opening, or each when the one before is closed.
        today: the day in the domain's clock, YYYY-MM-DD.
        facts: everything the customer knows: its identity, then each wish's facts.
        owners: for each of `facts` the number of its wish, -1 for the identity.
    """

    domain: str
    folder: str
    task_id: str
    seed: int
    condition: EmotionCondition | None
    identity: tuple[Fact, ...]
    wishes: tuple[Wish, ...]
    reveal: Literal["together", "one_by_one"]
    today: str
    facts: tuple[Fact, ...]
    owners: tuple[int, ...]

    @property
    def danger(self) -> bool:
        """Whether somebody is in danger: one of the wishes is an emergency."""
        for wish in self.wishes:  # noqa: SIM110 (a generator costs more than all the looking)
            if wish.emergency:
                return True
        return False


class UserRequest(msgspec.Struct, frozen=True):
    """The question to a user: what do you say next?

    Attributes:
        brief: who the user is.
        turn: how many times the user has spoken; 0 for the opening.
        transcript: the messages so far, as the user saw them (roles "user" and "agent").
        reading: what the agent's last message does; None for the opening.
        events: names of the affect events of that message.
        affect: how the user feels now.
        leaving: True when affect has crossed its threshold, so that this is the farewell.
        deeds: names of the write tools that have succeeded so far: every change sends the customer a notice.
        news: those that have succeeded since the agent's last message.
        vague: True when the message asks for a yes without saying what for.
        said: which facts a message of the user has stated: bit i is fact i of `brief.facts`.
        memory: what the user itself put into its last reply.
    """

    brief: Brief
    turn: int
    transcript: tuple[Turn, ...]
    reading: Reading | None
    events: tuple[str, ...]
    affect: Affect
    leaving: bool
    said: int
    deeds: frozenset[str]
    news: frozenset[str]
    vague: bool
    memory: str


class Signal(StrEnum):
    """What a reply means for the conversation."""

    CONTINUE = "continue"
    SATISFIED = "satisfied"
    DISSATISFIED = "dissatisfied"


class UserReply(msgspec.Struct, frozen=True):
    """What the user says.

    Attributes:
        text: the message.
        signal: whether it ends the conversation.
        memory: opaque JSON that comes back in the next request.
        thought: what the user wrote that is not for the agent's eyes; it stands in the transcript's turn only.
        usage: tokens that a model behind the user took; None for a user without a model.
    """

    text: str
    signal: Signal = Signal.CONTINUE
    memory: str = ""
    thought: str = ""
    usage: Usage | None = None
