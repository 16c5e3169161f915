"""A message is read in pieces, and pieces are remembered; neither may show in what is read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.episode.phrases.lexicon import Lexicon
from tau_emotion_gym.episode.phrases.normal import normal
from tau_emotion_gym.episode.phrases.sentences import Sentence, Sentences, scan
from tau_emotion_gym.episode.reading import Reader

SLOTS = {"order_id": ("order number",), "email": ("email",), "form": ("form 17b", "which one? that form")}
ACTIONS = {"cancel_order": ("cancel",), "change_address": ("change ~ address",)}
LEXICON = Lexicon(SLOTS, ACTIONS)
SENTENCES = Sentences(LEXICON)

WORDS = st.sampled_from(
    ("cancel", "cancelled", "change", "address", "order", "number", "your", "email", "form", "17b", "17", "which one",
     "that", "is", "confirmed", "done", "sorry", "can't", "because", "if", "please", "confirm", "may", "could", "tell",
     "me", "what", "anything", "else", "you", "i", "have", "was", "e.g.", "i.e.", "a.m.", "Dr.", "No.", "option",
     "tier", "level", "1", "2", "12", "$45.20", "#R12", "2026-03-05", "not", "yes", "okay", "the", "to", "would",
     "like", "and", "or", "-", ":", "it's", "that's", "processed")
)  # fmt: skip
MARKS = st.sampled_from(("?", "!", ".", "...", "?!", ". ", "? ", ": ", " - ", ", ", " ", " ", " ", " "))
LINE = st.lists(st.tuples(WORDS, MARKS), max_size=25).map(lambda parts: "".join(word + mark for word, mark in parts))


def in_pieces(text: str) -> list[Sentence]:
    return [sentence for piece in SENTENCES.pieces(normal(text)) for sentence in scan(LEXICON.hits(piece), 0, 0)]


@given(LINE)
def test_a_line_read_in_pieces_is_the_line_read_as_a_whole(line):
    assert in_pieces(line) == [*scan(LEXICON.hits(normal(line)), 0, 0)]


@pytest.mark.parametrize(
    "line",
    [
        "For example, e.g. your email. What is it?",
        "Confirmed! The order was cancelled. Anything else?",
        "Which one? That form, please.",
        "Form 17b is needed. Tier 2 has option 1.",
        "Okay? Cancelled. Okay?",
        "?!?!. . . ?",
        "17. Your email, please.",
        " 1) Your email? 2) Your order number?",
        "",
    ],
)
def test_phrases_that_a_cut_would_go_through(line):
    assert in_pieces(line) == [*scan(LEXICON.hits(normal(line)), 0, 0)]


def test_sentences_that_differ_in_figures_only_are_one_piece():
    first, second = ([*SENTENCES.pieces(normal(text))] for text in ("Order R17 costs $5.20.", "Order R82 costs $9.41."))
    assert first == second
    first, second = ([*SENTENCES.pieces(normal(text))] for text in ("That is tier 2.", "That is tier 3."))
    assert first != second


class Uncut(Sentences):
    """Cuts at the beginnings of lines only, and remembers nothing."""

    def pieces(self, text: str) -> list[str]:
        return [f"{line} " for line in re.split(r"(?<=.)(?= [\n\v])", text, flags=re.DOTALL)[:-1]]

    def _read(self, piece: str) -> tuple[Sentence, ...]:
        return scan(self._hits(piece), 0, 0)


READER, PLAIN_READER = Reader(SLOTS, ACTIONS), Reader(SLOTS, ACTIONS)
PLAIN_READER._sentences = Uncut(LEXICON)
STARTS = st.sampled_from(("", "", "- ", "1. ", "12) ", "   - ", "\n", "Please provide:\n", "Please confirm:\n- "))


@given(st.lists(st.tuples(STARTS, LINE, st.sampled_from(("\n", "\n\n", " ", ":\n"))), max_size=5))
def test_a_message_read_in_pieces_is_the_message_read_line_by_line(lines):
    text = "".join(part for line in lines for part in line)
    expected = PLAIN_READER.read(text)
    assert READER.read(text) == expected
    assert READER.read(text) == expected


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Look at the address. It's cancelled.", {"cancel_order"}),
        ("Change the address! It's cancelled.", {"cancel_order"}),
        ("Change the address. It's cancelled.", {"cancel_order"}),
        ("Sorry. It's cancelled?", set()),
    ],
)
def test_a_state_is_told_of_the_action_in_its_own_sentence(text, claims):
    assert READER.read(text).claims == claims


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("I need:\nyour email\n\nI can cancel it.\nyour order number", ("email",)),
        ("I need:\nyour email\nI can cancel it.\nyour order number", ("email", "order_id")),
    ],
)
def test_a_paragraph_ends_a_list(text, asks):
    assert READER.read(text).asks == asks


def test_a_vertical_tab_is_a_blank():
    assert READER.read("Is that 1 \vday?") == READER.read("Is that 1 day?")


@pytest.mark.parametrize(
    ("slots", "text", "asks"),
    [
        (
            {"number": ("passport. no",), "line": ("passport. no. line",)},
            "Please give me your passport. no. line.",
            "line",
        ),
        ({"odd": (". o:",)}, "Please tell me . o: ", "odd"),
    ],
)
def test_phrases_with_full_stops_in_phrases_with_full_stops(slots, text, asks):
    assert Reader(slots, ACTIONS).read(text).asks == (asks,)


def test_many_phrases_with_figures_cost_no_more_than_one():
    few, many = (Reader({"form": tuple(f"form {n}" for n in range(count))}, ACTIONS) for count in (1, 60))
    assert few._sentences._numbered == many._sentences._numbered
