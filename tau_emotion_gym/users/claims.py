"""Which wishes an agent's message closes by what it says is done or tells."""

import re

from tau_emotion_gym.episode import values
from tau_emotion_gym.episode.brief import reader_of
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.episode.requests import Wish, digest_of
from tau_emotion_gym.kit import Kind, Output
from tau_emotion_gym.users.scene import Scene

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def note_claims(scene: Scene, reading: Reading) -> None:
    """Close the wishes that the agent's message says are done or answers."""
    if reading.claims_done:
        _note_deeds(scene, reading)
    elif scene.request.news and _reports(scene, reading):
        _note_notices(scene)
    for i in scene.open():
        if scene.wishes[i].kind is Kind.INFORM and _told(scene, reading, scene.wishes[i]):
            scene.close(i)


def _reports(scene: Scene, reading: Reading) -> bool:
    """Whether a message after a change can only be the report of it, in whatever words."""
    return bool(scene.heard) and not (reading.asks or reading.confirms or reading.refuses or reading.stalls)


def _note_notices(scene: Scene) -> None:
    """Close the wishes whose changes have all arrived as notices."""
    request = scene.request
    for i in scene.open():
        actions = scene.wishes[i].actions
        if actions & request.news and actions <= request.deeds and not scene.impossible(i):
            scene.close(i)


def _note_deeds(scene: Scene, reading: Reading) -> None:
    memory = scene.memory
    memory.claimed = sorted({*memory.claimed, *reading.claims})
    doing = [i for i in scene.open() if scene.wishes[i].actions and not scene.impossible(i)]
    for i in doing:
        actions = scene.wishes[i].actions
        if actions <= set(memory.claimed) or (actions & reading.claims and reading.closes):
            scene.close(i)
    if not reading.claims and doing:
        scene.close(doing[0])


def _plainly_told(scene: Scene, reading: Reading) -> str:
    """The agent's message without the sentences that refuse, report a deed or propose one."""
    if not (reading.refuses or reading.confirms or reading.claims):
        return scene.heard
    reader = reader_of(scene.domain)
    parts = [(part, reader.read(part)) for part in _SENTENCE_END.split(scene.heard)]
    return " ".join(
        part
        for part, read in parts
        if not (read.refuses or read.confirms or read.claims or scene.names(part, reading.proposed))
    )


def _told(scene: Scene, reading: Reading, wish: Wish) -> bool:
    """Whether the message tells what a wish waits for: the right values, or others that pass for them.

    A figure passes for the answer only in a message that does nothing else: not one that reports a change,
    announces more work, or comes right after a change.
    """
    found = [_found(scene, scene.heard, output) for output in wish.outputs]
    if all(answer in digests for answer, digests in zip(wish.answers, found, strict=True)):
        return True
    if not reading.informs or reading.stalls or reading.claims_done or scene.request.news:
        return False
    plainly = _plainly_told(scene, reading)
    return all(output.kind in ("id", "choice") or _found(scene, plainly, output) for output in wish.outputs)


def _found(scene: Scene, text: str, output: Output) -> set[str]:
    """Digests of the values of an output's kind in a text."""
    nouns = (output.noun,) if output.noun else ()
    year = int(scene.brief.today[:4])
    values_found = values.find(text, output.kind, nouns=nouns, options=output.options, year=year)
    return {digest_of(output.kind, value) for value in values_found}
