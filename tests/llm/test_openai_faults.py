"""Every way in which a server fails: the right error, said clearly, after as many tries as the policy says, no key."""

import asyncio
import logging
import socket
import time
import traceback
from dataclasses import replace

import pytest
from bad_server import (
    HANG,
    BadServer,
    Reply,
    always,
    cut,
    error,
    html,
    json_reply,
    message_reply,
    sequence,
    sometimes,
    text,
    well_behaved,
)

from tau_emotion_gym.llm import ChatRequest, ContextOverflow, ModelError, ModelRefused
from tau_emotion_gym.llm import policy as policy_module
from tau_emotion_gym.llm.models import make_model

KEY = "Zq81/odd+key=Lw"
RETRIES = 2
REQUEST = ChatRequest([{"role": "user", "content": "Hello"}], seed=1)
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}


def ask_sync(model, request):
    return model.complete(request)


def ask_async(model, request):
    return asyncio.run(model.acomplete(request))


def ask_many(model, request):
    (answer,) = model.complete_many([request])
    if isinstance(answer, ModelError):
        raise answer
    return answer


WAYS = pytest.mark.parametrize("ask", [ask_sync, ask_async, ask_many])


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(policy_module, "FIRST_DELAY", 0.001)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def model_at(url, **options):
    return make_model({"kind": "openai", "model": "some-model", "base_url": url, "retries": RETRIES, **options})


def said(caught) -> str:
    """Everything that an error can bring to light."""
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=False)
    return "\n".join([repr(caught.value), repr(caught.value.args), *shown.format()])


OVERFLOWS = {
    "vllm": "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens (2000 in the "
    "messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    "vllm prompt": "The decoder prompt (length 3000) is longer than the maximum model length of 2048. Make sure that "
    "`max_model_len` is no smaller than the number of text tokens.",
    "vllm max_tokens": "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context "
    "length is 2048 tokens and your request has 1000 input tokens (4096 > 2048 - 1000).",
    "llama.cpp": "request (3000 tokens) exceeds the available context size (2048 tokens), try increasing it",
    "sglang": "The input (3000 tokens) is longer than the model's context length (2048 tokens).",
    "sglang total": "Requested token count exceeds the model's maximum context length of 2048 tokens. You requested a "
    "total of 3000 tokens: 2000 tokens from the input messages and 1000 tokens for the completion.",
    "openai": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "tgi": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 and 100",
    "mistral": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "anthropic": "prompt is too long: 210000 tokens > 200000 maximum",
    "gemini": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
}

NO_TOOLS = {
    "ollama": error(400, "registry.ollama.ai/library/gemma:latest does not support tools"),
    "vllm": error(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    "llama.cpp": error(500, "tools param requires --jinja flag"),
    "llama.cpp old": error(400, "Unsupported param: tools"),
    "gateway": error(404, "No endpoints found that support tool use."),
    "hosted": error(400, "'tools' is not supported with this model."),
}

REFUSED = {
    "wrong key": (error(401, f"Incorrect API key provided: {KEY}.", code="invalid_api_key"), "api_key_env"),
    "forbidden": (error(403, f"Key {KEY} may not use this model"), "api_key_env"),
    "no credit": (error(402, "Insufficient credits"), "credit"),
    "unknown model": (error(404, "The model `some-model` does not exist."), '"model"'),
    "wrong path": (html(404, "Not Found"), "ends in /v1"),
    "unknown model as 400": (error(400, "model 'some-model' not found"), "not found"),
    "quota": (error(429, "You exceeded your current quota", code="insufficient_quota"), "quota"),
    "unknown parameter": (
        error(400, "Unsupported parameter: 'max_tokens'", code="unsupported_parameter"),
        "max_tokens",
    ),
}

REPEATED = {
    "web page": (html(200, "Welcome"), r"HTML page \(Welcome\).*ends in /v1"),
    "web page 502": (html(502), r"HTTP 502: an HTML page \(Bad Gateway\)"),
    "cut": (cut(text("half of this never comes")), "connection failed"),
    "cut error": (cut(error(503, "half of this never comes")), "connection failed|HTTP 503"),
    "no JSON": (Reply(200, b'{"choices": [{"mess'), "not JSON"),
    "no JSON, key in it": (Reply(200, f'{{"echo": "{KEY}'.encode()), "not JSON"),
    "event stream": (Reply(200, b'data: {"choices": []}\n\n', "text/event-stream"), "not JSON"),
    "nothing": (Reply(200, b""), "empty"),
    "another JSON": (json_reply(["hello"]), "no chat completion"),
    "no choices": (json_reply({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 0}}), "no choices"),
    "null choices": (json_reply({"choices": None}), "no choices"),
    "no message": (json_reply({"choices": [{"finish_reason": "error"}]}), "no choices"),
    "odd choice": (json_reply({"choices": ["hello"]}), "no choices"),
    "wrapped error": (json_reply({"error": {"message": f"upstream died, {KEY}", "code": 502}}), "upstream died"),
    "wrapped in the choice": (
        json_reply({"choices": [{"message": {"content": ""}, "error": {"message": "upstream died", "code": 502}}]}),
        "upstream died",
    ),
    "408": (error(408, "slow"), "HTTP 408: slow"),
    "409": (error(409, "conflict"), "HTTP 409"),
    "425": (error(425, "early"), "HTTP 425"),
    "429": (error(429, f"slow down, {KEY}"), "HTTP 429: slow down"),
    "tokens per minute": (error(429, "Request too large on tokens per min: limit 10000, requested 12000"), "HTTP 429"),
    "500": (error(500, "boom"), "HTTP 500: boom"),
    "500 traceback": (error(500, "TypeError: unsupported operand type(s): 'function' and 'int'"), "HTTP 500"),
    "503 plain": (Reply(503, b"no worker", "text/plain"), "HTTP 503: no worker"),
    "529": (error(529, "overloaded"), "HTTP 529"),
}


@WAYS
@pytest.mark.parametrize("server", OVERFLOWS)
def test_a_context_too_small_is_said_at_once(ask, server):
    status = 500 if server == "tgi" else 400
    with BadServer(always(error(status, OVERFLOWS[server]))) as bad, pytest.raises(ContextOverflow) as caught:
        ask(model_at(bad.url), REQUEST)
    assert "some-model" in str(caught.value)
    assert len(bad.requests) == 1


def test_a_context_too_small_is_known_by_its_code_alone():
    with BadServer(always(error(400, "Sorry.", code="context_length_exceeded"))) as bad, pytest.raises(ContextOverflow):
        model_at(bad.url).complete(REQUEST)


@WAYS
@pytest.mark.parametrize("server", NO_TOOLS)
def test_a_model_without_tools_is_refused_with_a_way_out(ask, server):
    request = ChatRequest(REQUEST.messages, [TOOL])
    with BadServer(always(NO_TOOLS[server])) as bad, pytest.raises(ModelRefused, match='"tool_mode": "text"'):
        ask(model_at(bad.url), request)
    assert len(bad.requests) == 1


MODERATED = {
    "403": error(403, f"Flagged for violence, {KEY}"),
    "wrapped": json_reply({"error": {"message": f"Flagged for violence, {KEY}", "code": 403}}),
}


@WAYS
@pytest.mark.parametrize("form", MODERATED)
def test_a_prompt_that_is_forbidden_when_others_were_answered_fails_alone(ask, form):
    with BadServer(sequence(text("hi"), MODERATED[form], then=text("again"))) as bad:
        model = model_at(bad.url)
        assert ask(model, REQUEST).text == "hi"
        with pytest.raises(ModelError, match=r"403.*Flagged.*forbid") as caught:
            ask(model, REQUEST)
        assert not isinstance(caught.value, ModelRefused)
        assert KEY not in str(caught.value)
        assert ask(model, REQUEST).text == "again"
    assert len(bad.requests) == 3


@WAYS
@pytest.mark.parametrize("form", MODERATED)
def test_a_server_that_forbids_the_first_requests_refuses_them_all(ask, form):
    with BadServer(sequence(error(503, "no worker"), then=MODERATED[form])) as bad:
        model = model_at(bad.url)
        for _ in range(2):
            with pytest.raises(ModelRefused, match="api_key_env"):
                ask(model, REQUEST)
    assert len(bad.requests) == 3


@WAYS
def test_a_model_that_is_not_there_is_refused_however_it_is_said(ask):
    gone = error(403, "Project has no access to the model", code="model_not_found")
    with BadServer(sequence(text("hi"), then=gone)) as bad:
        model = model_at(bad.url)
        ask(model, REQUEST)
        with pytest.raises(ModelRefused):
            ask(model, REQUEST)


@WAYS
@pytest.mark.parametrize("fault", REFUSED)
def test_what_is_wrong_for_every_request_is_refused_at_once(ask, fault, caplog):
    caplog.set_level(logging.DEBUG)
    reply, words = REFUSED[fault]
    with BadServer(always(reply)) as bad, pytest.raises(ModelRefused, match=words) as caught:
        ask(model_at(bad.url), REQUEST)
    assert len(bad.requests) == 1
    assert KEY not in said(caught) + caplog.text
    assert caught.value.__context__ is None


@WAYS
@pytest.mark.parametrize("fault", REPEATED)
def test_what_may_pass_is_tried_again(ask, fault, caplog):
    caplog.set_level(logging.DEBUG)
    reply, words = REPEATED[fault]
    with BadServer(always(reply)) as bad, pytest.raises(ModelError, match=words) as caught:
        ask(model_at(bad.url), REQUEST)
    assert type(caught.value) is ModelError
    assert len(bad.requests) == RETRIES + 1
    assert f"after {RETRIES + 1} tries" in str(caught.value)
    assert KEY not in said(caught) + caplog.text
    assert caught.value.__context__ is None


@WAYS
@pytest.mark.parametrize("fault", REPEATED)
def test_a_server_that_recovers_is_not_noticed(ask, fault):
    with BadServer(sequence(REPEATED[fault][0], then=text("well again"))) as bad:
        assert ask(model_at(bad.url), REQUEST).text == "well again"
    assert len(bad.requests) == 2


@WAYS
def test_another_bad_request_fails_alone_and_at_once(ask):
    with (
        BadServer(always(error(400, "roles must alternate"))) as bad,
        pytest.raises(ModelError, match="alternate") as it,
    ):
        ask(model_at(bad.url), REQUEST)
    assert type(it.value) is ModelError
    assert len(bad.requests) == 1


@WAYS
def test_nobody_listens(ask):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelError, match=rf"{url}.*connection failed \(ConnectionRefused.*after 3 tries") as caught:
        ask(model_at(url), REQUEST)
    assert type(caught.value) is ModelError


@WAYS
def test_no_such_host(ask):
    with pytest.raises(ModelError, match="connection failed"):
        ask(model_at("http://nowhere.invalid/v1", retries=0), REQUEST)


@WAYS
def test_a_server_that_hangs_is_left(ask):
    began = time.monotonic()
    with BadServer(always(HANG)) as bad, pytest.raises(ModelError, match=r"no answer within 0\.2 s \(after 3 tries\)"):
        ask(model_at(bad.url, timeout=0.2), REQUEST)
    assert len(bad.requests) == RETRIES + 1
    assert time.monotonic() - began < 5


@WAYS
def test_a_server_that_drips_is_left(ask):
    with (
        BadServer(always(replace(text("x" * 1000), drip=0.02))) as bad,
        pytest.raises(ModelError, match=r"no answer within 0\.3 s"),
    ):
        ask(model_at(bad.url, timeout=0.3, retries=0), REQUEST)


@WAYS
def test_retry_after_is_obeyed(ask):
    with BadServer(sequence(error(429, "slow", headers={"Retry-After": "0.3"}), text("now"))) as bad:
        began = time.monotonic()
        assert ask(model_at(bad.url), REQUEST).text == "now"
        assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("seed", range(2))
def test_a_third_of_all_calls_fail_and_nothing_is_lost(seed):
    bad = [error(500, "boom"), error(429, "slow"), html(502), cut(text("half")), Reply(200, b"{")]
    behave = sometimes(0.3, bad, well_behaved(lambda body: body["messages"][0]["content"]), seed=seed)
    requests = [ChatRequest([{"role": "user", "content": str(number)}]) for number in range(150)]

    async def all_of_them(model):
        return await asyncio.gather(*map(model.acomplete, requests))

    with BadServer(behave) as server:
        model = model_at(server.url, retries=10)
        assert [answer.text for answer in model.complete_many(requests)] == [str(n) for n in range(150)]
        assert [answer.text for answer in asyncio.run(all_of_them(model))] == [str(n) for n in range(150)]
    assert len(server.requests) > 350


def test_tokens_of_failed_tries_count_where_the_server_told_them():
    empty = json_reply({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})
    with BadServer(sequence(empty, error(500, "boom"), text("well", usage=(7, 5)))) as bad:
        usage = model_at(bad.url).complete(REQUEST).usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (1, 10, 6)


@pytest.mark.parametrize("content", ["", None, [], "   "])
@WAYS
def test_an_empty_answer_is_an_answer(ask, content):
    with BadServer(always(text(content))) as bad:
        assert ask(model_at(bad.url), REQUEST).text.strip() == ""
    assert len(bad.requests) == 1


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@WAYS
def test_reasoning_alone_is_an_answer(ask, field):
    with BadServer(always(message_reply({"content": None, field: "I wonder."}))) as bad:
        answer = ask(model_at(bad.url), REQUEST)
    assert (answer.text, answer.reasoning) == ("", "I wonder.")


def test_one_bad_request_leaves_the_others_alone():
    def answer(body):
        content = body["messages"][0]["content"]
        return error(400, OVERFLOWS["llama.cpp"]) if content == "long" else content

    requests = [ChatRequest([{"role": "user", "content": content}]) for content in ("a", "long", "b")]
    with BadServer(well_behaved(answer)) as server:
        first, second, third = model_at(server.url).complete_many(requests)
    assert (first.text, third.text) == ("a", "b")
    assert isinstance(second, ContextOverflow)


def test_secrets_in_the_url_stay_there():
    with BadServer(always(error(400, "who is bob:hunter2secret with token tok3nV4lue?"))) as bad:
        url = bad.url.replace("http://", "http://bob:hunter2secret@") + "?api-key=tok3nV4lue"
        model = model_at(url)
        with pytest.raises(ModelError) as caught:
            model.complete(REQUEST)
        assert bad.requests[0].path.endswith("/chat/completions?api-key=tok3nV4lue")
    for shown in (said(caught), repr(model), str(model.describe())):
        assert "hunter2secret" not in shown
        assert "tok3nV4lue" not in shown


def test_a_missing_key_is_said_before_anything_is_sent(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelRefused, match="OPENAI_API_KEY is not set"):
        make_model({"kind": "openai", "model": "some-model"}).complete(REQUEST)
    with BadServer(always(text("hi"))) as bad, pytest.raises(ModelRefused, match="MY_KEY is not set"):
        model_at(bad.url, api_key_env="MY_KEY").complete(REQUEST)
    assert not bad.requests


def test_a_server_without_keys_needs_none(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with BadServer(always(text("hi"))) as bad:
        assert model_at(bad.url).complete(REQUEST).text == "hi"
