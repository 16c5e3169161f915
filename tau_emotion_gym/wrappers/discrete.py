"""Macro-actions as a small discrete action space, with masks."""

from typing import Any

import gymnasium as gym
from gymnasium.spaces import Discrete
from gymnasium.utils import RecordConstructorArgs

from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.envs.spaces import ActionSpace, Observation
from tau_emotion_gym.episode import Action
from tau_emotion_gym.wrappers.linker import Linker, Mask


class DiscreteActions(gym.ActionWrapper[Observation, Any, Action], RecordConstructorArgs):
    """A small, fixed set of macro-actions, for PPO and DQN on the scripted user.

    `action_names` lists them (see `Macros`): acknowledge, confirm, refuse, report, close; a question for each
    detail; a call of each tool; a hand-off for each reason. They are the same for every task of a domain.

    *What the wrapper does for the agent.* It links entities and words sentences. A call takes the arguments
    of the task's reference once every one of them has been shown (said by the customer, in a tool's result,
    or in the policy; an id only literally), and otherwise a guess from what was shown last, which is often
    wrong (a write takes no text, figure or choice that the customer has not given). "confirm", "refuse" and
    "report" say the task's own sentences once what they rest on was looked up and done, and otherwise a sentence
    without content.

    *What is left to learn* is the dialogue policy: what to ask and what to look up, when there is enough, when
    to propose, write, refuse, report, hand over (and why), acknowledge and end, under customers with feelings.

    *Masks.* `action_masks()` is False only for calls that cannot be made at all, because nothing that was shown
    fits their parameters. It never says what is wise: writing before a yes, refusing what could be granted,
    handing off or closing at once are always open.

    Args:
        env: an environment of this package, under any wrappers that leave its actions alone.

    Raises:
        TypeError: another kind of environment, or one whose actions are changed already.
    """

    def __init__(self, env: gym.Env[Any, Action]) -> None:
        RecordConstructorArgs.__init__(self)
        if not isinstance(env.unwrapped, TauEmotionEnv):
            raise TypeError(f"DiscreteActions wraps environments of tau_emotion_gym, not {env}")
        if not isinstance(env.action_space, ActionSpace):
            raise TypeError(f"DiscreteActions makes plain actions, and {env} takes {env.action_space}")
        gym.ActionWrapper.__init__(self, env)
        self._base: TauEmotionEnv = env.unwrapped
        self.linker = Linker([self._base.domain])
        self.action_space = Discrete(len(self.linker.macros))

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the macro-actions, in order."""
        return self.linker.macros.names

    def action(self, action: Any) -> Action:
        """The action that a macro-action means now; what is no number of one passes as it is, a malformed action."""
        found: Action = self.linker.read(self._base.episode, action)
        return found

    def action_masks(self) -> Mask:
        """Which macro-actions can be carried out now: a new boolean array of shape (actions,)."""
        return self.linker.mask(self._base.episode)
