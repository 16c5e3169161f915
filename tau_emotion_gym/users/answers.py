"""What the scripted user says to questions: what it knows, and that it does not know."""

from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.kit import Fact, Slot
from tau_emotion_gym.users.lines import LINES
from tau_emotion_gym.users.scene import Scene
from tau_emotion_gym.users.voice import Act

MOST_WITHDRAWALS = 2
"""So many answers at most are cut short by a withdrawing customer."""

Known = list[tuple[Slot, Fact]]
"""Slots that were asked for, with facts that answer them."""


def details(scene: Scene, reading: Reading) -> tuple[Act, list[str]]:
    """What the customer says to the slots that were asked for, and what that amounts to."""
    known: Known = []
    unknown: list[str] = []
    for name in reading.asks:
        slot = scene.domain.slots[name]
        facts = _facts_of(scene, name)
        if facts:
            known += [(slot, fact) for fact in facts if (slot, fact) not in known]
        else:
            unknown.append(name)
    if known:
        unknown = [name for name in unknown if name not in scene.domain.identity_slots]
    sentences = [_unknown(scene, name, known) for name in unknown]
    if not known:
        return Act.UNKNOWN, [s for s in sentences if s] or [scene.line(LINES.do_not_know, "unknown")]
    if not _avoids(scene, known[-1][1]):
        return Act.ANSWER, [*_given(scene, known), *(s for s in sentences if s)]
    if len(known) == 1:
        return Act.FALTER, [scene.behave("avoid")]
    declined = scene.line(LINES.decline, "decline").format(label=known[-1][0].label)
    return Act.ANSWER, [*(give(scene, slot, fact) for slot, fact in known[:-1]), declined]


def give(scene: Scene, slot: Slot, fact: Fact) -> str:
    """A sentence that gives a fact, in the slot's own words."""
    sentence = scene.line(slot.give, f"give {slot.name}").format(value=fact.spoken)
    first = sentence.split(" ", 1)[0].rstrip(".,")
    return sentence[0].upper() + sentence[1:] if first.replace("'", "").isalpha() else sentence


def _facts_of(scene: Scene, name: str) -> list[Fact]:
    """The facts of a slot that fit now: not yet said ones first, and those of one wish only."""
    brief, memory, said = scene.brief, scene.memory, scene.request.said
    best: tuple[int, bool, int] | None = None
    found: dict[str, Fact] = {}
    for place, fact in enumerate(brief.facts):
        if fact.slot != name or (owner := brief.owners[place]) >= memory.revealed:
            continue
        rank = said >> place & 1, owner >= 0 and memory.closed >> owner & 1 > 0, owner
        if best is None or rank < best:
            best, found = rank, {}
        if rank == best:
            found[fact.spoken] = fact
    return list(found.values())


def _avoids(scene: Scene, fact: Fact) -> bool:
    """Whether the customer declines, once, to give a personal detail."""
    if fact not in scene.brief.identity or scene.memory.avoided or not scene.has_habit("avoid"):
        return False
    scene.memory.avoided = True
    return True


def _given(scene: Scene, known: Known) -> list[str]:
    memory = scene.memory
    if len(known) > 1 and memory.withdrew < MOST_WITHDRAWALS and scene.has_habit("withdraw"):
        memory.withdrew += 1
        known = known[: (len(known) + 1) // 2]
    return [give(scene, slot, fact) for slot, fact in known]


def _unknown(scene: Scene, name: str, known: Known) -> str:
    """That the customer does not know a detail, and what it offers instead."""
    slot = scene.domain.slots[name]
    parts = [scene.line(slot.unknown, f"unknown {name}")]
    for other in slot.instead:
        facts = [f for f in _facts_of(scene, other) if all(f is not k for _, k in known)]
        if facts:
            parts += [give(scene, scene.domain.slots[other], fact) for fact in facts]
            break
    return " ".join(parts)
