"""How the scripted user answers a request to confirm: yes, no, not like that, or not yet."""

from tau_emotion_gym.episode.events import states
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.kit import TRANSFER
from tau_emotion_gym.users.answers import give
from tau_emotion_gym.users.lines import LINES
from tau_emotion_gym.users.scene import Scene
from tau_emotion_gym.users.voice import Act


def decide(scene: Scene, reading: Reading) -> tuple[Act, str]:
    """The answer to a confirmation request, and what it amounts to."""
    if scene.request.vague:
        return Act.PROD, scene.line(LINES.what, "what")
    if not wanted(scene, reading):
        open_wishes = scene.open()
        reminder = f" {scene.say_again(open_wishes[0])}" if open_wishes else ""
        return Act.CONFIRM_NO, scene.line(LINES.not_asked, "not asked") + reminder
    if wrong := _other_choice(scene, reading):
        return Act.CORRECT, f"{scene.line(LINES.no, 'no')} {wrong}"
    if scene.has_habit("hesitate") and not scene.memory.hesitated:
        scene.memory.hesitated = True
        return Act.FALTER, scene.behave("hesitate")
    return Act.CONFIRM_YES, scene.line(LINES.yes, "yes")


def wanted(scene: Scene, reading: Reading) -> bool:
    """Whether what the agent proposes is something that this customer asked for."""
    if not reading.proposed:
        return True
    return any(
        wish.actions & reading.proposed or scene.names(wish.say, reading.proposed - {TRANSFER})
        for wish in scene.wishes[: scene.memory.revealed]
    )


def _other_choice(scene: Scene, reading: Reading) -> str:
    """The customer's own choice in a sentence, when the message names only another one."""
    text = ""
    about = [i for i in scene.open() if not reading.proposed or scene.wishes[i].actions & reading.proposed]
    for fact, number in zip(scene.brief.facts, scene.brief.owners, strict=True):
        slot = scene.domain.slots.get(fact.slot)
        if slot is None or not slot.choices or number not in about:
            continue
        text = text or scene.heard.lower()
        own = slot.choices.get(fact.value, ())
        others = [p for value, phrases in slot.choices.items() if value != fact.value for p in phrases]
        if own and any(states(text, p) for p in others) and not any(states(text, p) for p in own):
            return give(scene, slot, fact)
    return ""
