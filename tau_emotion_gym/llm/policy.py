"""One policy for every server: when to ask, how long to wait, when to ask again, when to give up.

`Limits` and `Tries` do no I/O and read no clock; `Driver` carries them out, blocking or not, so that both ways obey
the same rules and share the same limits.
"""

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from enum import StrEnum
from itertools import count

import msgspec

from tau_emotion_gym._draw import mix
from tau_emotion_gym.llm.base import Completion, ContextOverflow, ModelError, ModelRefused, Usage

FIRST_DELAY = 0.5
"""Seconds before the second try, at most; doubled with every further one."""

LONGEST_DELAY = 30.0
"""Seconds between two tries, at most, where the server names no time of its own."""

LONGEST_RETRY_AFTER = 60.0
"""Seconds that a server's Retry-After is obeyed, at most."""

MINUTE = 60.0


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How a server is treated.

    Attributes:
        timeout: seconds that one try may take.
        retries: tries after the first.
        requests_per_minute: requests started per minute, spread evenly; None for no limit.
        tokens_per_minute: tokens read and written per minute, estimated before and settled after; None for no limit.
        concurrency: requests in flight at once, per client.
    """

    timeout: float = 120.0
    retries: int = 5
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    concurrency: int = 64


class Verdict(StrEnum):
    """What a failed try means for the request."""

    AGAIN = "again"
    FAILED = "failed"
    OVERFLOW = "overflow"
    REFUSED = "refused"
    FORBIDDEN = "forbidden"
    """`REFUSED` while the server has answered nothing; `FAILED` later, when it is this request that it forbids."""


ERRORS: dict[Verdict, type[ModelError]] = {
    Verdict.AGAIN: ModelError,
    Verdict.FAILED: ModelError,
    Verdict.OVERFLOW: ContextOverflow,
    Verdict.REFUSED: ModelRefused,
}


class Failure(msgspec.Struct, frozen=True):
    """Why a try gave no completion.

    Attributes:
        verdict: what follows from it.
        reason: what happened, for people; holds no key.
        retry_after: seconds that the server asks everybody to wait; None when it does not say.
        usage: tokens that the server counted all the same.
    """

    verdict: Verdict
    reason: str
    retry_after: float | None = None
    usage: Usage | None = None


Outcome = Completion | Failure


class Limits:
    """What all threads and event loops of a process share: requests and tokens per minute, and what is known.

    Attributes:
        answered: the server has answered a request.
    """

    def __init__(self, policy: Policy) -> None:
        self.answered = False
        self._lock = threading.Lock()
        self._request_gap = MINUTE / policy.requests_per_minute if policy.requests_per_minute else 0.0
        self._token_gap = MINUTE / policy.tokens_per_minute if policy.tokens_per_minute else 0.0
        self._next_request = self._next_token = self._paused_until = float("-inf")

    def admit(self, now: float, tokens: int) -> float:
        """Reserve a place for a request of about so many tokens; the seconds until its turn."""
        with self._lock:
            start = max(now, self._paused_until, self._next_request, self._next_token)
            self._next_request = start + self._request_gap
            self._next_token = start + self._token_gap * tokens
            return start - now

    def paused(self, now: float) -> bool:
        """Whether nobody may start yet, also who has had a place since before the pause."""
        return now < self._paused_until

    def settle(self, tokens: int) -> None:
        """Correct a reservation by the tokens that it was too low (or, if negative, too high)."""
        with self._lock:
            self._next_token += self._token_gap * tokens

    def pause(self, until: float) -> None:
        """Let nobody start before `until`."""
        with self._lock:
            self._paused_until = max(self._paused_until, until)


class Tries:
    """The tries of one request.

    Args:
        policy: how often to try.
        limits: what all requests share.
        subject: names the model in messages.
        tokens: a guess at what the request costs.
        seed: for the jitter; different for every request.
    """

    def __init__(self, policy: Policy, limits: Limits, subject: str, tokens: int, seed: int) -> None:
        self._policy = policy
        self._limits = limits
        self._subject = subject
        self._tokens = tokens
        self._seed = seed
        self._failed = 0
        self._spent: Usage | None = None

    def admission(self, now: float) -> float:
        """Seconds until the next try may start."""
        return self._limits.admit(now, self._tokens)

    def after(self, outcome: Outcome, now: float) -> Completion | float:
        """The completion, or the seconds to wait before the next try.

        Raises:
            ModelError: there is no use in another try.
        """
        if isinstance(outcome, Completion):
            return self._done(outcome)
        self._failed += 1
        self._spend(outcome.usage)
        wait = None if outcome.retry_after is None else min(outcome.retry_after, LONGEST_RETRY_AFTER)
        if wait:
            self._limits.pause(now + wait)
        verdict = self._verdict(outcome)
        if verdict is not Verdict.AGAIN or self._failed > self._policy.retries:
            raise ERRORS[verdict](self._message(outcome))
        return self._backoff() if not wait else max(self._backoff(), wait + self._jitter() * min(wait, 1.0))

    def _verdict(self, failure: Failure) -> Verdict:
        if failure.verdict is not Verdict.FORBIDDEN:
            return failure.verdict
        return Verdict.FAILED if self._limits.answered else Verdict.REFUSED

    def _done(self, completion: Completion) -> Completion:
        self._limits.answered = True
        self._spend(completion.usage)
        if self._spent is None or self._spent == completion.usage:
            return completion
        return msgspec.structs.replace(completion, usage=self._spent)

    def _spend(self, usage: Usage | None) -> None:
        if usage is None:
            return
        self._spent = usage if self._spent is None else self._spent + usage
        if usage.prompt_tokens is not None and usage.completion_tokens is not None:
            self._limits.settle(usage.prompt_tokens + usage.completion_tokens - self._tokens)

    def _backoff(self) -> float:
        delay: float = min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(self._failed - 1, 10))
        return delay * (0.5 + 0.5 * self._jitter())

    def _jitter(self) -> float:
        return (mix(self._seed, self._failed, "jitter") >> 11) / (1 << 53)

    def _message(self, failure: Failure) -> str:
        tries = f" (after {self._failed} tries)" if self._failed > 1 else ""
        return f"{self._subject}: {failure.reason}{tries}"


class Driver:
    """Carries the policy out for one model. Safe to share between threads and event loops."""

    def __init__(
        self,
        policy: Policy,
        subject: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        asleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._policy = policy
        self._subject = subject
        self._limits = Limits(policy)
        self._slots = threading.BoundedSemaphore(policy.concurrency)
        self._numbers = count(os.getpid() << 32)
        self._clock = clock
        self._sleep = sleep
        self._asleep = asleep

    def slots(self) -> asyncio.Semaphore:
        """The places for requests in flight of one event loop."""
        return asyncio.Semaphore(self._policy.concurrency)

    def run(self, call: Callable[[], Outcome], tokens: int = 0) -> Completion:
        """Ask until there is a completion.

        Raises:
            ModelError: none could be had.
        """
        tries = self._tries(tokens)
        while True:
            with self._slots:
                if (wait := tries.admission(self._clock())) > 0:
                    self._sleep(wait)
                while self._limits.paused(self._clock()):
                    self._sleep(tries.admission(self._clock()))
                outcome = call()
            result = tries.after(outcome, self._clock())
            if isinstance(result, Completion):
                return result
            self._sleep(result)

    async def arun(
        self, call: Callable[[], Awaitable[Outcome]], slots: asyncio.Semaphore, tokens: int = 0
    ) -> Completion:
        """`run` without blocking the event loop that `slots` belong to."""
        tries = self._tries(tokens)
        while True:
            async with slots:
                if (wait := tries.admission(self._clock())) > 0:
                    await self._asleep(wait)
                while self._limits.paused(self._clock()):
                    await self._asleep(tries.admission(self._clock()))
                outcome = await call()
            result = tries.after(outcome, self._clock())
            if isinstance(result, Completion):
                return result
            await self._asleep(result)

    def _tries(self, tokens: int) -> Tries:
        return Tries(self._policy, self._limits, self._subject, tokens, next(self._numbers))


def retry_after(value: str | None, date: str | None = None) -> float | None:
    """Seconds that a Retry-After header asks for, 0 or more; None where it says nothing that can be read.

    Args:
        value: the header: seconds, or an HTTP date.
        date: the response's own Date header, the better clock to compare with.
    """
    if not value:
        return None
    try:
        seconds = float(value)
        return max(0.0, seconds) if seconds < float("inf") else None
    except ValueError:
        pass
    until = _timestamp(value)
    now = _timestamp(date)
    if until is None:
        return None
    return max(0.0, until - (time.time() if now is None else now))


def _timestamp(date: str | None) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() if date else None
    except (ValueError, TypeError, OverflowError):
        return None
