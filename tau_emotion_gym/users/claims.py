"""Which wishes an agent's message closes by what it says is done or tells."""

import re

from tau_emotion_gym.episode import values
from tau_emotion_gym.episode.brief import reader_of
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.episode.requests import Wish
from tau_emotion_gym.kit import Kind
from tau_emotion_gym.users.scene import Scene

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def note_claims(scene: Scene, reading: Reading) -> None:
    """Close the wishes that the agent's message says are done or answers."""
    if reading.claims_done:
        _note_deeds(scene, reading)
    asked = [i for i in scene.open() if scene.wishes[i].kind is Kind.INFORM] if reading.informs else []
    if asked:
        told = _plainly_told(scene, reading)
        for i in asked:
            if _answers(scene, told, scene.wishes[i]):
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


def _answers(scene: Scene, text: str, wish: Wish) -> bool:
    """Whether a text has a value of each kind that the wish waits for."""
    year = int(scene.brief.today[:4])
    return all(
        output.kind in ("id", "choice")
        or values.find(text, output.kind, nouns=(output.noun,) if output.noun else (), year=year)
        for output in wish.outputs
    )
