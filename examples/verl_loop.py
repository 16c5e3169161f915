"""Conversations through verl's agent loop, without a trainer: `pip install 'tau-emotion-gym[verl]'`.

In training, the loop stands in the file that `actor_rollout_ref.rollout.agent.agent_loop_config_path` names, and verl
makes it. Here a tiny tokenizer and a stand-in for its server show what comes out: which tokens the model wrote, and
what they earned.
"""

import asyncio

from omegaconf import OmegaConf
from verl.experimental.agent_loop.agent_loop import DictConfigWrap
from verl.workers.rollout.replica import TokenOutput

from tau_emotion_gym.integrations import rows
from tau_emotion_gym.integrations.tiny import tiny_tokenizer
from tau_emotion_gym.integrations.verl import TauAgentLoop, loop_rows

ANSWERS = [
    "I'm sorry to hear that. What is your email address?",
    '<tool_call>\n{"name": "list_product_types", "arguments": {}}\n</tool_call>',
    '<tool_call>\n{"name": "transfer_to_human", "arguments": {"reason": "other"}}\n</tool_call>',
]
ROLLOUT = {"prompt_length": 20000, "response_length": 8000, "multi_turn": {"max_assistant_turns": None}}
CONFIG = OmegaConf.create({"actor_rollout_ref": {"rollout": ROLLOUT}, "data": {}})


class StandIn:
    """Says one thing after another, as verl's client of a model server would."""

    def __init__(self, tokenizer) -> None:
        self._tokenizer = tokenizer
        self._answers = {}

    async def generate(self, *, request_id, prompt_ids, sampling_params, **_) -> TokenOutput:
        """The next answer of this request."""
        answers = self._answers.setdefault(request_id, iter(ANSWERS))
        ids = self._tokenizer.encode(next(answers) + "<|im_end|>", add_special_tokens=False)
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids))


async def play() -> None:
    tokenizer = tiny_tokenizer()
    server = StandIn(tokenizer)

    def loop() -> TauAgentLoop:
        return TauAgentLoop(
            desk={"domain": "retail"},
            trainer_config=DictConfigWrap(CONFIG),
            server_manager=server,
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=None,
            data_config=DictConfigWrap(CONFIG.data),
            hf_model_type="qwen3",
        )

    samples = loop_rows("tau_retail", rows("retail", 4, emotions=("anger", "neutral")))
    outputs = await asyncio.gather(*(loop().run({}, raw_prompt=sample["prompt"], **sample) for sample in samples))
    for sample, output in zip(samples, outputs, strict=True):
        own = sum(output.response_mask)
        print(
            f"{sample['task_id']} ({sample['emotion']}): reward {output.reward_score:+.0f}, {output.num_turns} turns,"
        )
        print(f"  {len(output.prompt_ids)} tokens of prompt, {len(output.response_ids)} after it, {own} by the model")


if __name__ == "__main__":
    asyncio.run(play())
