"""The adapters to TRL without TRL: what its trainer would find, and rollouts with a stand-in for its generation."""

import inspect
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from tau_emotion_gym.episode.actions import RESPOND
from tau_emotion_gym.errors import TauEmotionError, UnknownName
from tau_emotion_gym.integrations import rows
from tau_emotion_gym.integrations.core import ENDED
from tau_emotion_gym.integrations.functions import docstring, hint_of, method
from tau_emotion_gym.integrations.trl import (
    ONLY_BY_TOOL,
    CallFailedError,
    environment_rows,
    make_trl_env,
    success,
)
from tau_emotion_gym.integrations.trl_rollout import Rollout, conversation_reward, rollout_rows
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.users import UserError
from tau_emotion_gym.users.scripted import ScriptedUser

TOY = Path(__file__).parents[1] / "toy" / "library"
ROWS = rows(TOY, 3, emotions=("anger",))


def offered(env_class):
    """What TRL offers the model: the public functions of the class."""
    found = dict(inspect.getmembers(env_class, inspect.isfunction))
    return {name: value for name, value in found.items() if not name.startswith("_")}


# --- environment classes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", names(added=False))
def test_exactly_the_tools_are_offered(domain):
    found = offered(make_trl_env(domain)).keys() - {"reset", "get_reward"}
    assert found == {tool.name for tool in load(domain).offered()} | {RESPOND}


@pytest.mark.parametrize("domain", names(added=False))
def test_methods_are_typed_and_documented(domain):
    env_class = make_trl_env(domain)
    for tool in load(domain).offered():
        function = getattr(env_class, tool.name)
        hints = get_type_hints(function)
        signature = inspect.signature(function)
        properties = tool.schema["function"]["parameters"]["properties"]
        assert set(hints) == {*properties, "return"}
        assert next(iter(signature.parameters)) == "self"
        required = {
            name
            for name, parameter in signature.parameters.items()
            if parameter.default is inspect.Parameter.empty and name != "self"
        }
        assert required == set(tool.schema["function"]["parameters"]["required"])
        text = inspect.getdoc(function)
        assert text.startswith(tool.schema["function"]["description"])
        for name, schema in properties.items():
            assert f"    {name}: {schema['description']}" in text
            if "enum" in schema:
                assert get_origin(hints[name]) is Literal
                assert list(get_args(hints[name])) == schema["enum"]


def test_fields_of_objects_stand_in_the_docstring():
    items = {"type": "object", "properties": {"number": {"type": "string"}, "day": {"description": "A date."}}}
    schema = {
        "name": "book",
        "description": "Book.",
        "parameters": {
            "properties": {"flights": {"type": "array", "items": items, "description": "All flights."}},
            "required": ["flights"],
        },
    }
    assert "flights: All flights. Each an object with: number (string), day (a date)." in docstring(schema)
    assert hint_of(schema["parameters"]["properties"]["flights"]) == list[dict]
    made = method(schema, lambda self, name, arguments: (name, arguments))
    assert made(None, flights=[]) == "('book', {'flights': []})"


def test_the_reference_agent_succeeds_by_tools_alone(reference):
    env = make_trl_env(TOY)()
    opening = env.reset(**ROWS[0])
    assert opening == env.talk.episode.transcript[0].content
    for action in reference(env.talk):
        last = getattr(env, action["name"])(**action["arguments"])
    assert last.endswith(f"[{ENDED['content']}]")
    assert env.respond(content="Hello?") == ENDED["content"]
    assert env.get_reward() == 1.0
    assert env.result.success


def test_instances_are_reused(reference):
    env = make_trl_env(TOY)()
    env.reset(**ROWS[0])
    env.respond(content="How can I help?")
    assert env.get_reward() == 0.0
    assert env.result.outcome == "step_limit"
    env.reset(**ROWS[1])
    for action in reference(env.talk):
        getattr(env, action["name"])(**action["arguments"])
    assert env.get_reward() == 1.0


def test_failed_calls_are_raised_and_counted():
    env = make_trl_env(TOY)()
    env.reset(**ROWS[0])
    with pytest.raises(CallFailedError, match="unknown field"):
        env.calculate(sum="1 + 1")
    with pytest.raises(CallFailedError, match="message"):
        env.respond(message="Hello")
    assert env.calculate(expression="1 + 1") == "2.00"
    assert env.talk.episode.malformed == 2


def test_prompts_say_how_to_write_to_the_customer():
    (row,) = environment_rows(ROWS[:1])
    assert row["prompt"][0]["content"].endswith(ONLY_BY_TOOL)
    assert row["prompt"][1] == {"role": "user", "content": ""}
    assert row["episode_seed"] == ROWS[0]["episode_seed"]


class Unreachable(ScriptedUser):
    """Cannot be reached."""

    def reply(self, request):
        raise UserError("server down")

    async def areply(self, request):
        raise UserError("server down")


def test_what_a_server_spoilt_has_no_reward():
    logged = {}
    bad, good = make_trl_env(TOY, user=f"{__name__}:Unreachable")(), make_trl_env(TOY)()
    assert "server down" in bad.reset(**ROWS[0])
    good.reset(**ROWS[0])
    assert bad.get_reward() is None
    assert success([bad, good], log_metric=logged.__setitem__, prompts=[]) == [None, 0.0]
    assert logged["outcome/masked"] == 0.5


def test_names_that_trl_needs_are_refused(monkeypatch):
    monkeypatch.setattr("tau_emotion_gym.integrations.trl._OWN", frozenset({"calculate"}))
    with pytest.raises(TauEmotionError, match="calculate"):
        make_trl_env(TOY)


# --- rollouts -----------------------------------------------------------------------------------------------------


class Letters:
    """A tokenizer of letters with a template that drops thoughts of earlier turns, as Qwen3's does."""

    eos_token_id = 0

    def __call__(self, text):
        return [0 if part == "<end>" else ord(part) for part in re.findall("<end>|.", text, re.S)]

    def decode(self, ids, skip_special_tokens):
        return "".join("<end>" if token == 0 else chr(token) for token in ids)

    def apply_chat_template(self, messages, *, add_generation_prompt, tools=None, **_):
        texts = [f"tools:{len(tools)}<end>" if tools else ""]
        for place, message in enumerate(messages):
            thought = "<think></think>" if message["role"] == "assistant" and place == len(messages) - 1 else ""
            calls = "".join(call["function"]["name"] for call in message.get("tool_calls", ()))
            texts.append(f"{message['role']}:{thought}{message['content']}{calls}<end>")
        return self("".join(texts) + ("assistant:" if add_generation_prompt else ""))


class Standin:
    """What a rollout needs of a trainer; `answers` says what is generated in each wave."""

    use_vllm = False
    vllm_mode = "colocate"
    chat_template = None
    chat_template_kwargs: dict = {}  # noqa: RUF012
    eos_token_ids = (0,)

    def __init__(self, answers, room=100_000, positions=1_000_000, logprobs=True):
        self._tokenizer = Letters()
        self.accelerator = SimpleNamespace(num_processes=1)
        self.model = SimpleNamespace(config=SimpleNamespace(max_position_embeddings=positions))
        self.generation_config = SimpleNamespace(max_new_tokens=room)
        self.max_completion_length = room
        self.answers = iter(answers)
        self.logprobs = logprobs
        self.limits = []
        self.prompts = []

    def _generate_single_turn(self, prompt_ids, images, fields, num_generations):
        assert (images, fields, num_generations) == (None, {}, 1)
        self.limits.append(self.generation_config.max_new_tokens)
        self.prompts.append([self._tokenizer.decode(ids, False) for ids in prompt_ids])
        texts = next(self.answers)
        ids = [self._tokenizer(text) for text in ([texts] * len(prompt_ids) if isinstance(texts, str) else texts)]
        return ids, [[-1.0] * len(one) for one in ids] if self.logprobs else None


CALL = '<tool_call>{"name": "calculate", "arguments": {"expression": "1 + 1"}}</tool_call>'


def prompts_of(*which):
    data = rollout_rows(ROWS)
    return [data[place]["prompt"] for place in which]


def test_tokens_are_appended_and_masked():
    trainer = Standin(["Who is there?<end>", f"{CALL}<end>", "Well" * 9000], room=30_000)
    output = Rollout(TOY)(prompts_of(0), trainer)
    ids, mask = output["completion_ids"][0], output["env_mask"][0]
    text = trainer._tokenizer.decode(ids, False)
    assert text.startswith("Who is there?<end>user:")
    assert f"assistant:{CALL}<end>tool:2.00<end>assistant:Well" in text
    learned = trainer._tokenizer.decode([token for token, own in zip(ids, mask, strict=True) if own], False)
    assert learned == (f"Who is there?<end>{CALL}<end>" + "Well" * 9000)[: len(learned)]
    assert [value for value, own in zip(output["logprobs"][0], mask, strict=True) if not own] == [0.0] * mask.count(0)
    assert len(output["logprobs"][0]) == len(mask) == len(ids) == 30_000
    for earlier, later in zip(trainer.prompts[0:], trainer.prompts[1:], strict=False):
        assert later[0].startswith(earlier[0])


def test_a_group_plays_one_episode_and_rows_are_not_mixed():
    output = Rollout(TOY)(prompts_of(0, 0, 2, 2), Standin(["x" * 50], room=20))
    seen = [(one.info["task_id"], one.info["episode_seed"], one.info["emotion"]) for one in output["result"]]
    assert seen[0] == seen[1] == tuple(ROWS[0][key] for key in ("task_id", "episode_seed", "emotion"))
    assert seen[2] == seen[3] == tuple(ROWS[2][key] for key in ("task_id", "episode_seed", "emotion"))


def test_what_does_not_fit_is_cut_and_the_conversation_with_it():
    output = Rollout(TOY)(prompts_of(0, 1), Standin([["Hello<end>", "y" * 30], "z" * 400], room=400))
    assert [one.outcome for one in output["result"]] == ["context_limit"] * 2
    assert all(len(ids) <= 400 for ids in output["completion_ids"])
    full = Rollout(TOY)(prompts_of(0), Standin(["Hello<end>"], room=7))
    assert full["result"][0].outcome == "context_limit"
    assert full["env_mask"] == [[1] * 6]
    assert full["result"][0].reward == 0.0


def test_a_prompt_beyond_the_models_context_is_no_sample_to_learn_from():
    output = Rollout(TOY)(prompts_of(0), Standin([], positions=100))
    assert output["completion_ids"] == [[0]]
    assert output["env_mask"] == [[0]]
    assert output["result"][0].outcome == "context_limit"


def test_a_turn_has_a_limit_of_its_own_and_gets_its_end():
    trainer = Standin(["Who are", "x" * 2000], room=1500, logprobs=False)
    output = Rollout(TOY, turn_tokens=7)(prompts_of(0), trainer)
    assert trainer.limits == [7, 7]
    assert trainer.generation_config.max_new_tokens == 1500
    assert trainer._tokenizer.decode(output["completion_ids"][0], False).startswith("Who are<end>user:")
    assert output["env_mask"][0][:8] == [1] * 7 + [0]
    assert output["logprobs"] is None


def test_vllm_in_the_process_has_limits_of_its_own():
    trainer = Standin(["Who are", "x" * 2000])
    engine = SimpleNamespace(model_config=SimpleNamespace(max_model_len=1_000_000))
    limits = []
    trainer.use_vllm = True
    trainer.vllm_generation = SimpleNamespace(llm=SimpleNamespace(llm_engine=engine), max_completion_length=1500)
    trainer.max_completion_length = 1500
    generate = trainer._generate_single_turn
    trainer._generate_single_turn = lambda *given: (
        limits.append(trainer.vllm_generation.max_completion_length) or generate(*given)
    )
    output = Rollout(TOY, turn_tokens=7)(prompts_of(0), trainer)
    assert limits == [7, 7]
    assert trainer.vllm_generation.max_completion_length == 1500
    assert len(output["completion_ids"][0]) == 1500
    engine.model_config.max_model_len = 100
    assert Rollout(TOY)(prompts_of(0), trainer)["env_mask"] == [[0]]


class Lost(ScriptedUser):
    """Opens the conversation and cannot be reached from then on."""

    async def areply(self, request):
        if request.turn:
            raise UserError("server down")
        return super().reply(request)


def test_nothing_is_learned_from_a_conversation_that_a_server_broke_off():
    output = Rollout(TOY, user=f"{__name__}:Lost")(prompts_of(0), Standin(["Who is there?<end>"]))
    assert output["result"][0].mask_sample
    assert len(output["completion_ids"][0]) > 1
    assert set(output["env_mask"][0]) == {0}


def test_unreachable_customers_are_left_out():
    logged = {}
    output = Rollout(TOY, user=f"{__name__}:Unreachable")(prompts_of(0, 0), Standin([]))
    assert conversation_reward(output["result"], log_metric=logged.__setitem__) == [None, None]
    assert logged == {"outcome/infrastructure": 1.0, "outcome/success": 0.0, "outcome/masked": 1.0}
    assert output["env_mask"] == [[0], [0]]


def test_one_vllm_server_serves_one_process():
    trainer = Standin([])
    trainer.use_vllm, trainer.vllm_mode, trainer.accelerator.num_processes = True, "server", 2
    with pytest.raises(TauEmotionError, match="colocate"):
        Rollout(TOY)(prompts_of(0), trainer)


def test_rows_of_other_domains_are_refused():
    prompt = json.dumps({"domain": "bakery", "task_id": "train-0-0"})
    with pytest.raises(UnknownName, match="bakery"):
        Rollout([TOY])([prompt], Standin([]))
