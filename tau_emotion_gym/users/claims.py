"""Which wishes an agent's message closes by what it says is done or tells."""

from tau_emotion_gym.episode import values
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.episode.requests import Wish, digest_of
from tau_emotion_gym.kit import Kind, Output
from tau_emotion_gym.users.scene import Scene

_DIGITS = frozenset("0123456789")


def note_claims(scene: Scene, reading: Reading) -> None:
    """Close the wishes that the agent's message says are done or answers."""
    if reading.claims_done:
        _note_deeds(scene, reading)
    if scene.request.news and _reports(scene, reading):
        _note_notices(scene)
    waiting = [i for i in scene.open() if scene.wishes[i].kind is Kind.INFORM]
    if waiting and (reading.informs or _has_digit(scene.heard)):
        for i in waiting:
            if _told(scene, reading, scene.wishes[i]):
                scene.close(i)


def _has_digit(text: str) -> bool:
    return not _DIGITS.isdisjoint(text)


def _reports(scene: Scene, reading: Reading) -> bool:
    """Whether a message after a change can only be the report of it, in whatever words."""
    return bool(scene.heard) and not (reading.asks or reading.confirms or reading.refuses or reading.promises)


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


def _told(scene: Scene, reading: Reading, wish: Wish) -> bool:
    """Whether the message tells what a wish waits for: the right values, or others that pass for them.

    A figure passes for the answer only in a message that does nothing else: not one that reports, proposes or
    refuses something, announces more work, or comes right after a change.
    """
    found = [_found(scene, output) for output in wish.outputs]
    if found and all(answer in digests for answer, digests in zip(wish.answers, found, strict=True)):
        return True
    busy = reading.confirms or reading.claims_done or reading.refuses or reading.promises or scene.request.news
    if busy or not reading.informs:
        return False
    return all(digests or output.kind in ("id", "choice") for digests, output in zip(found, wish.outputs, strict=True))


def _found(scene: Scene, output: Output) -> set[str]:
    """Digests of the values of an output's kind in the agent's message."""
    nouns = (output.noun,) if output.noun else ()
    year = int(scene.brief.today[:4])
    values_found = values.find(scene.heard, output.kind, nouns=nouns, options=output.options, year=year)
    return {digest_of(output.kind, value) for value in values_found}
