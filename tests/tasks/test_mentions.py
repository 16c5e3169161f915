"""Whether a text says an amount, day, count, id or choice."""

import pytest

from tau_emotion_gym.kit import Output
from tau_emotion_gym.tasks.mentions import known, mentions

MONEY = Output("money", "1042.50")
DAY = Output("date", "2026-03-05")
BAGS = Output("count", "3", noun="bag")
ID = Output("id", "R123")
CHOICE = Output("choice", "window seat", options=("window seat", "aisle seat"))


@pytest.mark.parametrize(
    ("output", "text", "says"),
    [
        (MONEY, "You get $1,042.50 back.", True),
        (MONEY, "You get 1042.5 dollars back.", True),
        (MONEY, "That is 1042.50 USD.", True),
        (MONEY, "You get $1,042.05 back.", False),
        (MONEY, "You get $11,042.50 back.", False),
        (MONEY, "order 1042.50", False),
        (Output("money", "5.00"), "It costs $5.", True),
        (Output("money", "5.00"), "It costs $5.50.", False),
        (DAY, "due on March 5, 2026", True),
        (DAY, "due on 5 March", True),
        (DAY, "the 5th of March 2026", True),
        (DAY, "2026-03-05", True),
        (DAY, "March 15, 2026", False),
        (DAY, "March 5, 2025", False),
        (DAY, "2026-03-06", False),
        (BAGS, "3 bags", True),
        (BAGS, "three free checked bags", True),
        (BAGS, "3 free bags", True),
        (BAGS, "13 bags", False),
        (BAGS, "3 pieces", False),
        (Output("count", "1", noun="box"), "one box", True),
        (Output("count", "2", noun="box"), "2 boxes", True),
        (ID, "order #R123.", True),
        (ID, "order R1234", False),
        (CHOICE, "a Window Seat", True),
        (CHOICE, "a window", False),
    ],
)
def test_mentions(output, text, says):
    assert mentions(text, output) is says


def test_what_the_customer_knows():
    assert known(["R123", "about 1042.50"], MONEY)
    assert not known(["R1042.50"], MONEY)
    assert not known(["2042.50", "1042"], MONEY)
    assert known(["the trip on March 5"], DAY)
    assert known(["3"], BAGS)
    assert not known(["30", "Flight 3"], BAGS)
    assert not known([], ID)
