"""Real GRPO steps with TRL: a tiny random model, real tokens, real gradients. Runs where trl is installed."""

import os

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import asyncio
import time
from pathlib import Path

import pytest

pytest.importorskip("trl")

import torch
import trl
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.integrations import Desk, rows
from tau_emotion_gym.integrations.tiny import tiny_model, tiny_tokenizer
from tau_emotion_gym.integrations.tokens import TemplateTokens
from tau_emotion_gym.integrations.trl import environment_rows, make_trl_env, success
from tau_emotion_gym.integrations.trl_rollout import Rollout, conversation_reward, rollout_rows
from tau_emotion_gym.llm.base import Call
from tau_emotion_gym.llm.tool_text import render_call
from tau_emotion_gym.users.scripted import ScriptedUser
from tau_emotion_gym.world import encode

pytestmark = [pytest.mark.trl, pytest.mark.filterwarnings("default")]

TOY = Path(__file__).parents[1] / "toy" / "library"
GROUP = 4

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_tokenizer()


@pytest.fixture
def model(tokenizer):
    return tiny_model(tokenizer, hidden=16, layers=1)


@pytest.fixture
def config(tmp_path):
    def make(**settings):
        given = {
            "output_dir": str(tmp_path),
            "per_device_train_batch_size": GROUP,
            "num_generations": GROUP,
            "max_steps": 2,
            "learning_rate": 1e-2,
            "max_completion_length": 600,
            "report_to": [],
            "logging_steps": 1,
            "save_strategy": "no",
            "use_cpu": True,
            "seed": 7,
            "shuffle_dataset": False,
            "gradient_checkpointing": False,
            "disable_tqdm": True,
        }
        return GRPOConfig(**given | settings)

    return make


class Spy:
    """Notes what the trainer makes of each batch."""

    def __init__(self, trainer):
        self.batches = []
        score = trainer._generate_and_score_completions

        def noted(inputs):
            found = score(inputs)
            self.batches.append(found)
            return found

        trainer._generate_and_score_completions = noted


def weights(model):
    return {name: value.detach().clone() for name, value in model.named_parameters()}


def changed(before, model):
    return [name for name, value in model.named_parameters() if not torch.equal(before[name], value)]


def logs(trainer, key):
    return [entry[key] for entry in trainer.state.log_history if key in entry]


class Script:
    """In place of sampling: some members of a group play the reference agent, the others call nothing at all.

    Answers are real tokens; what the trainer does with them is its own.
    """

    def __init__(self, trainer, tokenizer, talks, *, good, by_tool):
        self.trainer, self.tokenizer, self.talks = trainer, tokenizer, talks
        self.good, self.by_tool = good, by_tool
        self.agents = {}
        self.active = []
        self.seen = []

    def __call__(self, prompt_ids, *_, **__):
        talks = self.talks()
        episodes = [talk.episode for talk in talks]
        if not self.seen or self.seen[-1][0] is not episodes[0]:
            self.seen.append(episodes)
            self.agents = {place: self.agent(talk) for place, talk in enumerate(talks)}
            self.active = list(range(len(talks)))
        assert len(self.active) == len(prompt_ids)
        answers = [self.answer(place, talks[place]) for place in self.active]
        if self.by_tool:
            self.active = [place for place in self.active if place in self.good and not talks[place].over]
        return [self.tokenizer(text + "<|im_end|>")["input_ids"] for text in answers], None

    def agent(self, talk):
        agent = make_agent("reference")
        agent.reset(talk.desk.domain, talk.episode.task)
        return agent

    def answer(self, place, talk):
        if place not in self.good or talk.over:
            return "I will not help."
        action = self.agents[place].act(talk.episode.transcript[-1].observation)
        if action["name"] == "respond" and not self.by_tool:
            return action["arguments"]["content"]
        return render_call(Call("", action["name"], encode(action["arguments"])))


# --- environment_factory --------------------------------------------------------------------------------------


def environment_trainer(model, tokenizer, args, data):
    trainer = GRPOTrainer(
        model,
        reward_funcs=[success],
        args=args,
        train_dataset=Dataset.from_list(data),
        processing_class=tokenizer,
        environment_factory=make_trl_env(TOY),
    )
    return trainer, Spy(trainer)


def test_an_environment_class_trains(model, tokenizer, config):
    data = environment_rows(rows(TOY, 2, emotions=("anger",)))
    args = config(max_completion_length=4000, reward_weights=[0.0])
    trainer, _ = environment_trainer(model, tokenizer, args, data)
    script = Script(trainer, tokenizer, lambda: [env.talk for env in trainer.environments], good={0, 1}, by_tool=True)
    trainer._generate_single_turn = script
    before = weights(model)
    trainer.train()

    assert logs(trainer, "rewards/LibraryEnv/mean") == [0.5, 0.5]
    assert logs(trainer, "rewards/success/mean") == [0.5, 0.5]
    assert logs(trainer, "outcome/success") == [0.5, 0.5]
    assert logs(trainer, "tools/failure_frequency") == [0.0, 0.0]
    assert all(norm > 1e-3 for norm in logs(trainer, "grad_norm"))
    assert changed(before, model)
    for group in script.seen:
        assert len({(one.task.id, one.seed, str(one.condition)) for one in group}) == 1
    assert script.seen[0][0].task.id != script.seen[1][0].task.id


def test_only_what_the_model_wrote_is_learned_in_an_environment(model, tokenizer, config):
    data = environment_rows(rows(TOY, 1))
    trainer, spy = environment_trainer(model, tokenizer, config(max_completion_length=4000, max_steps=1), data)
    trainer._generate_single_turn = Script(
        trainer, tokenizer, lambda: [env.talk for env in trainer.environments], good={0, 1}, by_tool=True
    )
    trainer.train()
    (batch,) = spy.batches
    ids, mask, full = batch["completion_ids"][0], batch["tool_mask"][0], batch["completion_mask"][0]
    learned = tokenizer.decode(ids[(mask * full).bool()])
    masked = tokenizer.decode(ids[((1 - mask) * full).bool()])
    assert learned.count("<tool_call>") == masked.count("<tool_response>") > 3
    assert "<tool_response>" not in learned
    assert "<tool_call>" not in masked


def test_failed_calls_are_counted_and_shown(model, tokenizer, config):
    trainer, _ = environment_trainer(
        model, tokenizer, config(max_steps=1, max_completion_length=2000), environment_rows(rows(TOY, 1))
    )
    turns = [
        render_call(Call("", "calculate", '{"expression": "1 + 1"}')),
        render_call(Call("", "calculate", '{"sum": "1 + 1"}')),
        render_call(Call("", "make_coffee", "{}")),
        "I give up.",
    ]
    prompts = []

    def scripted(prompt_ids, *_, **__):
        prompts.append(tokenizer.decode(prompt_ids[0]))
        return [tokenizer(turns[len(prompts) - 1] + "<|im_end|>")["input_ids"] for _ in prompt_ids], None

    trainer._generate_single_turn = scripted
    trainer.train()
    assert logs(trainer, "tools/call_frequency") == [3.0]
    assert logs(trainer, "tools/failure_frequency") == [pytest.approx(2 / 3)]
    assert "2.00" in prompts[1]
    assert "unknown field" in prompts[2]
    assert "make_coffee not found" in prompts[3]
    assert logs(trainer, "outcome/step_limit") == [1.0]


# --- rollout_func ---------------------------------------------------------------------------------------------------


def low_tokens(completion_ids, **_):
    """A second reward that no two samples share, since noise leads no conversation to different ends."""
    return [sum(token < 1000 for token in ids) / len(ids) for ids in completion_ids]


def rollout_trainer(model, tokenizer, args, rollout, data, beside=()):
    trainer = GRPOTrainer(
        model,
        reward_funcs=[conversation_reward, *beside],
        args=args,
        train_dataset=Dataset.from_list(rollout_rows(data)),
        processing_class=tokenizer,
        rollout_func=rollout,
    )
    return trainer, Spy(trainer)


def seats_of(rollout):
    """Each batch's conversations, as they are begun."""
    seats = []
    begun = rollout._begun
    rollout._begun = lambda *given: seats.append(begun(*given)) or seats[-1]
    return seats


class Kept(Rollout):
    """Keeps what it returned."""

    outputs: list

    def __call__(self, prompts, trainer):
        found = super().__call__(prompts, trainer)
        self.__dict__.setdefault("outputs", []).append(found)
        return found


def test_a_rollout_trains_on_what_was_really_sampled(model, tokenizer, config):
    rollout = Kept(TOY, turn_tokens=12, reward={"step": -0.01})
    args = config(max_completion_length=250)
    data = rows(TOY, 2, emotions=("anger",))
    trainer, spy = rollout_trainer(model, tokenizer, args, rollout, data, [low_tokens])
    before = weights(model)
    trainer.train()

    assert len(rollout.outputs) == 2
    assert changed(before, model)
    assert all(norm > 1e-3 for norm in logs(trainer, "grad_norm"))
    assert all(mean < 0 for mean in logs(trainer, "rewards/conversation_reward/mean"))
    turns = [mask.count(1) > 12 for output in rollout.outputs for mask in output["env_mask"]]
    assert any(turns)
    for output, batch in zip(rollout.outputs, spy.batches, strict=True):
        assert len({one.info["task_id"] + one.info["episode_seed"] for one in output["result"]}) == 1
        for place, mask in enumerate(output["env_mask"]):
            assert len(mask) == len(output["completion_ids"][place]) <= 250
            assert batch["tool_mask"][place][: len(mask)].tolist() == mask
            assert mask[0] == 1


def test_what_was_sampled_is_never_tokenised_again(model, tokenizer, config):
    rollout = Kept(TOY, turn_tokens=12)
    args = config(max_steps=1, max_completion_length=200)
    trainer, _ = rollout_trainer(model, tokenizer, args, rollout, rows(TOY, 1))
    seats = seats_of(rollout)
    sampled = {place: [] for place in range(GROUP)}
    generate = trainer._generate_single_turn

    def noted(prompt_ids, *arguments):
        answers, logprobs = generate(prompt_ids, *arguments)
        waiting = [place for place, seat in enumerate(seats[-1]) if seat.waiting]
        for place, answer in zip(waiting, answers, strict=True):
            sampled[place] += answer
        return answers, logprobs

    trainer._generate_single_turn = noted
    trainer.train()
    (output,) = rollout.outputs
    for place, (ids, mask) in enumerate(zip(output["completion_ids"], output["env_mask"], strict=True)):
        kept = [token for token, own in zip(ids, mask, strict=True) if own]
        assert kept == sampled[place][: len(kept)]
        assert len(sampled[place]) - len(kept) < 12
        assert 0 in mask


def test_a_rollout_of_the_reference_agent_succeeds(model, tokenizer, config):
    rollout = Kept(TOY)
    args = config(max_completion_length=4000, max_steps=2)
    trainer, _ = rollout_trainer(model, tokenizer, args, rollout, rows(TOY, 2, emotions=("fear",)))
    seats = seats_of(rollout)
    trainer._generate_single_turn = Script(
        trainer, tokenizer, lambda: [seat.talk for seat in seats[-1] if seat.waiting], good=range(GROUP), by_tool=False
    )
    trainer.train()
    assert logs(trainer, "outcome/success") == [1.0, 1.0]
    for output in rollout.outputs:
        ids, mask = output["completion_ids"][0], output["env_mask"][0]
        learned = tokenizer.decode([token for token, own in zip(ids, mask, strict=True) if own])
        assert "<tool_response>" not in learned
        assert "<|im_start|>user" not in learned
        assert learned.count("<|im_end|>") >= 3


class Slow(ScriptedUser):
    """Takes half a second to answer, without blocking."""

    async def areply(self, request):
        await asyncio.sleep(0.5)
        return self.reply(request)


def test_customers_are_asked_at_the_same_time(model, tokenizer, config):
    rollout = Rollout(TOY, user=f"{__name__}:Slow")
    data = rows(TOY, 1)
    trainer, _ = rollout_trainer(model, tokenizer, config(max_completion_length=300), rollout, data)
    answers = iter(["How can I help?<|im_end|>", "Hm. " * 300])
    trainer._generate_single_turn = lambda ids, *_: (
        [tokenizer(next_one)["input_ids"] for next_one in [next(answers)] * len(ids)],
        None,
    )
    prompts = [row["prompt"] for row in rollout_rows(data)] * 16
    began = time.monotonic()
    output = rollout(prompts, trainer)
    assert time.monotonic() - began < 16 * 0.5
    assert [one.outcome for one in output["result"]] == ["context_limit"] * 16
    assert [len(ids) for ids in output["completion_ids"]] == [300] * 16


def test_a_failed_server_leaves_the_sample_out(model, tokenizer, config):
    class Half(Rollout):
        """The customers of two of the group's conversations cannot be reached."""

        def _begun(self, *given):
            seats = super()._begun(*given)
            for seat in seats[:2]:
                seat.talk.stop("infrastructure", "server down")
                seat._give_up()
            return seats

    args = config(max_steps=1, max_completion_length=150)
    trainer, spy = rollout_trainer(model, tokenizer, args, Half(TOY, turn_tokens=12), rows(TOY, 1))
    trainer.train()
    (batch,) = spy.batches
    assert batch["advantages"][:2].tolist() == [0.0, 0.0]
    assert batch["tool_mask"][:2, 0].tolist() == [0, 0]
    assert logs(trainer, "outcome/masked") == [0.5]


# --- tokens -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ended", [True, False])
def test_tokens_behind_an_answer_are_the_templates_own(tokenizer, ended):
    tokens = TemplateTokens(tokenizer)
    desk = Desk(TOY)
    talk = desk.talk()
    messages = talk.start(rows(TOY, 1)[0])
    ids = tokens.prompt(messages, desk.tools)
    for text in ("How can I help you?", render_call(Call("", "calculate", '{"expression": "1 + 1"}'))):
        new = talk.send(text)
        ids += tokenizer(text + ("<|im_end|>" if ended else ""))["input_ids"] + tokens.behind(new, ended=ended)
        messages += [{"role": "assistant", "content": text}, *new]
    assert tokenizer.decode(ids) == tokenizer.apply_chat_template(
        messages, tools=desk.tools, tokenize=False, add_generation_prompt=True
    )


def template(name):
    return (Path(trl.__file__).parent / "chat_templates" / f"{name}.jinja").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["qwen2_5_training", "qwen3_training", "qwen3_instruct_2507"])
@pytest.mark.parametrize("calls", [0, 1, 3])
def test_tokens_behind_an_answer_are_those_of_other_templates(tokenizer, name, calls):
    asked = [
        {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": {"n": n}}} for n in range(calls)
    ]
    answer = {"role": "assistant", "content": "" if calls else "One moment."} | ({"tool_calls": asked} if calls else {})
    new = [{"role": "tool", "name": "look", "tool_call_id": f"c{n}", "content": f"result {n}"} for n in range(calls)]
    if calls != 1:
        new.append({"role": "user", "content": "And then?"})
    before = [{"role": "system", "content": "Serve."}, {"role": "user", "content": "Hello."}, answer]
    shown = {"chat_template": template(name), "tokenize": False}
    past = tokenizer.apply_chat_template(before, **shown).removesuffix("\n")
    behind = TemplateTokens(tokenizer, template=template(name)).behind(new)
    whole = tokenizer.apply_chat_template([*before, *new], add_generation_prompt=True, **shown)
    assert past + tokenizer.decode(behind) == whole


def test_templates_that_rewrite_the_past_do_no_harm(tokenizer):
    tokens = TemplateTokens(tokenizer, template=template("qwen3"))
    behind = tokenizer.decode(tokens.behind([{"role": "user", "content": "And then?"}]))
    assert behind == "\n<|im_start|>user\nAnd then?<|im_end|>\n<|im_start|>assistant\n"
