"""Yes and no in customers' words."""

import pytest

from tau_emotion_gym.episode.consent import agrees, declines


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "yes please",
        "Yes, go ahead. And don't make me wait again!",
        "YES, DO IT",
        "Okay, yes.",
        "Sure, go ahead.",
        "This is the third time now. Yes, please do that.",
        "Go ahead",
        "ok",
        "That's right.",
        "Sounds good, thank you!",
        "No rush. Yes, that's what I want.",
        "I confirm.",
        "Please proceed.",
        "Correct – please do it.",
    ],
)
def test_yes(text):
    assert agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        "No, I didn't ask for that.",
        "Hold on, give me a second.",
        "Wait. What will it cost?",
        "Yes... no, wait, not yet.",
        "Don't do that.",
        "I don't know.",
        "What does that mean?",
        "Hmm, let me think.",
        "The order number is R1.",
        "I did not ask for that! Yes to the refund only later.",
        "Yesterday I called you.",
    ],
)
def test_not_yes(text):
    assert not agrees(text)


@pytest.mark.parametrize(
    ("text", "declined"),
    [
        ("No, I didn't ask for that.", True),
        ("That's not it. No, thank you.", True),
        ("I don't want that.", True),
        ("Hold on, give me a second.", False),
        ("No rush. Let me think.", False),
        ("Yes, go ahead.", False),
        ("What would it cost?", False),
    ],
)
def test_turning_down_is_not_putting_off(text, declined):
    assert declines(text) is declined
