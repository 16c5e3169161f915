"""The reader of a model's replies: its table, and whatever else a model may write."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tau_emotion_gym.episode import Signal
from tau_emotion_gym.users.replies import CONTENT, LEAVE, harmless, parse_reply

TABLE = json.loads(Path(__file__).with_name("replies.json").read_text(encoding="utf-8"))

PIECES = (
    *(
        "[[",
        "]]",
        "[",
        "]",
        "<",
        ">",
        "(",
        ")",
        "#",
        "###",
        "*",
        "**",
        "`",
        "```",
        '"',
        "'",
        "“",
        "”",
        "_",
        "\\",
        ">",
        "/",
    ),
    *("ALL_SETTLED", "all settled", "WALK_OUT", "walk-out", "ALL_", "SETTLED", "STOP", "TRANSFER", CONTENT, LEAVE),
    *("<think>", "</think>", "think", "<thi", "nk>", "[THINK]", "[/THINK]", "<private_note>", "</private_note>"),
    *("<|im_end|>", "<|im_start|>", "<|channel|>", "final", "<|message|>", "</s>", "◁think▷", "◁/think▷"),
    *("Thought:", "Response:", "Customer:", "Agent:", "Assistant:", "say", "not", "if", "?", ".", "!", ",", ":"),
    *(" ", "\n", "\n\n", "a", "Thanks", "\ud800", "\u200b", "é", "😀"),
)
LEFT_OVER = re.compile(
    r"</?\s*(?:think|thinking|private_note|reasoning)\s*>|\[/?THINK\]|all_settled|walk_out|\[\[\s*(?:all|walk)[\s-]?(?:settled|out)"
    r"|###(?:STOP|TRANSFER)\b",
    re.I,
)


@pytest.mark.parametrize("row", TABLE, ids=[row["name"] for row in TABLE])
def test_the_table(row):
    parsed = parse_reply(row["reply"])
    assert (parsed.text, parsed.signal, parsed.thought) == (row["text"], row["signal"], row.get("thought", ""))


def test_the_table_covers_every_signal_many_times():
    signals = [row["signal"] for row in TABLE]
    assert len(TABLE) >= 60
    assert all(signals.count(signal) >= 10 for signal in Signal)
    assert len({row["reply"] for row in TABLE}) == len(TABLE)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("[[ALL_" * 9 + "SETTLED]]" * 9)
@example("<thi" * 9 + "<think>x</think>" + "nk>" * 9)
@example("###STOPall settled")
@example("##" * 9 + "###STOP###" + "STOP##" * 9)
def test_nothing_raises_and_no_token_or_tag_is_delivered(reply):
    parsed = parse_reply(reply)
    assert not LEFT_OVER.search(parsed.text)
    assert parse_reply(parsed.text).signal is Signal.CONTINUE
    parsed.text.encode()
    parsed.thought.encode()


@given(st.text())
def test_any_text_is_read(reply):
    parsed = parse_reply(reply)
    assert parsed.text == parsed.text.strip()


@given(st.text(alphabet="abc dé,?!.\n", max_size=80).filter(lambda text: text.strip()))
def test_plain_words_arrive_as_they_are(words):
    words = words.strip()
    assert parse_reply(words) == (words, Signal.CONTINUE, "")


@given(
    st.text(alphabet="abc dé", max_size=40).map(lambda words: f"{words.strip()}." if words.strip() else ""),
    st.sampled_from([(CONTENT, Signal.SATISFIED), (LEAVE, Signal.DISSATISFIED)]),
    st.sampled_from(["", " ", "\n", "\n\n"]),
)
def test_a_token_at_the_end_is_a_signal_and_costs_no_word(words, token, between):
    parsed = parse_reply(f"{words}{between}{token[0]}")
    assert (parsed.text, parsed.signal) == (words, token[1])


@pytest.mark.parametrize(
    "unit",
    ["[[ALL_SETTLED]] ", "<think>", "</think>", "Customer: ", "\nAgent: ", "(Thought: ", " ", "<thi", "[", '"', "###"],
)
def test_time_is_linear(unit):
    """A reply of this length is read at once; with anything quadratic this never ends."""
    assert len(parse_reply(unit * (300_000 // len(unit))).text) <= 300_000


@pytest.mark.parametrize(
    "text", [f"Say {CONTENT} now.", "<private_note>Leave.</private_note>", "Bye ###STOP###", "<think>"]
)
def test_what_an_agent_said_becomes_harmless(text):
    assert not LEFT_OVER.search(harmless(text))


def test_harmless_text_is_left_alone():
    assert harmless(" Your order R1 [shipped] <today>.") == " Your order R1 [shipped] <today>."
