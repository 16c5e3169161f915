"""Counting in days, with dates as YYYY-MM-DD."""

from datetime import date, timedelta
from functools import lru_cache

from tau_emotion_gym.world import Date


@lru_cache(maxsize=8192)
def days_after(day: Date, days: int) -> Date:
    """The date so many days later; earlier where `days` is negative."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def days_between(first: Date, last: Date) -> int:
    """Days from one date to another; negative where the second is the earlier one."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
