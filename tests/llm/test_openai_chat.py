"""A model behind a server that behaves: what is sent, what is read, what is shared."""

import asyncio
import os
import pickle
import threading

import pytest
from bad_server import BadServer, always, json_reply, message_reply, text, tool_call, well_behaved

from tau_emotion_gym.llm import Call, ChatModel, ChatRequest, Usage
from tau_emotion_gym.llm.models import make_model

REQUEST = ChatRequest([{"role": "user", "content": "Hello"}], seed=1)
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}


def model_at(server, **options):
    return make_model({"kind": "openai", "model": "some-model", "base_url": server.url, **options})


def answer_to(reply):
    with BadServer(always(reply)) as server:
        return model_at(server).complete(REQUEST)


def test_it_is_a_chat_model():
    assert isinstance(make_model({"kind": "openai", "model": "m"}), ChatModel)


def test_what_is_not_set_is_not_sent():
    with BadServer(always(text("hi"))) as server:
        model_at(server).complete(ChatRequest(REQUEST.messages))
    assert server.requests[0].body == {"model": "some-model", "messages": REQUEST.messages}


def test_everything_that_is_set_is_sent(monkeypatch):
    monkeypatch.setenv("MY_KEY", " the-key ")
    decoding = {"temperature": 0.0, "top_p": 0.9, "max_tokens": 99, "stop": ["###"]}
    options = {
        **decoding,
        "extra_body": {"top_k": 20},
        "api_key_env": "MY_KEY",
        "prices": {"prompt": 1, "completion": 2},
    }
    with BadServer(always(text("hi"))) as server:
        model_at(server, **options).complete(ChatRequest(REQUEST.messages, [TOOL], seed=7))
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer the-key"
    assert request.body == {
        "model": "some-model",
        "messages": REQUEST.messages,
        "tools": [TOOL],
        "seed": 7,
        "top_k": 20,
        **decoding,
    }


def test_whole_conversations_arrive_as_they_are():
    messages = [
        {"role": "system", "content": "Be kind. äöü 漢字 🙂"},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": {}}]},
        {"role": "tool", "tool_call_id": "a", "content": "{}"},
    ]
    with BadServer(always(text("hi"))) as server:
        model_at(server).complete(ChatRequest(messages))
    assert server.requests[0].body["messages"] == messages


@pytest.mark.parametrize("ask", [lambda m, r: m.complete(r), lambda m, r: asyncio.run(m.acomplete(r))])
def test_halves_of_characters_are_sent_and_read_as_question_marks(ask):
    with BadServer(always(tool_call("look\ud800", '{"a": "\udfff"}'))) as server:
        answer = ask(model_at(server), ChatRequest([{"role": "user", "content": "cut \ud83d"}]))
    assert server.requests[0].body["messages"][0]["content"] == "cut ?"
    assert answer.calls == (Call("call_1", "look?", '{"a": "?"}'),)


def test_text_usage_and_finish():
    answer = answer_to(text("hi", finish="length", usage=(7, 5)))
    assert (answer.text, answer.calls, answer.reasoning, answer.finish) == ("hi", (), "", "length")
    assert answer.usage == Usage(1, 7, 5)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": "7"}, "much"])
def test_usage_that_is_not_told_is_unknown(usage):
    reply = json_reply({"choices": [{"message": {"content": "hi"}}], "usage": usage})
    assert answer_to(reply).usage == Usage(1, None, None)


@pytest.mark.parametrize(
    ("content", "wanted", "thought"),
    [
        (["a", {"type": "text", "text": "b"}], "ab", ""),
        (
            [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "b"}],
            "b",
            "hm",
        ),
        ([{"type": "refusal", "refusal": "no"}], "no", ""),
        ([{"type": "image_url"}, 7, None], "", ""),
        ({"text": "odd"}, "", ""),
    ],
)
def test_content_in_parts(content, wanted, thought):
    answer = answer_to(text(content))
    assert (answer.text, answer.reasoning) == (wanted, thought)


def test_a_refusal_is_a_text():
    assert answer_to(message_reply({"content": None, "refusal": "I'd rather not."})).text == "I'd rather not."


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('{"id": 7}', '{"id": 7}'),
        ({"id": 7}, '{"id": 7}'),
        (None, "{}"),
        ("", ""),
        ('{"id": ', '{"id": '),
        ("not JSON", "not JSON"),
        (["a"], '["a"]'),
        ({"a": float("nan")}, '{"a": NaN}'),
    ],
)
def test_arguments_come_as_text_however_broken(sent, read):
    answer = answer_to(tool_call("look", sent))
    assert answer.calls == (Call("call_1", "look", read),)
    assert answer.finish == "tool_calls"


def test_the_old_form_of_a_call_and_calls_without_ids():
    answer = answer_to(
        message_reply({"content": "", "function_call": {"name": "look", "arguments": "{}"}}, finish=None)
    )
    assert answer.calls == (Call("", "look", "{}"),)
    assert answer.finish == "tool_calls"
    assert answer_to(tool_call("look", "{}", id=None)).calls == (Call("", "look", "{}"),)


@pytest.mark.parametrize(
    "calls", [None, [], {}, "look", [None, 3], [{}], [{"function": None}], [{"function": {"name": 3}}]]
)
def test_odd_calls_raise_nothing(calls):
    answer = answer_to(message_reply({"content": "hi", "tool_calls": calls}))
    assert answer.text == "hi"
    assert {call.name for call in answer.calls} <= {""}


def test_many_at_once_in_order_and_within_the_limit():
    requests = [ChatRequest([{"role": "user", "content": str(number)}]) for number in range(40)]
    with BadServer(well_behaved(lambda body: body["messages"][0]["content"], latency=0.02)) as server:
        model = model_at(server, concurrency=5)
        assert [answer.text for answer in model.complete_many(requests)] == [str(number) for number in range(40)]
        assert server.most_in_flight == 5
        assert model.complete_many([]) == []


def test_coroutines_keep_the_limit_too():
    async def all_of_them(model):
        return await asyncio.gather(*[model.acomplete(REQUEST) for _ in range(40)])

    with BadServer(well_behaved(lambda body: "hi", latency=0.02)) as server:
        asyncio.run(all_of_them(model_at(server, concurrency=5)))
    assert server.most_in_flight == 5


def test_sixty_four_are_in_flight_by_default():
    async def all_of_them(model):
        await asyncio.gather(*[model.acomplete(REQUEST) for _ in range(100)])

    with BadServer(well_behaved(lambda body: "hi", latency=0.5)) as server:
        asyncio.run(all_of_them(model_at(server)))
    assert server.most_in_flight == 64


def test_one_model_serves_threads_and_event_loops_one_after_another():
    with BadServer(well_behaved(lambda body: "hi")) as server:
        model = model_at(server)
        for _ in range(3):
            assert asyncio.run(model.acomplete(REQUEST)).text == "hi"
            assert model.complete(REQUEST).text == "hi"


def test_models_that_only_sample_differently_share_their_limits():
    with BadServer(well_behaved(lambda body: "hi", latency=0.05)) as server:
        models = [model_at(server, concurrency=3, temperature=temperature) for temperature in (0.0, 1.0)]

        async def all_of_them():
            await asyncio.gather(*[model.acomplete(REQUEST) for model in models for _ in range(10)])

        asyncio.run(all_of_them())
    assert server.most_in_flight == 3


def test_a_key_that_is_put_right_is_used(monkeypatch):
    with BadServer(always(text("hi"))) as server:
        for key in ("wrong-key", "right-key"):
            monkeypatch.setenv("OPENAI_API_KEY", key)
            model_at(server).complete(REQUEST)
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer wrong-key", "Bearer right-key"]


def test_event_loops_in_several_threads():
    answers = []
    with BadServer(well_behaved(lambda body: "hi", latency=0.05)) as server:
        model = model_at(server)
        ask = lambda: answers.append(asyncio.run(model.acomplete(REQUEST)).text)  # noqa: E731
        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == ["hi"] * 6


def test_a_cancelled_request_frees_its_place():
    async def go(server, model):
        waiting = asyncio.create_task(model.acomplete(REQUEST))
        while not server.requests:
            await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await model.acomplete(REQUEST)

    replies = iter([text("slow", latency=60), text("fast")])
    with BadServer(lambda request: next(replies)) as server:
        assert asyncio.run(go(server, model_at(server, concurrency=1))).text == "fast"


def test_a_pickled_model_works_and_carries_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "Zq81-secret")
    with BadServer(well_behaved(lambda body: "hi")) as server:
        model = model_at(server, temperature=0.5)
        model.complete(REQUEST)
        pickled = pickle.dumps(model)
        assert b"Zq81" not in pickled
        again = pickle.loads(pickled)
        assert again.describe() == model.describe()
        assert again.complete(REQUEST).text == "hi"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_makes_its_own_clients():
    with BadServer(well_behaved(lambda body: "hi")) as server:
        model = model_at(server)
        model.complete(REQUEST)
        child = os.fork()
        if not child:
            os._exit(0 if model.complete(REQUEST).text == "hi" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_description_holds_what_decides_the_answers():
    model = make_model(
        {
            "kind": "openai",
            "model": "some-model",
            "base_url": "https://example.org/v1/",
            "temperature": 0.0,
            "concurrency": 3,
            "timeout": 5,
            "extra_body": {"top_k": 20},
        }
    )
    assert model.describe() == {
        "kind": "openai",
        "base_url": "https://example.org/v1",
        "model": "some-model",
        "temperature": 0.0,
        "extra_body": {"top_k": 20},
    }
