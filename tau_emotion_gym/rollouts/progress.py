"""How a run stands: counts, tokens and money, while it goes on and when it stops."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from tau_emotion_gym.agents.base import AgentSpec
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.llm import NO_USAGE, Usage
from tau_emotion_gym.rollouts.record import Record

MILLION = 1_000_000
"""Prices are dollars per million tokens."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How a run stands.

    Attributes:
        planned: episodes of the whole run.
        done: those that are finished, in this call or before; without `excluded`.
        excluded: those that ended as `infrastructure`; a resume plays them again.
        running: those that are being played.
        successes: of `done`.
        outcomes: outcome → episodes of `done`.
        agent_usage, user_usage: tokens that this call spent, on finished and excluded episodes.
        dollars: what they cost; None when a model's price is unknown.
        seconds: since this call began.
        played: episodes that this call logged.
        stopping: why no further episode begins; "" while the run goes on.
        dropping: running episodes are left, too.
        failure: what the last episode of this call that ended as `infrastructure` says of itself; "" before one.
    """

    planned: int
    done: int
    excluded: int
    running: int
    successes: int
    outcomes: dict[str, int]
    agent_usage: Usage
    user_usage: Usage
    dollars: float | None
    seconds: float
    played: int
    stopping: str = ""
    dropping: bool = False
    failure: str = ""

    @property
    def success_rate(self) -> float | None:
        """Share of successes among the episodes done; None before the first."""
        return self.successes / self.done if self.done else None

    @property
    def per_minute(self) -> float:
        """Episodes that this call logs per minute."""
        return 60 * self.played / self.seconds if self.seconds else 0.0

    @property
    def tokens(self) -> int | None:
        """Tokens that this call spent; None when a server did not tell."""
        return tokens_of(self.agent_usage + self.user_usage)


class Summary(Progress, frozen=True, kw_only=True):
    """How a run stands when `run` returns.

    Attributes:
        stopped: why it did not go on: "" (everything was played), "budget", "failures" or "interrupted"; `stopping`
            is the same in a sentence.
    """

    stopped: str = ""

    @property
    def complete(self) -> bool:
        """Every planned episode is finished and none excluded."""
        return self.done == self.planned


class Tally:
    """Counts the records of a run, each in constant time.

    Args:
        planned: episodes of the run.
        agent, user: their configurations, for prices.
    """

    def __init__(self, planned: int, agent: AgentSpec, user: AgentSpec) -> None:
        self._planned = planned
        self._prices = (prices_of(agent), prices_of(user))
        self._known: dict[str, tuple[str, bool]] = {}
        self._outcomes: Counter[str] = Counter()
        self._successes = 0
        self._usage = (NO_USAGE, NO_USAGE)
        self.played = 0
        self.failures = 0
        """Endings as `infrastructure` in a row."""
        self.failure = ""

    def note(self, key: str, outcome: str, success: bool) -> None:
        """Count an episode that stands in the log; a later record of the same one takes its place."""
        if key in self._known:
            before, succeeded = self._known[key]
            self._outcomes[before] -= 1
            self._successes -= succeeded
        self._known[key] = (outcome, success)
        self._outcomes[outcome] += 1
        self._successes += success

    def add(self, record: Record) -> None:
        """Count an episode that was just played."""
        self.note(record.place.key, record.outcome, record.success)
        agent, user = self._usage
        self._usage = (agent + record.agent_usage, user + record.user_usage)
        self.played += 1
        self.failures = self.failures + 1 if record.excluded else 0
        if record.excluded:
            self.failure = record.detail

    @property
    def tokens(self) -> int | None:
        """Tokens spent; None when a server did not tell."""
        agent, user = self._usage
        return tokens_of(agent + user)

    @property
    def dollars(self) -> float | None:
        """Money spent; None when a price or a number of tokens is unknown."""
        costs = [cost(usage, prices) for usage, prices in zip(self._usage, self._prices, strict=True)]
        known = [one for one in costs if one is not None]
        return sum(known) if len(known) == len(costs) else None

    def figures(self, *, running: int, seconds: float, stopping: str, dropping: bool) -> dict[str, Any]:
        """The attributes of `Progress`."""
        agent, user = self._usage
        excluded = self._outcomes[Outcome.INFRASTRUCTURE]
        outcomes = {name: n for name, n in sorted(self._outcomes.items()) if n and name != Outcome.INFRASTRUCTURE}
        return {
            "planned": self._planned,
            "done": len(self._known) - excluded,
            "excluded": excluded,
            "running": running,
            "successes": self._successes,
            "outcomes": outcomes,
            "agent_usage": agent,
            "user_usage": user,
            "dollars": self.dollars,
            "seconds": seconds,
            "played": self.played,
            "stopping": stopping,
            "dropping": dropping,
            "failure": self.failure,
        }


def tokens_of(usage: Usage) -> int | None:
    """Tokens read and written; None when a server did not tell."""
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens


def prices_of(spec: AgentSpec) -> Mapping[str, float] | None:
    """Dollars per million tokens ("prompt", "completion") in a configuration, if it gives both."""
    if not isinstance(spec, Mapping):
        return None
    if isinstance(spec.get("model"), Mapping):
        return prices_of(spec["model"])
    prices = spec.get("prices")
    return prices if isinstance(prices, Mapping) and {"prompt", "completion"} <= prices.keys() else None


def cost(usage: Usage, prices: Mapping[str, float] | None) -> float | None:
    """Dollars; None when unknown, which is never taken for 0. No model, no cost."""
    if not usage.calls:
        return 0.0
    if prices is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return (usage.prompt_tokens * prices["prompt"] + usage.completion_tokens * prices["completion"]) / MILLION
