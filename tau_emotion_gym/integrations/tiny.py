"""A tiny language model with random weights, to try trainers on a processor, without a download.

It knows nothing and writes noise; its tokenizer, chat template, gradients and checkpoints are real. Needs
transformers, which every trainer of language models brings along.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from tau_emotion_gym.agents.instructions import instructions
from tau_emotion_gym.envs.chat import function_tools
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.world import encode

VOCABULARY = 2000
END_OF_TURN = "<|im_end|>"
MARKS = ("<|endoftext|>", "<|im_start|>", END_OF_TURN)

RESPONSE_TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}
"""How transformers reads calls off this template's answers."""


@cache
def chat_template() -> str:
    """A Hermes chat template: earlier turns never change, and the assistant's tokens are marked for the loss."""
    return files("tau_emotion_gym.integrations").joinpath("tiny.jinja").read_text(encoding="utf-8")


def tiny_tokenizer(vocabulary: int = VOCABULARY) -> Any:
    """A byte-level tokenizer trained on the domains' policies and tools; any text goes through it and back.

    Args:
        vocabulary: number of tokens.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(MARKS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(_texts(), trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=END_OF_TURN, pad_token=MARKS[0])
    made.chat_template = chat_template()
    made.response_template = RESPONSE_TEMPLATE
    return made


def tiny_model(tokenizer: Any, *, hidden: int = 32, layers: int = 2, seed: int = 0) -> Any:
    """A Qwen3 with random weights for this tokenizer.

    Args:
        tokenizer: its tokenizer.
        hidden: width of the layers.
        layers: number of layers.
        seed: of the weights.
    """
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=hidden // 2,
        max_position_embeddings=32_768,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Qwen3ForCausalLM(config)


def _texts() -> Iterator[str]:
    for name in names():
        domain = load(name)
        yield instructions(domain)
        yield from (encode(tool) for tool in function_tools(domain))
