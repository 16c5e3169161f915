"""A message is read in pieces, and pieces are remembered; neither may show in what is read."""

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
READER = Reader(SLOTS, ACTIONS)

WORDS = st.sampled_from(
    ("cancel", "cancelled", "change", "address", "order", "number", "your", "email", "form", "17b", "17", "which one",
     "that", "is", "confirmed", "done", "sorry", "can't", "because", "if", "please", "confirm", "may", "could", "tell",
     "me", "what", "anything", "else", "you", "i", "have", "was", "e.g.", "i.e.", "a.m.", "Dr.", "No.", "option",
     "tier", "level", "1", "2", "12", "$45.20", "#R12", "2026-03-05", "not", "yes", "okay", "the", "to", "would",
     "like", "and", "or", "-", ":")
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


@given(LINE, st.lists(st.sampled_from("\n ."), max_size=12).map("".join))
def test_what_was_read_before_does_not_matter(line, tail):
    """A reader that remembers reads like one that has just forgotten everything."""
    text = line.replace(".", ".\n- ", 3) + tail
    for other in (line, text.upper(), f"- {line}", text.replace("\n", " ")):
        READER.read(other)
    remembered = READER.read(text)
    READER.forget()
    assert READER.read(text) == remembered
