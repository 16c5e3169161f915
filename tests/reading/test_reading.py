"""The reader of agents' free text: agreement with labels, invariants, robustness."""

import json
import time
from pathlib import Path

import pytest
from agreement import HERE, KINDS, annotated, own_messages, readers, table, wrong
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.episode.phrases import cues, parse
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.errors import DataError

OWN_KINDS = (
    *KINDS, "questions", "open_question", "proposed", "actions_claimed", "reason", "hands_off", "dismissive",
    "stalls", "promises", "closes", "informs",
)  # fmt: skip
RETAIL = readers()["retail"]
AIRLINE = readers()["airline"]


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_annotated_messages(kind: str) -> None:
    messages = annotated()
    if not messages:
        pytest.skip("the texts of the annotated messages (../shared/data/agent_messages.jsonl) are absent")
    assert len(messages) >= 150
    share = table(messages, (kind,))[kind]
    assert share >= 0.95, f"{kind}: {share:.1%}\n" + "\n".join(wrong(messages, kind))


@pytest.mark.parametrize("kind", OWN_KINDS)
def test_agrees_with_own_messages(kind: str) -> None:
    messages = own_messages()
    assert len(messages) >= 200
    share = table(messages, (kind,))[kind]
    assert share >= 0.97, f"{kind}: {share:.1%}\n" + "\n".join(wrong(messages, kind))


def test_annotations_hold_no_text() -> None:
    for line in (HERE / "annotations.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert set(row) == {"domain", "conversation", "turn", *KINDS}


def test_every_label_occurs_both_ways() -> None:
    """A reader that always answers the same cannot pass."""
    for kind in OWN_KINDS:
        answers = [bool(m.expected[kind]) for m in own_messages()]
        assert 3 <= sum(answers) <= len(answers) - 3, kind


@pytest.mark.parametrize("text", [m.text for m in own_messages()])
def test_case_and_markdown_do_not_matter(text: str) -> None:
    expected = RETAIL.read(text)
    assert RETAIL.read(text.upper()) == expected
    assert RETAIL.read(text.replace("'", "\u2019").replace('"', "")) == expected
    words = [f"**{word}**" if word.isalpha() else word for word in text.split(" ")]
    assert RETAIL.read(" ".join(words)) == expected


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("If you don't know the order number, that is fine.", ()),
        ("I can't change the address.", ()),
        ("Thanks for the order number.", ()),
        ("Please confirm that you want to ship to the new address.", ()),
        ("Please confirm your email address.", ("email",)),
        ("Please provide your email address, or your name and zip code.", ("email", "name", "zip")),
        ("I need:\n* your email\n* the order id", ("email", "order_id")),
        ("Please provide: 1) your name 2) your zip code", ("name", "zip")),
        ("Please provide:\nyour name\nyour zip code", ("name", "zip")),
        ("Zip code?", ("zip",)),
        ("Is the order number on the receipt?", ()),
    ],
)
def test_asks(text: str, asks: tuple[str, ...]) -> None:
    assert RETAIL.read(text).asks == asks


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("Please provide your email, or your name and zip code.", 1),
        ("Please provide your name and zip code.", 2),
        ("What's your email? I need your email.", 1),
        ("What would you like to do?", 1),
        ("Shall I cancel the order?", 1),
        ("Shall I cancel the order? And what's your zip code?", 2),
        ("Is there anything else?", 0),
    ],
)
def test_questions(text: str, questions: int) -> None:
    assert RETAIL.read(text).questions == questions


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("Shall I cancel the order?", {"cancel_order"}),
        ("I'll return the lamp for $20. Do you confirm?", {"return_items"}),
        ("Order #W1 has been cancelled. Would you like me to return the lamp too?", {"return_items"}),
        ("I can't exchange it, but I can return it. Shall I return it?", {"return_items"}),
        ("I will:\n1. Return the lamp\n2. Cancel order #W2\n\nPlease reply yes.", {"return_items", "cancel_order"}),
        ("Would you like me to look into it?", set()),
    ],
)
def test_proposed(text: str, proposed: set[str]) -> None:
    reading = RETAIL.read(text)
    assert reading.proposed == proposed
    assert reading.confirms == bool(proposed)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Your order has been cancelled.", {"cancel_order"}),
        ("I've cancelled the order and returned the lamp.", {"cancel_order", "return_items"}),
        ("Your order will be cancelled.", set()),
        ("Once the order has been cancelled, you get the money.", set()),
        ("Has the order been cancelled?", set()),
        ("The order has not been cancelled.", set()),
        ("I have located your order, which can be cancelled.", set()),
    ],
)
def test_claims(text: str, claims: set[str]) -> None:
    reading = RETAIL.read(text)
    assert reading.claims == claims
    assert reading.claims_done == bool(claims)


def test_mentions_names_slots_asked_or_not() -> None:
    assert RETAIL.mentions("Your email and zip code are on file.") == {"email", "zip"}
    assert RETAIL.mentions("Hello!") == frozenset()


@given(st.text(max_size=300) | st.text(alphabet=" \n.,:;?!-*#()yesnopleaconfirmtheorderid0123456789", max_size=300))
def test_any_text_is_legal(text: str) -> None:
    reading = AIRLINE.read(text)
    assert len(set(reading.asks)) == len(reading.asks)
    assert reading.questions >= (reading.asks != ()) + reading.open_question
    assert reading.confirms or not reading.proposed
    assert reading.claims_done or not reading.claims
    assert reading.refuses or not reading.reason
    if reading.stalls:
        assert not any((reading.asks, reading.claims_done, reading.refuses))
    assert set(reading.asks) <= AIRLINE.mentions(text)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "😀🎉", "\ud800 hello \udfff", "\x00", "yes", "¿Cómo está?"])
def test_odd_texts(text: str) -> None:
    reading = RETAIL.read(text)
    assert not any((reading.asks, reading.claims_done, reading.refuses, reading.confirms))


@pytest.mark.parametrize(
    "piece",
    [
        "please provide ", "your email, ", "- ", "1. ", "\n", "a", "if ", "# ", "?", "order order ", "has been ",
        "what is your email? ", "your order is now cancelled. ", "shall i cancel it? ", "1. your email?\n",
    ],
)  # fmt: skip
def test_long_texts_take_linear_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.perf_counter()
    RETAIL.read(text)
    assert time.perf_counter() - start < 5


def test_same_text_same_reading_whatever_came_before() -> None:
    text = "Please confirm:\n- your email"
    first = Reader(**json.loads((HERE / "lexicon.json").read_text(encoding="utf-8"))["retail"]).read(text)
    for other in ("Please provide:", "I can't, unless", "Your order has been"):
        RETAIL.read(other)
    assert RETAIL.read(text) == first


def test_phrases_are_lower_case_and_unique_within_a_cue() -> None:
    table = cues()
    for name in table.__struct_fields__:
        phrases = getattr(table, name)
        assert len(set(phrases)) == len(phrases), name
        assert all(phrase == phrase.lower().strip() and phrase for phrase in phrases), name


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"ask": []}', b'{"unknown": []}'])
def test_damaged_phrases_are_refused(data: bytes) -> None:
    with pytest.raises(DataError, match="somewhere"):
        parse(data, Path("somewhere"))


@pytest.fixture(scope="module")
def library_reader() -> Reader:
    return Reader(
        slots={"pickup": ("branch", "pick it up")},
        actions={
            "renew": ("renew",),
            "hold": ("hold", "reserve"),
            "pay": ("pay", "payment", "charge"),
            "freeze": ("freeze", "unfreeze"),
            "withdraw": ("withdraw",),
            "rewrite": ("rewrite ~ label",),
        },
    )


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ('Your loan of "The Book of Moths" has been renewed. It is now due on June 15, 2026.', {"renew"}),
        ("I have renewed your loan.", {"renew"}),
        ("I renewed your loan.", {"renew"}),
        ("Your loans were renewed.", {"renew"}),
        ("Your fees have been paid.", {"pay"}),
        ("I've paid your fees.", {"pay"}),
        ("Your late fee was paid.", {"pay"}),
        ("I've made the payment.", {"pay"}),
        ("Your card has been unfrozen.", {"freeze"}),
        ("We have withdrawn your request.", {"withdraw"}),
        ("I've rewritten the label.", {"rewrite"}),
        ('Your hold on "Moths" has been placed.', {"hold"}),
        ("The book has been put on hold.", {"hold"}),
        ("I can't renew it, because it has been renewed twice already.", set()),
        ("It was renewed on May 1.", set()),
        ("Your loan was renewed twice already.", set()),
        ("Were your fees paid?", set()),
        ("Your loan's been renewed.", {"renew"}),
        ("I just renewed it for you.", {"renew"}),
        ("I was able to renew your loan.", {"renew"}),
        ("I was not able to renew your loan.", set()),
        ("I have not renewed your loan.", set()),
        ("Once your fees have been paid, I can renew it.", set()),
        ("If you've paid, tell me.", set()),
    ],
)
def test_claims_in_the_verbs_of_any_domain(library_reader: Reader, text: str, claims: set[str]) -> None:
    reading = library_reader.read(text)
    assert reading.claims == claims
    assert reading.claims_done == bool(claims)


@pytest.mark.parametrize(
    "question",
    [
        "Do you want me to go ahead with this?",
        "Would you like me to do this?",
        "Shall I do that?",
        "OK to proceed?",
        "May I go ahead? Please answer yes or no.",
        "Should I take care of that?",
        "Is that okay?",
    ],
)
def test_confirms_what_the_sentence_before_proposes(library_reader: Reader, question: str) -> None:
    reading = library_reader.read(f'To confirm: I will renew your loan of "X" until May 30, 2026. {question}')
    assert reading.confirms
    assert reading.proposed == {"renew"}
    assert reading.questions == 1
    assert not reading.offers


def test_do_this_without_a_proposed_action_is_an_offer(library_reader: Reader) -> None:
    reading = library_reader.read("I can look up who wrote it. Would you like me to do that?")
    assert reading.offers
    assert reading.questions == 1
    assert not reading.confirms


@pytest.mark.parametrize(
    "text",
    [
        "At which branch would you like to pick it up?",
        "Where do you want to pick it up?",
        "Which branch works best for you?",
    ],
)
def test_asks_where(library_reader: Reader, text: str) -> None:
    assert library_reader.read(text).asks == ("pickup",)


@pytest.mark.parametrize(
    ("text", "closes"),
    [("I'll take care of it.", False), ("I'll take care of that for you.", False), ("Take care!", True)],
)
def test_take_care(library_reader: Reader, text: str, closes: bool) -> None:
    assert library_reader.read(text).closes == closes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('I can\'t hold "Moths": every copy is on loan.', True),
        ('I can\'t hold "Moths" \u2014 every copy is on loan.', True),
        ('I can\'t hold "Moths". Every copy is on loan.', True),
        ('I can\'t hold "Moths".', False),
        ("I can't do that. I'm sorry.", False),
        ("I can't do that. Is there anything else?", False),
        ("I can't do that. Please give me your branch.", False),
        ("I can't do that. It's not possible.", False),
        ("I can't do that: sorry.", False),
    ],
)
def test_reasons_that_follow_a_refusal(library_reader: Reader, text: str, reason: bool) -> None:
    reading = library_reader.read(text)
    assert reading.refuses
    assert reading.reason == reason
