"""The linker: macro-actions as actions, and which of them can be carried out at all."""

from collections.abc import Sequence
from operator import index
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from numpy.typing import NDArray

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
        self._always = {domain: self._open(domain) for domain in self.macros.domains}
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

    def read(self, episode: Episode, action: Any) -> Any:
        """The action that a macro-action's number means now; what is no number of one passes as it is."""
        try:
            number = -1 if isinstance(action, bool) else index(action)
        except TypeError:
            return action
        return self.action(episode, number) if 0 <= number < len(self.macros) else action

    def mask(self, episode: Episode) -> Mask:
        """Which macro-actions can be carried out at all: a new boolean array of shape (actions,)."""
        dialogue = self.dialogues[episode]
        filled = self.filled(dialogue)
        mask = self._always[episode.domain].copy()
        start = self.macros.call_index(0)
        mask[start : start + len(filled)] = [one is not None for one in filled.values()]
        return mask

    def _open(self, domain: Domain) -> Mask:
        """The mask of a domain with all calls open: other domains' questions and reasons are not."""
        known = {Act.ASK: domain.slots, Act.HAND_OFF: domain.reasons}
        return np.array([macro.target in known.get(macro.act, (macro.target,)) for macro in self.macros.actions])

    def __reduce__(self) -> tuple[Any, ...]:
        return Linker, (self.macros.domains,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Linker":
        return Linker(self.macros.domains)
