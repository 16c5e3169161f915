"""A domain's sentences as data: `slots.json`, and `intents.json` with what customers say for each wish."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from tau_emotion_gym.errors import DataError, unknown
from tau_emotion_gym.kit.intent import Intent, Sampler, intent
from tau_emotion_gym.kit.slot import Slot
from tau_emotion_gym.kit.task import Kind

T = TypeVar("T")

Stakes = dict[str, tuple[str, ...]]
"""Emotion family → sentences that say why the customer feels that way."""


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What customers say for one wish, as `kit.intent` takes it.

    Attributes:
        phrasings: ways to say the wish.
        stakes: what is at stake in this wish.
        story: in place of `stakes`: the name of stakes that several wishes share.
        fallback: how the customer takes the second best.
        insist: how the customer insists after a refusal.
    """

    phrasings: tuple[str, ...]
    stakes: Stakes = {}
    story: str = ""
    fallback: tuple[str, ...] = ()
    insist: tuple[str, ...] = ()


def read_data(path: Path, kind: type[T]) -> T:
    """A JSON file, checked against its type.

    Raises:
        DataError: with the file and the place in it.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: {error}") from None


def read_slots(folder: Path) -> tuple[Slot, ...]:
    """The slots in a folder's `slots.json`."""
    return read_data(folder / "slots.json", tuple[Slot, ...])


@cache
def _wordings(folder: Path) -> dict[str, Wording]:
    return read_data(folder / "intents.json", dict[str, Wording])


@cache
def _stories(folder: Path) -> dict[str, Stakes]:
    return read_data(folder / "stakes.json", dict[str, Stakes])


class Wishes:
    """Makes intents out of samplers, with the sentences that stand under their names in a folder's data.

    Args:
        folder: holds `intents.json` and, where wishes share stories, `stakes.json`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(
        self, kind: Kind, *, follows: Sequence[str] = (), weight: int = 1, emergency: bool = False
    ) -> Callable[[Sampler], Intent]:
        """Decorator: the intent named after a sampler; the arguments are those of `kit.intent`."""

        def decorate(sample: Sampler) -> Intent:
            wording = self._wording(sample.__name__)
            return intent(
                kind,
                phrasings=wording.phrasings,
                stakes=self._stakes(wording),
                fallback=wording.fallback,
                insist=wording.insist,
                follows=follows,
                weight=weight,
                emergency=emergency,
            )(sample)

        return decorate

    def _wording(self, name: str) -> Wording:
        wordings = _wordings(self._folder)
        if name not in wordings:
            raise unknown(f"wording in {self._folder / 'intents.json'}", name, wordings)
        return wordings[name]

    def _stakes(self, wording: Wording) -> Stakes:
        if not wording.story:
            return wording.stakes
        stories = _stories(self._folder)
        if wording.story not in stories:
            raise unknown(f"story in {self._folder / 'stakes.json'}", wording.story, stories)
        return stories[wording.story]
