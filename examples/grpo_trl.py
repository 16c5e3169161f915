"""GRPO with TRL on emotional customers: the model writes to the customer, calls tools, and is rewarded at the end.

On one GPU, with vLLM beside the trainer (pip install 'tau-emotion-gym[trl]' vllm):

    python examples/grpo_trl.py --model Qwen/Qwen3-4B-Instruct-2507 --domains retail airline --output runs/grpo

With the customer played by a model behind an OpenAI-compatible server, all customers of a batch at once:

    python examples/grpo_trl.py --user '{"kind": "openai", "model": "…", "base_url": "http://localhost:8001/v1"}' …

On a processor, in a minute or two, with a tiny random model that learns nothing but goes through every step:

    python examples/grpo_trl.py --tiny --output /tmp/grpo

`--mode environment` has TRL parse and run the calls itself (`environment_factory`), where the message to the customer
is a tool. Start from a model that knows the task a little (see sft_qwen3.py): where all of a group fail alike, there
is nothing to learn from. Watch `outcome/success` beside the reward.
"""

import argparse
import json
import os
from typing import Any

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

from datasets import Dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from tau_emotion_gym.integrations import rows
from tau_emotion_gym.integrations.tiny import tiny_model, tiny_tokenizer
from tau_emotion_gym.integrations.trl import environment_rows, make_trl_env, success
from tau_emotion_gym.integrations.trl_rollout import Rollout, conversation_reward, rollout_rows

FAMILIES = ("anger", "fear", "disgust", "sadness", "enjoyment")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="GRPO with TRL on emotional customers.")
    parser.add_argument("--model", default="Qwen/Qwen3-4B-Instruct-2507")
    parser.add_argument("--domains", nargs="+", default=["retail"])
    parser.add_argument("--tasks", type=int, default=1000, help="training tasks of each domain")
    parser.add_argument("--emotions", nargs="+", default=list(FAMILIES), help="dealt to the tasks in turn")
    parser.add_argument("--user", type=spec, default="scripted", help="a name, or a JSON object with 'kind'")
    parser.add_argument("--reward", type=json.loads, default={}, help='weights of terms, such as {"violation": -0.2}')
    parser.add_argument("--mode", choices=("rollout", "environment"), default="rollout")
    parser.add_argument("--vllm", choices=("colocate", "server", "off"), default="colocate")
    parser.add_argument("--group", type=int, default=8, help="conversations of one task that are compared")
    parser.add_argument("--batch", type=int, default=8, help="conversations per device and step of the optimiser")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--learning-rate", type=float, default=1e-6)
    parser.add_argument("--tokens", type=int, default=12_288, help="of a conversation after its opening")
    parser.add_argument("--turn-tokens", type=int, default=1024, help="of one answer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="runs/grpo")
    parser.add_argument("--tiny", action="store_true", help="a random model on the processor, two steps")
    return parser.parse_args()


def spec(text: str) -> Any:
    return json.loads(text) if text.startswith("{") else text


def config(given: argparse.Namespace) -> GRPOConfig:
    common = {
        "output_dir": given.output,
        "max_steps": given.steps,
        "num_generations": given.group,
        "per_device_train_batch_size": given.batch,
        "learning_rate": given.learning_rate,
        "max_completion_length": given.tokens,
        "temperature": 1.0,
        "seed": given.seed,
        "logging_steps": 1,
        "report_to": [],
    }
    if given.mode == "environment":
        common["reward_weights"] = [0.0]
    if given.tiny:
        return GRPOConfig(**common, use_cpu=True, save_strategy="no", gradient_checkpointing=False, disable_tqdm=True)
    return GRPOConfig(
        **common,
        bf16=True,
        gradient_accumulation_steps=8,
        warmup_steps=10,
        beta=0.0,
        use_vllm=given.vllm != "off",
        vllm_mode="server" if given.vllm == "server" else "colocate",
        vllm_gpu_memory_utilization=0.35,
        vllm_max_model_length=given.tokens + 8192,
        save_steps=50,
    )


def tiny(given: argparse.Namespace) -> None:
    """Small enough for a processor."""
    given.tasks, given.group, given.batch, given.steps = 4, 2, 2, 2
    given.tokens, given.turn_tokens, given.learning_rate = 160, 8, 1e-3


def main() -> None:
    given = arguments()
    if given.tiny:
        tiny(given)
    found = [
        row for domain in given.domains for row in rows(domain, given.tasks, emotions=given.emotions, seed=given.seed)
    ]
    tokenizer = tiny_tokenizer() if given.tiny else AutoTokenizer.from_pretrained(given.model)
    model = tiny_model(tokenizer, hidden=16, layers=1) if given.tiny else given.model
    shared = {"model": model, "args": config(given), "processing_class": tokenizer}
    settings = {"user": given.user, "reward": given.reward}
    if given.mode == "rollout":
        trainer = GRPOTrainer(
            **shared,
            train_dataset=Dataset.from_list(rollout_rows(found)),
            rollout_func=Rollout(given.domains, turn_tokens=given.turn_tokens, **settings),
            reward_funcs=[conversation_reward],
        )
    else:
        data = [{**row, "environment": row["domain"]} for row in environment_rows(found)]
        trainer = GRPOTrainer(
            **shared,
            train_dataset=Dataset.from_list(data),
            environment_factory={domain: make_trl_env(domain, **settings) for domain in given.domains},
            reward_funcs=[success],
        )
    trainer.train()
    trainer.save_model(given.output)
    shares = {key: value for key, value in trainer.state.log_history[-2].items() if key.startswith("outcome/")}
    print(f"{given.mode}: {trainer.state.global_step} steps, last outcomes {shares}, model in {given.output}")


if __name__ == "__main__":
    main()
