"""The examples for TRL in their tiny mode, as they stand. Runs where trl is installed."""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import importlib.util
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl")

import torch

from tau_emotion_gym.integrations.tiny import tiny_model, tiny_tokenizer

pytestmark = [pytest.mark.trl, pytest.mark.filterwarnings("default")]

EXAMPLES = Path(__file__).parents[2] / "examples"

torch.set_num_threads(1)


def played(monkeypatch, name, trainer_class, *arguments):
    """What an example's trainer is after its `main`."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    made = []

    class Noted(getattr(example, trainer_class)):
        def __init__(self, **given):
            super().__init__(**given)
            made.append(self)

    monkeypatch.setattr(example, trainer_class, Noted)
    monkeypatch.setattr(sys, "argv", [name, "--tiny", *arguments])
    example.main()
    return made[0]


def differs(trainer):
    first = tiny_model(tiny_tokenizer(), hidden=16, layers=1).state_dict()
    return any(not torch.equal(first[name], value) for name, value in trainer.model.state_dict().items())


@pytest.mark.parametrize("mode", ["rollout", "environment"])
def test_grpo_goes_through_every_step(monkeypatch, tmp_path, capsys, mode):
    options = ("--mode", mode, "--domains", "retail", "telecom", "--output", str(tmp_path))
    trainer = played(monkeypatch, "grpo_trl", "GRPOTrainer", *options)
    assert trainer.state.global_step == 2
    assert any("outcome/success" in entry for entry in trainer.state.log_history)
    assert (tmp_path / "model.safetensors").exists()
    assert f"{mode}: 2 steps, last outcomes {{'outcome/" in capsys.readouterr().out


def test_sft_learns_what_the_assistant_wrote_and_nothing_else(monkeypatch, tmp_path):
    trainer = played(monkeypatch, "sft_qwen3", "SFTTrainer", "--output", str(tmp_path))
    assert trainer.state.global_step == 2
    assert trainer.args.learning_rate == 5e-5
    assert trainer.args.lr_scheduler_type == "cosine"
    assert all(entry["grad_norm"] > 0 for entry in trainer.state.log_history if "grad_norm" in entry)
    assert differs(trainer)
    row = trainer.train_dataset[0]
    tokenizer = trainer.processing_class
    learned = tokenizer.decode([token for token in row["labels"] if token != -100])
    exported = json.loads((tmp_path / "sft.jsonl").read_text(encoding="utf-8").splitlines()[0])
    said = [message for message in exported["messages"] if message["role"] == "assistant"]
    assert learned.count("<|im_end|>") == len(said)
    for message in said:
        assert (message["content"] or message["tool_calls"][0]["function"]["arguments"]) in learned
    assert "<tool_response>" not in learned
    assert exported["messages"][1]["content"] not in learned


def test_the_batch_of_the_paper_is_the_default(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["sft_qwen3", "file.jsonl"])
    spec = importlib.util.spec_from_file_location("sft_qwen3", EXAMPLES / "sft_qwen3.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    given = example.arguments()
    assert given.batch == 32
    assert given.batch == given.per_device * given.devices * max(1, given.batch // (given.per_device * given.devices))
