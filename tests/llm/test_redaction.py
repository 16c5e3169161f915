"""Keys are taken out of whatever is shown."""

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.llm.failures import of_status
from tau_emotion_gym.llm.options import ServerOptions
from tau_emotion_gym.llm.redaction import HIDDEN, hidden, secrets_of, shown_url
from tau_emotion_gym.llm.server import server_of

KEYS = st.text(string.ascii_letters + string.digits + "-_./+=", min_size=8, max_size=60)


@given(KEYS, st.text(max_size=30), st.text(max_size=30))
def test_a_known_key_never_shows(key, before, after):
    assert key not in hidden(before + key + after, (key,)).replace(HIDDEN, "")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Incorrect API key provided: sk-proj-abcDEF123456.", "abcDEF"),
        ("Incorrect API key provided: sk-abcde***********wxyz.", "wxyz"),
        ("header Authorization: Bearer eyJhbGciOi.abc", "eyJ"),
        ("hf_abcdefghijklmnop is not allowed", "abcdefgh"),
        ("gsk_1234567890abcdef", "1234567890"),
        ("key AIzaSyA1234567890abcdefghijk invalid", "SyA123"),
        ("http://bob:pass@host/v1 refused", "pass"),
        ("GET https://host/v1?api-key=abc123&x=1", "abc123"),
        ("https://host/v1?a=1&access_token=abc123", "abc123"),
    ],
)
def test_what_looks_like_a_key_never_shows(text, secret):
    shown = hidden(text)
    assert secret not in shown
    assert HIDDEN in shown


@pytest.mark.parametrize(
    "text",
    [
        "This model's maximum context length is 2048 tokens.",
        "The model `sk` does not exist; risk-free",
        "task-based tool_choice is unsupported",
        "see https://host/docs?page=3",
        "",
    ],
)
def test_words_stay(text):
    assert hidden(text) == text


def test_what_is_too_short_to_be_a_key_blots_nothing_out():
    assert hidden("a no to nobody", ("no",)) == "a no to nobody"


@pytest.mark.parametrize(
    "part", ["sk-", "a-", "key", "http://", "?key", "Bearer ", "://", "@", "&token", "<title>", "input token count "]
)
def test_time_is_linear(part):
    began = time.perf_counter()
    text = part * (300_000 // len(part))
    hidden("?" + text)
    of_status(400, text, {})
    assert time.perf_counter() - began < 3


def test_urls():
    url = "https://bob:p%40ss@host:8000/v1/?key=abc#frag"
    assert shown_url(url) == "https://host:8000/v1"
    assert set(secrets_of(url)) == {"p%40ss", "p@ss", "abc"}
    assert set(secrets_of("https://onlykey@host/v1")) == {"onlykey"}


def test_the_environment_names_the_server_where_nothing_else_does(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://node7:8000/v1?key=abc")
    server = server_of(ServerOptions(model="m"))
    assert (server.shown, server.url, server.query) == (
        "http://node7:8000/v1",
        "http://node7:8000/v1",
        (("key", "abc"),),
    )
    assert "abc" not in repr(server)
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert server_of(ServerOptions(model="m")).shown == "https://api.openai.com/v1"
