"""Everyday turns of phrase, by kind: what many agents say and no annotated message happens to hold."""

import pytest
from agreement import readers

RETAIL = readers()["retail"]
AIRLINE = readers()["airline"]

PROMISES = (
    "Let me look up the new balance.",
    "I'll check.",
    "One moment please.",
    "Let me work out the rest.",
    "I'm now going to look at the second order.",
    "So far I have found one order.",
    "Your order has been cancelled. Let me look up the new balance.",
    "Done! I'll take a look at your second request now.",
    "The first change is in place. Now let me work out the rest.",
    "That's the first one cancelled. Next, I'll return the lamp.",
    "I'm sorry, that can't be changed. Let me check what else I can do.",
    "I'll find that out for you. What's your email address?",
    "Thanks, I will pull up your account.",
    "Bear with me while I go through your orders.",
    "I've returned the lamp. I'll cancel the order now.",
    "That's all I have so far.",
    "I still need to look at the other booking.",
    "I'm going to calculate the refund.",
    "Hang on, I'm still working on the second half.",
    "I'll be right back with the figures.",
)

NO_PROMISES = (
    "Your order has been cancelled.",
    "Your order has been cancelled. You'll receive an email shortly.",
    "I will cancel order #W1. Do you confirm?",
    "I'll return the lamp for $20. Please reply yes to proceed.",
    "What's your email address?",
    "Is there anything else?",
    "I can't change the address.",
    "Would you like me to check the other order?",
    "The refund will go to your card.",
    "Let me know if you need anything else.",
    "Please take a moment to look at the receipt.",
)


@pytest.mark.parametrize("text", PROMISES)
def test_promises(text: str) -> None:
    assert RETAIL.read(text).promises


@pytest.mark.parametrize("text", NO_PROMISES)
def test_no_promises(text: str) -> None:
    assert not RETAIL.read(text).promises


def test_a_promise_that_tells_something_is_no_stalling() -> None:
    told = RETAIL.read("Your order has been cancelled. Let me look up the new balance.")
    assert (told.promises, told.stalls, told.claims_done) == (True, False, True)
    bare = RETAIL.read("Let me look up the new balance.")
    assert (bare.promises, bare.stalls) == (True, True)
