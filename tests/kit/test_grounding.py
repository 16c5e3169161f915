"""What samplers build their goals from."""

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import (
    CALCULATE,
    Call,
    Domain,
    Fact,
    Goal,
    Named,
    Situation,
    calculation,
    days_after,
    days_between,
    fresh,
    one_of,
    plus,
    told,
    total,
    untouched,
)
from tau_emotion_gym.kit.calculator import evaluate
from tau_emotion_gym.world import World

AMOUNTS = st.lists(st.decimals(min_value=-999, max_value=999, places=2), min_size=1, max_size=6)


def situation(library: Domain, *earlier: Goal) -> Situation:
    world = World(library.test_base)
    return Situation(world, next(world.all(library.customer_kind)), Draw(1, "grounding"), earlier)


def test_what_is_named_is_said_in_two_voices() -> None:
    named = Named("my son's line", Fact("line", "son", "my son's line"))
    assert (named.words, named.yours) == ("my son's line", "your son's line")


@given(AMOUNTS)
def test_a_sum_is_what_calculate_makes_of_it(amounts: list[Decimal]) -> None:
    assert Decimal(str(evaluate(plus(amounts)))) == total(amounts)
    assert calculation(plus(amounts)).name == CALCULATE


def test_nothing_adds_up_to_nothing() -> None:
    assert str(total([])) == "0.00"
    assert plus([Decimal("4.50"), Decimal("-1.25")]) == "4.50 - 1.25"


@given(st.dates(date(1940, 1, 1), date(2040, 1, 1)), st.integers(-3000, 3000))
def test_days_are_counted_there_and_back(day: date, days: int) -> None:
    later = days_after(day.isoformat(), days)
    assert days_between(day.isoformat(), later) == days
    assert days_after(later, -days) == day.isoformat()


def test_records_of_earlier_goals_are_left_out(library: Domain) -> None:
    first, second, third = list(World(library.test_base).all(library.customer_kind))[:3]
    facts = (Fact("member", first.id), Fact("title", second.id))
    calls = (Call("pay_fees", {"member_id": second.id}), Call("get_member", {"member_id": third.id}))
    s = situation(library, Goal(facts=facts, calls=calls))
    assert told(s) == {first.id, second.id}
    assert told(s, "title") == {second.id}
    assert fresh(s, [first, second, third]) == [third]
    assert untouched(s, [first, second, third], "member_id", look_up="get_member") == [first, third]


def test_one_of_nothing_is_none(library: Domain) -> None:
    s = situation(library)
    assert one_of(s, ()) is None
    assert one_of(s, ("only",)) == "only"
