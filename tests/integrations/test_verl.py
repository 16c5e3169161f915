"""verl's agent loop, the real base class with its real tokenisation, and a stand-in for the model's server."""

import asyncio
import contextvars
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("verl.experimental.agent_loop", reason="needs verl: make test-verl")

import hydra
from omegaconf import OmegaConf
from verl.experimental.agent_loop.agent_loop import DictConfigWrap, ToolListWrap
from verl.workers.rollout.replica import TokenOutput

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.integrations import Desk, rows
from tau_emotion_gym.integrations.tiny import tiny_tokenizer
from tau_emotion_gym.integrations.verl import loop_rows
from tau_emotion_gym.llm.base import Call
from tau_emotion_gym.llm.tool_text import render_call

pytestmark = [pytest.mark.verl, pytest.mark.filterwarnings("ignore")]
EXAMPLE = Path(__file__).parents[2] / "examples" / "verl_loop.py"
ROWS = loop_rows("tau_retail", rows("retail", 8, emotions=("anger", "neutral", "fear")))
TALK = contextvars.ContextVar("talk")


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_tokenizer()


@pytest.fixture(autouse=True)
def _talks_are_known(monkeypatch):
    """The conversation of a task of the event loop is in `TALK`."""
    talk = Desk.talk

    def begun(desk):
        made = talk(desk)
        TALK.set(made)
        return made

    monkeypatch.setattr(Desk, "talk", begun)


class Server:
    """Writes what the reference agent would do, or always the same."""

    def __init__(self, tokenizer, text=None, logprobs=True):
        self.tokenizer, self.text, self.logprobs = tokenizer, text, logprobs
        self.prompts, self.written, self._agents = [], [], {}

    async def generate(self, *, request_id, prompt_ids, sampling_params, **_):
        await asyncio.sleep(0)
        self.prompts.append(list(prompt_ids))
        ids = self.tokenizer.encode((self.text or self._answer(request_id)) + "<|im_end|>", add_special_tokens=False)
        self.written.append(ids)
        return TokenOutput(token_ids=ids, log_probs=[-0.25] * len(ids) if self.logprobs else None)

    def _answer(self, request_id):
        talk = TALK.get()
        if request_id not in self._agents:
            self._agents[request_id] = make_agent("reference")
            self._agents[request_id].reset(talk.desk.domain, talk.episode.task)
        action = self._agents[request_id].act(talk.episode.transcript[-1].observation)
        if action["name"] == "respond":
            return f"<think>\nHidden.\n</think>\n\n{action['arguments']['content']}"
        return render_call(Call("", action["name"], json.dumps(action["arguments"])))


def played(server, samples, *, response_length=16000, turns=None, logprobs=False, **desk):
    """The outputs of loops that are made as verl's worker makes them, all at once."""
    rollout = {
        "prompt_length": 20000,
        "response_length": response_length,
        "multi_turn": {"max_assistant_turns": turns},
    }
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})
    target = "tau_emotion_gym.integrations.verl.TauAgentLoop"
    entry = OmegaConf.create({"name": "tau_retail", "_target_": target, "desk": {"domain": "retail", **desk}})

    async def play(sample):
        loop = hydra.utils.instantiate(
            config=entry,
            trainer_config=DictConfigWrap(config=config),
            server_manager=server,
            tokenizer=server.tokenizer,
            processor=None,
            hf_model_type="qwen3",
            dataset_cls=None,
            data_config=DictConfigWrap(config.data),
            tools=ToolListWrap([]),
        )
        return await loop.run({"temperature": 1.0, "logprobs": logprobs}, raw_prompt=list(sample["prompt"]), **sample)

    async def all_at_once():
        return await asyncio.gather(*(asyncio.create_task(play(sample)) for sample in samples))

    return asyncio.run(all_at_once())


def test_the_reference_agent_succeeds_in_many_loops_at_once(tokenizer):
    server = Server(tokenizer)
    outputs = played(server, ROWS)
    for output in outputs:
        assert output.reward_score == 1.0
        assert output.extra_fields["reward_extra_info"]["acc"] == 1.0
        assert len(output.response_ids) == len(output.response_mask) == len(output.response_logprobs)
        assert {
            (mask, logprob) for mask, logprob in zip(output.response_mask, output.response_logprobs, strict=True)
        } == {(1, -0.25), (0, 0.0)}
        assert output.as_dict()["rm_scores"].sum() == 1.0
    assert sum(sum(output.response_mask) for output in outputs) == sum(map(len, server.written))


def test_the_mask_marks_what_the_model_wrote_and_nothing_else(tokenizer):
    server = Server(tokenizer)
    (output,) = played(server, ROWS[:1])
    own = [token for token, mask in zip(output.response_ids, output.response_mask, strict=True) if mask]
    assert own == [token for ids in server.written for token in ids]
    others = [token for token, mask in zip(output.response_ids, output.response_mask, strict=True) if not mask]
    shown = tokenizer.decode(others)
    assert "<tool_response>" in shown
    assert "<tool_call>" not in shown
    assert "<tools>" in tokenizer.decode(output.prompt_ids)
    for earlier, later in zip(server.prompts, server.prompts[1:], strict=False):
        assert later[: len(earlier)] == earlier


def test_out_of_tokens_is_cut(tokenizer):
    (output,) = played(Server(tokenizer, "Let me think about that for a while."), ROWS[:1], response_length=100)
    assert len(output.response_ids) == len(output.response_mask) == 100
    assert output.reward_score == 0.0
    assert output.extra_fields["reward_extra_info"]["tau_outcome_context_limit"] == 1.0


def test_out_of_turns_is_cut(tokenizer):
    (output,) = played(Server(tokenizer, "What is your email address?", logprobs=False), ROWS[:1], turns=2)
    assert output.num_turns == 5
    assert output.response_logprobs is None
    assert output.extra_fields["reward_extra_info"]["tau_outcome_step_limit"] == 1.0


def test_a_customer_whose_server_fails_teaches_nothing(tokenizer):
    (output,) = played(Server(tokenizer, "What is your email address?"), ROWS[:1], user="failing_user:Failing")
    assert set(output.response_mask) == {0}
    assert output.reward_score == 0.0
    assert output.extra_fields["reward_extra_info"]["tau_mask_sample"] == 1.0
    assert "the server said 503" in output.extra_fields["tau_detail"]


@pytest.mark.parametrize("logprobs", [True, False])
def test_a_customer_that_never_spoke_leaves_a_response_that_verl_can_pad(tokenizer, logprobs):
    server = Server(tokenizer)
    (output,) = played(server, ROWS[:1], user="failing_user:Mute", logprobs=logprobs)
    assert server.prompts == []
    assert (len(output.response_ids), output.response_mask) == (1, [0])
    assert output.response_logprobs == ([0.0] if logprobs else None)
    assert output.as_dict()["rm_scores"].tolist() == [0.0]
    assert output.extra_fields["reward_extra_info"]["tau_outcome_infrastructure"] == 1.0
    assert output.extra_fields["reward_extra_info"]["tau_mask_sample"] == 1.0


def test_an_answer_that_ends_with_the_last_token_is_carried_out(tokenizer):
    whole = played(Server(tokenizer), ROWS[:1])[0]
    length = max(at for at, mask in enumerate(whole.response_mask, 1) if mask)
    (output,) = played(Server(tokenizer), ROWS[:1], response_length=length)
    assert output.response_ids == whole.response_ids[:length]
    assert output.reward_score == 1.0
    (output,) = played(Server(tokenizer), ROWS[:1], response_length=length - 1)
    assert len(output.response_ids) == length - 1
    assert output.reward_score == 0.0
    assert output.extra_fields["reward_extra_info"]["tau_outcome_context_limit"] == 1.0


def test_an_answer_that_fills_the_response_and_has_no_end_was_broken_off(tokenizer):
    class Endless(Server):
        async def generate(self, **request):
            output = await super().generate(**request)
            return output.model_copy(update={"token_ids": output.token_ids[:-1], "log_probs": output.log_probs[:-1]})

    said = "What is your email address?"
    length = len(tokenizer.encode(said, add_special_tokens=False))
    (output,) = played(Endless(tokenizer, said), ROWS[:1], response_length=length)
    assert output.extra_fields["reward_extra_info"]["tau_steps"] == 0.0
    (output,) = played(Server(tokenizer, said), ROWS[:1], response_length=length + 1)
    assert output.extra_fields["reward_extra_info"]["tau_steps"] == 1.0
    assert output.extra_fields["reward_extra_info"]["tau_outcome_context_limit"] == 1.0


def test_the_example_runs():
    shown = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=300)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("reward +0, 7 turns") == 4
