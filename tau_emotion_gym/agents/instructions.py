"""The system prompt of a language model that serves customers: one for all models, the policy from the domain."""

import hashlib
from functools import cache
from importlib.resources import files

from tau_emotion_gym.kit import Domain


@cache
def template() -> str:
    """The prompt, with `{policy}` where the domain's policy stands."""
    return files("tau_emotion_gym.agents").joinpath("instructions.md").read_text(encoding="utf-8").strip()


def instructions(domain: Domain) -> str:
    """What the agent is told: its part, how to act, and the domain's policy with its date."""
    return template().replace("{policy}", domain.policy.strip())


def digest(*texts: str) -> str:
    """A short digest of prompts, for logs: the same prompt, the same digits."""
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=8).hexdigest()
