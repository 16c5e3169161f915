"""Supervised fine-tuning of a Qwen3 model on exported conversations, with the settings of the paper's training.

    tau-emotion eval … --output runs/teacher           # a teacher plays training tasks
    tau-emotion export runs/teacher --out sft.jsonl    # its good conversations, in the format "openai"
    python examples/sft_qwen3.py sft.jsonl --model Qwen/Qwen3-4B --output runs/sft

Learning rate 5e-5 with a cosine schedule, batches of 32 conversations, and a loss on the assistant's tokens alone
(pip install 'tau-emotion-gym[trl]'). On a processor, in a minute or two, from the run to the trained model, with the
reference agent for a teacher and a tiny random model:

    python examples/sft_qwen3.py --tiny --output /tmp/sft
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

from tau_emotion_gym.integrations.tiny import tiny_model, tiny_tokenizer
from tau_emotion_gym.rollouts import make_config, run_sync
from tau_emotion_gym.tracer import export_run


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Supervised fine-tuning on exported conversations.")
    parser.add_argument("files", nargs="*", type=Path, help='files of `tau-emotion export`, format "openai"')
    parser.add_argument("--model", default="Qwen/Qwen3-4B")
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--batch", type=int, default=32, help="conversations of a step, over all devices")
    parser.add_argument("--per-device", type=int, default=1, help="conversations at once on a device")
    parser.add_argument("--devices", type=int, default=max(1, torch.cuda.device_count()))
    parser.add_argument("--tokens", type=int, default=16_384, help="longest conversation; longer ones are cut")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("runs/sft"))
    parser.add_argument("--tiny", action="store_true", help="a random model on the processor, two steps")
    return parser.parse_args()


def conversations(files: list[Path]) -> Dataset:
    """The rows as TRL wants them: tools as JSON text, so that no table pads one tool with another's arguments."""
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    read = map(json.loads, lines)
    return Dataset.from_list([{"messages": row["messages"], "tools": json.dumps(row["tools"])} for row in read])


def exported(folder: Path) -> Path:
    """A small training file of the reference agent's conversations."""
    emotions = ("anger", "fear", "neutral")
    run_sync(folder / "run", make_config(["retail"], agent="reference", split="train", tasks=3, arms=emotions))
    file = folder / "sft.jsonl"
    export_run(folder / "run", file)
    return file


def config(given: argparse.Namespace) -> SFTConfig:
    accumulated = max(1, given.batch // (given.per_device * given.devices))
    common: dict[str, Any] = {
        "output_dir": str(given.output),
        "learning_rate": 5e-5,
        "lr_scheduler_type": "cosine",
        "per_device_train_batch_size": given.per_device,
        "gradient_accumulation_steps": accumulated,
        "assistant_only_loss": True,
        "max_length": given.tokens,
        "seed": given.seed,
        "report_to": [],
        "logging_steps": 1,
    }
    if given.tiny:
        return SFTConfig(**common, max_steps=2, use_cpu=True, save_strategy="no", bf16=False, disable_tqdm=True)
    return SFTConfig(**common, num_train_epochs=given.epochs, warmup_ratio=0.03, bf16=True, save_strategy="epoch")


def main() -> None:
    given = arguments()
    if given.tiny:
        given.output.mkdir(parents=True, exist_ok=True)
        given.files, given.batch = [exported(given.output)], 2
    if not given.files:
        raise SystemExit("no training file given; `tau-emotion export` writes one")
    tokenizer = tiny_tokenizer() if given.tiny else AutoTokenizer.from_pretrained(given.model)
    trainer = SFTTrainer(
        model=tiny_model(tokenizer, hidden=16, layers=1) if given.tiny else given.model,
        args=config(given),
        train_dataset=conversations(given.files),
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model(str(given.output))
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    print(f"{trainer.state.global_step} steps, loss {losses[0]} to {losses[-1]}, model in {given.output}")


if __name__ == "__main__":
    main()
