"""When to ask, how long to wait, when to give up: by a clock that stands still."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tau_emotion_gym.llm import Completion, ContextOverflow, ModelError, ModelRefused, Usage
from tau_emotion_gym.llm.policy import (
    LONGEST_DELAY,
    LONGEST_RETRY_AFTER,
    Driver,
    Failure,
    Policy,
    Verdict,
    retry_after,
)

AGAIN = Failure(Verdict.AGAIN, "boom")
DONE = Completion("done")


class Time:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now = 100.0
        self.slept = []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    async def asleep(self, seconds):
        self.sleep(seconds)


def driver(time, **policy):
    return Driver(Policy(**policy), "model 'm'", clock=lambda: time.now, sleep=time.sleep, asleep=time.asleep)


def run(driver, outcomes, tokens=0):
    return driver.run(lambda: next(outcomes), tokens)


def arun(driver, outcomes, tokens=0):
    async def call():
        return next(outcomes)

    return asyncio.run(driver.arun(call, driver.slots(), tokens))


WAYS = pytest.mark.parametrize("run", [run, arun])


@WAYS
def test_waits_double_up_to_a_bound_with_jitter(run):
    time = Time()
    assert run(driver(time, retries=9), iter([AGAIN] * 9 + [DONE])) == DONE
    bounds = [min(LONGEST_DELAY, 0.5 * 2**n) for n in range(9)]
    assert all(bound / 2 <= slept <= bound for slept, bound in zip(time.slept, bounds, strict=True))
    assert len({slept / bound for slept, bound in zip(time.slept, bounds, strict=True)}) == 9


@WAYS
def test_requests_that_fail_together_come_back_apart(run):
    time = Time()
    one = driver(time, retries=1)
    for _ in range(20):
        run(one, iter([AGAIN, DONE]))
    assert len(set(time.slept)) == 20


@WAYS
@pytest.mark.parametrize(
    ("verdict", "error", "tries"),
    [
        (Verdict.AGAIN, ModelError, 4),
        (Verdict.FAILED, ModelError, 1),
        (Verdict.OVERFLOW, ContextOverflow, 1),
        (Verdict.REFUSED, ModelRefused, 1),
    ],
)
def test_what_follows_from_a_failure(run, verdict, error, tries):
    outcomes = iter([Failure(verdict, "boom")] * 9)
    with pytest.raises(error, match="model 'm': boom") as caught:
        run(driver(Time(), retries=3), outcomes)
    assert type(caught.value) is error
    assert len(list(outcomes)) == 9 - tries


@WAYS
def test_retry_after_is_obeyed_up_to_a_bound(run):
    for asked, least in ((3.0, 3.0), (0.0, 0.0), (3600.0, LONGEST_RETRY_AFTER)):
        time = Time()
        run(driver(time), iter([Failure(Verdict.AGAIN, "slow", retry_after=asked), DONE]))
        assert least <= sum(time.slept) <= least + 1.0


@WAYS
def test_retry_after_holds_everybody_back(run):
    time = Time()
    shared = driver(time, retries=0)
    with pytest.raises(ModelError):
        run(shared, iter([Failure(Verdict.AGAIN, "slow", retry_after=7.0)]))
    assert run(shared, iter([DONE])) == DONE
    assert time.slept == [7.0]


@WAYS
def test_retry_after_holds_back_who_waits_for_its_place_already(run):
    class Busy(Time):
        def sleep(self, seconds):
            first = not self.slept
            super().sleep(seconds)
            if first:
                with pytest.raises(ModelError):
                    shared.run(lambda: Failure(Verdict.AGAIN, "slow", retry_after=7.0))

    time = Busy()
    shared = driver(time, retries=0, requests_per_minute=60)
    assert run(shared, iter([DONE])) == DONE
    assert run(shared, iter([DONE])) == DONE
    assert time.now >= 101.0 + 7.0


@WAYS
def test_requests_per_minute_are_spread_evenly_and_tries_count(run):
    time = Time()
    limited = driver(time, requests_per_minute=60)
    for _ in range(5):
        run(limited, iter([DONE]))
    assert time.now == pytest.approx(104.0)
    run(limited, iter([Failure(Verdict.AGAIN, "x", retry_after=0.0), DONE]))
    assert time.now == pytest.approx(106.0)


@WAYS
def test_tokens_per_minute_follow_what_the_server_counted(run):
    time = Time()
    limited = driver(time, tokens_per_minute=600)
    told = Completion("done", usage=Usage(1, 70, 30))
    run(limited, iter([told]), tokens=10)
    run(limited, iter([told]), tokens=10)
    assert time.now == pytest.approx(110.0)


@WAYS
def test_tokens_that_the_server_does_not_tell_are_guessed(run):
    time = Time()
    limited = driver(time, tokens_per_minute=600)
    run(limited, iter([DONE]), tokens=50)
    run(limited, iter([DONE]), tokens=50)
    assert time.now == pytest.approx(105.0)


def test_both_ways_share_the_limits():
    time = Time()
    limited = driver(time, requests_per_minute=6)
    run(limited, iter([DONE]))
    arun(limited, iter([DONE]))
    run(limited, iter([DONE]))
    assert time.now == pytest.approx(120.0)


@WAYS
def test_tokens_of_all_tries_are_summed(run):
    spent = Failure(Verdict.AGAIN, "no choices", usage=Usage(0, 5, 1))
    told = Completion("done", usage=Usage(1, 7, 2))
    assert run(driver(Time()), iter([spent, AGAIN, told])).usage == Usage(1, 12, 3)


NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-4", 0.0),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), 0.0),
        ("soon", None),
        ("", None),
        (None, None),
        ("nan", None),
        ("inf", None),
        ("Fri, 99 May 2026 12:00:00 GMT", None),
    ],
)
def test_the_header_in_seconds_and_as_a_date(value, seconds):
    assert retry_after(value, format_datetime(NOW, usegmt=True)) == seconds


def test_a_date_without_the_servers_clock_is_compared_with_ours():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < retry_after(soon, "nonsense") <= 30
