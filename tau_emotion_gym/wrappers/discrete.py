"""Macro-actions as a small discrete action space, with masks."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import gymnasium as gym
import msgspec
import numpy as np
from gymnasium.spaces import Discrete, Space
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from tau_emotion_gym.envs.codec import Turns
from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.envs.spaces import ActionSpace, Observation
from tau_emotion_gym.episode import Action, Episode, call, respond
from tau_emotion_gym.kit import TRANSFER, Domain
from tau_emotion_gym.wrappers.dialogue import Dialogue, Dialogues
from tau_emotion_gym.wrappers.linking import Arguments, fill
from tau_emotion_gym.wrappers.macros import Act, Macros, macros_of
from tau_emotion_gym.wrappers.wording import sentence

Mask = NDArray[np.bool_]
Filled = dict[str, tuple[Arguments, msgspec.Struct] | None]
"""Tool → what it would be called with, None when nothing fits."""


class Linker:
    """Turns macro-actions into actions, for the episodes of some domains.

    Args:
        domains: the domains.
    """

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.macros: Macros = macros_of(*domains)
        self.dialogues = Dialogues()
        self._filled: WeakKeyDictionary[Dialogue, tuple[int, Filled]] = WeakKeyDictionary()

    def filled(self, dialogue: Dialogue) -> Filled:
        """What each tool would be called with now."""
        version, found = self._filled.get(dialogue, (-1, {}))
        if version != dialogue.version:
            tools = dialogue.tools
            found = {name: fill(dialogue, tools[name]) if name in tools else None for name in self.macros.tools}
            self._filled[dialogue] = dialogue.version, found
        return found

    def action(self, episode: Episode, number: int) -> Action:
        """The action that a macro-action means now; one that is masked gives a call that is malformed."""
        dialogue = self.dialogues[episode]
        macro = self.macros.actions[number]
        if macro.act is Act.HAND_OFF:
            return call(TRANSFER, reason=macro.target)
        if macro.act is Act.CALL:
            found = self.filled(dialogue)[macro.target]
            return call(macro.target, **found[0]) if found else call(macro.target)
        return respond(sentence(dialogue, macro, episode.seed, len(episode.messages)))

    def mask(self, episode: Episode) -> Mask:
        """Which macro-actions can be carried out at all: a new boolean array of shape (actions,)."""
        dialogue = self.dialogues[episode]
        filled = self.filled(dialogue)
        mask = np.ones(len(self.macros), dtype=np.bool_)
        for tool, name in enumerate(self.macros.tools):
            if filled[name] is None:
                mask[self.macros.call_index(tool)] = False
        if len(self.macros.domains) > 1:
            self._mask_foreign(mask, episode.domain)
        return mask

    def _mask_foreign(self, mask: Mask, domain: Domain) -> None:
        """Mask the questions and reasons of other domains."""
        for number, macro in enumerate(self.macros.actions):
            known = {Act.ASK: domain.slots, Act.HAND_OFF: domain.reasons}.get(macro.act)
            if known is not None and macro.target not in known:
                mask[number] = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Linker, (self.macros.domains,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Linker":
        return Linker(self.macros.domains)


class DiscreteCodec(Turns):
    """Actions are numbers of macro-actions; observations are turns.

    Args:
        domains: the domains; given by the environment when the codec is made by name.
    """

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.linker = Linker(domains)

    def action_space(self, actions: ActionSpace) -> Space[Any]:
        """`Discrete`: one number for each macro-action."""
        return Discrete(len(self.linker.macros))

    def read(self, episode: Episode, action: Any) -> Sequence[Any]:
        """The one action that the macro-action means now; what is no number of one passes as it is."""
        try:
            number = int(action)
        except (TypeError, ValueError):
            return (action,)
        return (self.linker.action(episode, number) if 0 <= number < len(self.linker.macros) else action,)

    def mask(self, episode: Episode) -> Mask:
        """Which macro-actions can be carried out."""
        return self.linker.mask(episode)


class DiscreteActions(gym.ActionWrapper[Observation, Any, Action], RecordConstructorArgs):
    """A small, fixed set of macro-actions, for PPO and DQN on the scripted user.

    `action_names` lists them (see `Macros`): acknowledge, confirm, refuse, report, close; a question for each
    detail; a call of each tool; a hand-off for each reason. They are the same for every task of a domain.

    *What the wrapper does for the agent.* It links entities and words sentences. A call takes the arguments
    of the task's reference once every one of them has been shown (said by the customer, in a tool's result,
    or in the policy; an id only literally), and otherwise a guess from what was shown last, which is often
    wrong. "confirm", "refuse" and "report" say the task's own sentences once what they rest on was looked up
    and done, and otherwise a sentence without content.

    *What is left to learn* is the dialogue policy: what to ask and what to look up, when there is enough, when
    to propose, write, refuse, report, hand over (and why), acknowledge and end, under customers with feelings.

    *Masks.* `action_masks()` is False only for calls that cannot be made at all, because nothing that was shown
    fits their parameters. It never says what is wise: writing before a yes, refusing what could be granted,
    handing off or closing at once are always open.

    Args:
        env: an environment of this package, under any wrappers that leave its actions alone.

    Raises:
        TypeError: another kind of environment.
    """

    def __init__(self, env: gym.Env[Any, Action]) -> None:
        RecordConstructorArgs.__init__(self)
        if not isinstance(env.unwrapped, TauEmotionEnv):
            raise TypeError(f"DiscreteActions wraps environments of tau_emotion_gym, not {env}")
        gym.ActionWrapper.__init__(self, env)
        self._base: TauEmotionEnv = env.unwrapped
        self.linker = Linker([self._base.domain])
        self.action_space = Discrete(len(self.linker.macros))

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the macro-actions, in order."""
        return self.linker.macros.names

    def action(self, action: Any) -> Action:
        """The action that a macro-action means now."""
        return self.linker.action(self._base.episode, int(action))

    def action_masks(self) -> Mask:
        """Which macro-actions can be carried out now: a new boolean array of shape (actions,)."""
        return self.linker.mask(self._base.episode)
