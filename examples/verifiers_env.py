"""A conversation through verifiers v1 with a model behind a server: `pip install 'tau-emotion-gym[verifiers]' uv`.

    python examples/verifiers_env.py --base-url http://localhost:8000/v1 --model qwen3-8b

verifiers finds tasksets by the name of a top-level module that exports them; this file is one. In training, prime-rl
drives the same classes: `--env.taskset.id verifiers-env --env.taskset.domain retail`.
"""

import argparse
import asyncio

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment

from tau_emotion_gym.integrations.verifiers import TauEnv, TauEnvConfig, TauTaskset

__all__ = ["TauEnv", "TauTaskset"]


async def play(base_url: str, model: str, episodes: int) -> None:
    taskset = {"id": "verifiers-env", "domain": "retail", "count": episodes, "emotions": ["anger", "neutral"]}
    env = load_environment(TauEnvConfig(taskset=taskset))
    client = vf.EvalClientConfig(base_url=base_url, api_key_var="OPENAI_API_KEY")
    async with env.serving():
        slots = [slot for task in env.taskset for slot in env.slots(task)]
        context = vf.ModelContext(model, client)
        for episode in await asyncio.gather(*(env.run_slot(slot, context) for slot in slots)):
            for error in episode.errors:
                print(f"failed: {error.message}")
            for trace in episode.traces:
                print(f"{episode.task.data.name}: reward {trace.reward:+.0f}, {trace.num_turns} turns, {trace.metrics}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base-url", default="http://localhost:8000/v1")
    parser.add_argument("--model", default="qwen3-8b")
    parser.add_argument("--episodes", type=int, default=2)
    arguments = parser.parse_args()
    asyncio.run(play(arguments.base_url, arguments.model, arguments.episodes))


if __name__ == "__main__":
    main()
