"""vLLM in this process, the real package with a tiny random model. `make vllm` installs and runs it."""

import asyncio
import importlib.util
import os
from pathlib import Path

import pytest
from tiny_model import CONTEXT, write_tiny_model

from tau_emotion_gym.llm import ChatRequest, Completion, ContextOverflow, ModelRefused, vllm_chat
from tau_emotion_gym.llm.models import make_model
from tau_emotion_gym.rollouts import Knobs, make_config, records, replay, run_sync

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vllm is not installed here; make vllm installs it"
    ),
    pytest.mark.filterwarnings("default"),
]

SETTINGS = {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
}
LIBRARY = Path(__file__).parent.parent / "toy" / "library"
TOOL = {
    "type": "function",
    "function": {"name": "look_up", "description": "Looks up.", "parameters": {"type": "object", "properties": {}}},
}


def asked(content, *, tools=(), seed=None):
    return ChatRequest([{"role": "system", "content": "Be kind."}, {"role": "user", "content": content}], tools, seed)


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    os.environ.update({name: value for name, value in SETTINGS.items() if name not in os.environ})
    folder = write_tiny_model(tmp_path_factory.mktemp("tiny"))
    engine = {"dtype": "float32", "max_model_len": CONTEXT, "max_num_seqs": 16, "enforce_eager": True, "seed": 0}
    engine |= {"enable_chunked_prefill": False, "max_num_batched_tokens": CONTEXT}
    return {"kind": "vllm", "model": str(folder), "max_tokens": 12, "temperature": 1.0, "engine": engine}


@pytest.fixture(scope="module")
def model(spec):
    return make_model(spec)


@pytest.fixture
def batches(monkeypatch):
    """Sizes of the calls of `LLM.chat`, as they are made."""
    sizes = []
    batch = vllm_chat.Engine._batch
    monkeypatch.setattr(vllm_chat.Engine, "_batch", lambda self, jobs: sizes.append(len(jobs)) or batch(self, jobs))
    return sizes


def test_a_batch_is_answered_in_order_with_tokens_counted(model, batches):
    answers = model.complete_many([asked("a" * length, seed=length) for length in (5, 50, 500)])
    assert batches == [3]
    assert all(isinstance(answer, Completion) for answer in answers)
    prompts = [answer.usage.prompt_tokens for answer in answers]
    assert prompts == sorted(set(prompts))
    assert all(1 <= answer.usage.completion_tokens <= 12 for answer in answers)
    assert {answer.finish for answer in answers} <= {"stop", "length"}


def test_every_request_has_its_own_seed(model):
    requests = [asked("Hello", seed=seed) for seed in range(6)]
    first = [answer.text for answer in model.complete_many(requests)]
    assert [answer.text for answer in model.complete_many(requests)] == first
    assert model.complete(requests[3]).text == first[3]
    assert len(set(first)) > 3


def test_one_conversation_too_long_fails_alone(model):
    requests = [asked("a", seed=1), asked("hello " * CONTEXT), asked("b", seed=2), asked("c", seed=3)]
    answers = model.complete_many(requests)
    assert isinstance(answers[1], ContextOverflow)
    assert str(CONTEXT) in str(answers[1])
    good = [requests[place] for place in (0, 2, 3)]
    assert [answers[place].text for place in (0, 2, 3)] == [answer.text for answer in model.complete_many(good)]


def test_a_conversation_too_long_alone(model):
    with pytest.raises(ContextOverflow):
        model.complete(asked("hello " * CONTEXT))
    with pytest.raises(ContextOverflow):
        asyncio.run(model.acomplete(asked("hello " * CONTEXT)))


def test_tools_reach_the_model_where_they_are_offered(model, batches):
    plain, tooled = model.complete_many([asked("Hello", seed=1), asked("Hello", tools=[TOOL], seed=1)])
    assert batches == [1, 1]
    assert tooled.usage.prompt_tokens > plain.usage.prompt_tokens + 20


def test_a_conversation_with_calls_and_results_is_taken(model):
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"id": "W7"}'}}
    messages = [
        {"role": "user", "content": "Hello \ud83d"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "{}"},
    ]
    assert model.complete(ChatRequest(messages, [TOOL], seed=1)).usage.completion_tokens


def test_calls_are_read_from_the_text(model, monkeypatch):
    chat = vllm_chat._engine(model._options)._llm.chat
    written = 'Let me see.<tool_call>\n{"name": "look_up", "arguments": {"id": "W7"}}\n</tool_call>'

    def told(*args, **options):
        outputs = chat(*args, **options)
        outputs[0].outputs[0].text = written
        return outputs

    monkeypatch.setattr(vllm_chat._engine(model._options)._llm, "chat", told)
    tooled = model.complete(asked("Hello", tools=[TOOL]))
    assert [(call.name, call.arguments) for call in tooled.calls] == [("look_up", '{"id": "W7"}')]
    assert (tooled.text.strip(), tooled.finish) == ("Let me see.", "tool_calls")
    plain = model.complete(asked("Hello"))
    assert (plain.text, plain.calls) == (written, ())


def test_coroutines_that_wait_together_are_one_batch(model, batches):
    requests = [asked("Hello", seed=seed) for seed in range(10)]

    async def all_of_them():
        return await asyncio.gather(*map(model.acomplete, requests))

    answers = asyncio.run(all_of_them())
    assert sum(batches) == 10
    assert len(batches) <= 2
    assert [answer.text for answer in answers] == [answer.text for answer in model.complete_many(requests)]


def test_agent_and_user_share_the_loaded_model(spec, model, batches):
    other = make_model({**spec, "temperature": 0.0, "max_tokens": 3})
    assert vllm_chat._engine(other._options) is vllm_chat._engine(model._options)

    async def both():
        return await asyncio.gather(model.acomplete(asked("Hello", seed=1)), other.acomplete(asked("Hello", seed=1)))

    _, short = asyncio.run(both())
    assert batches == [2]
    assert short.usage.completion_tokens <= 3


def test_decoding_that_vllm_does_not_know_is_refused(spec):
    odd = make_model({**spec, "extra_body": {"top_kk": 3}})
    with pytest.raises(ModelRefused, match="top_kk"):
        odd.complete(asked("Hello"))
    fine = make_model({**spec, "extra_body": {"top_k": 3, "chat_template_kwargs": {"enable_thinking": False}}})
    assert fine.complete(asked("Hello", seed=1)).usage.completion_tokens


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelRefused, match="cannot load"):
        make_model({"kind": "vllm", "model": str(tmp_path)}).complete(asked("Hello"))


def test_an_engine_that_failed_is_not_asked_again(model, batches, monkeypatch):
    engine = vllm_chat.Engine(vllm_chat._engine(model._options)._llm)
    step = engine._llm.llm_engine.step

    def fail():
        raise RuntimeError("out of memory")

    monkeypatch.setattr(engine._llm.llm_engine, "step", fail)
    jobs = [vllm_chat.Job(asked("Hello", seed=seed), model._options) for seed in range(3)]
    answers = engine.answer(jobs)
    monkeypatch.setattr(engine._llm.llm_engine, "step", step)
    while engine._llm.llm_engine.has_unfinished_requests():
        step()
    assert {type(answer) for answer in [*answers, *engine.answer(jobs)]} == {ModelRefused}
    assert "RuntimeError: out of memory" in str(answers[0])
    assert batches == [3]


def test_it_plays_both_parts_of_whole_conversations(spec, batches, tmp_path):
    agent = {**spec, "tool_mode": "text"}
    config = make_config([LIBRARY], agent=agent, user=spec, tasks=4, max_steps=3)
    run_sync(tmp_path / "run", config, Knobs(concurrency=4))
    played = list(records(tmp_path / "run"))
    assert len(played) == 4
    assert {record.outcome for record in played} <= {"step_limit", "satisfied", "dissatisfied", "handed_off"}
    for record in played:
        assert record.agent_usage.completion_tokens > 0
        assert record.user_usage.completion_tokens > 0
        assert replay(record, max_steps=3, user_exit="model").outcome == record.outcome
    assert max(batches) >= 2
