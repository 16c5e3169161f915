"""Playing environments by macro-actions: at random among those that are open, or as the oracle says."""

from collections.abc import Iterator

import gymnasium as gym
from oracle import Oracle

from tau_emotion_gym._draw import mix
from tau_emotion_gym.wrappers import DiscreteActions, NumericObservation, ShapedReward


def discrete(domain: str = "Retail", **arguments) -> gym.Env:
    return DiscreteActions(gym.make(f"TauEmotion-{domain}-v0", **arguments))


def stacked(domain: str = "Retail", **arguments) -> gym.Env:
    return NumericObservation(DiscreteActions(ShapedReward(gym.make(f"TauEmotion-{domain}-v0", **arguments))))


def at_random(env: gym.Env, seed: int, steps: int = 40) -> Iterator[int]:
    """Random open actions that do not end the talk by themselves, until it is over."""
    names = env.get_wrapper_attr("action_names")
    for step in range(steps):
        mask = env.get_wrapper_attr("action_masks")()
        choices = [at for at, name in enumerate(names) if mask[at] and not name.startswith("hand_off")]
        yield choices[mix(seed, step, "choice") % len(choices)]
        if env.unwrapped.episode.outcome is not None:
            return


def oracle_actions(env: gym.Env) -> Iterator[int]:
    """The oracle's actions until the episode is over."""
    names = env.get_wrapper_attr("action_names")
    episode = env.unwrapped.episode
    for name in Oracle(env.get_wrapper_attr("linker"), episode).actions():
        yield names.index(name)
        if episode.outcome is not None:
            return
