"""What the scripted user decides to say, before any voice: the plain content of its next message."""

from tau_emotion_gym._draw import chance, mix
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.episode.requests import Signal, UserRequest, Wish
from tau_emotion_gym.kit import Kind
from tau_emotion_gym.users.answers import details
from tau_emotion_gym.users.claims import note_claims
from tau_emotion_gym.users.decisions import decide, wanted
from tau_emotion_gym.users.lines import LINES
from tau_emotion_gym.users.memory import Memory
from tau_emotion_gym.users.scene import Plan, Scene
from tau_emotion_gym.users.voice import Act, Voice

CONNECTED = ("Then", "And ", "Also", "After", "Once", "With ", "If ", "When ")
"""Beginnings that join a wish to the one before it."""


def plan(request: UserRequest, memory: Memory, voice: Voice) -> Plan:
    """The next message's content.

    Args:
        request: what the user is asked.
        memory: what it remembers; updated in place.
        voice: supplies the sentences of one-off behaviours.
    """
    scene = Scene(request, memory, voice)
    reading = request.reading
    if reading is None:
        return _opening(scene)
    if request.leaving:
        return Plan(Act.LEAVE_ANGRY, "", Signal.DISSATISFIED)
    note_claims(scene, reading)
    refused = _refused(scene, reading) if reading.refuses else None
    return refused or _answered(scene, reading) or _moved_on(scene, reading)


# --- the opening ----------------------------------------------------------------------------------------


def _opening(scene: Scene) -> Plan:
    count = len(scene.wishes) if scene.brief.reveal == "together" else 1
    scene.memory.revealed = count
    first = scene.wishes[0]
    if count == 1:
        return Plan(Act.OPENING, first.say, stake=first.stake)
    others = [_added(scene, wish, number) for number, wish in enumerate(scene.wishes[1:count])]
    return Plan(Act.OPENING, " ".join(part for part in (first.say, first.stake, *others) if part))


def _added(scene: Scene, wish: Wish, number: int) -> str:
    """A further wish of the same message, joined on where its own words do not do so."""
    if _connected(wish):
        return wish.say
    first = mix(scene.brief.seed, scene.request.turn, "also")
    return f"{LINES.also[(first + number) % len(LINES.also)]} {wish.say}"


def _connected(wish: Wish) -> bool:
    """Whether a wish's own words join it to the one before it."""
    return wish.chained or wish.say.startswith(CONNECTED)


# --- answers --------------------------------------------------------------------------------------------


def _to_answer(reading: Reading) -> bool:
    return bool(reading.asks or reading.confirms)


def _answered(scene: Scene, reading: Reading) -> Plan | None:
    """The reply to what the message asks for or asks to confirm."""
    if not _to_answer(reading):
        return None
    act, parts = Act.ANSWER, []
    if reading.confirms:
        act, core = decide(scene, reading)
        parts.append(core)
    if reading.asks:
        if scene.has_habit("freeze") and not scene.memory.froze:
            scene.memory.froze = True
            return Plan(Act.FALTER, scene.behave("freeze"))
        given, sentences = details(scene, reading)
        parts += sentences
        if act is Act.ANSWER:
            act = given
    return Plan(act, " ".join(parts))


# --- refusals -------------------------------------------------------------------------------------------


def _refused(scene: Scene, reading: Reading) -> Plan | None:
    """The reply to a refusal: insist, take the second best, or give the wish up."""
    number = next((i for i in scene.open() if scene.impossible(i)), None)
    if number is None:
        if reading.asks or reading.confirms or reading.claims_done:
            return None
        number = next(iter(scene.open()), None)
    if number is None:
        return None
    wish, memory = scene.wishes[number], scene.memory
    genuine = scene.impossible(number)
    patience = wish.insists if genuine else max(wish.insists, 1)
    if memory.insisted[number] < patience:
        memory.insisted[number] += 1
        return Plan(Act.INSIST, _insistence(scene, number))
    if wish.fallback and genuine:
        memory.fallen |= 1 << number
        if reading.confirms and wanted(scene, reading):
            return Plan(Act.CONFIRM_YES, f"{scene.line(LINES.yes, 'yes')} {wish.fallback}")
        return Plan(Act.FALLBACK, wish.fallback)
    scene.close(number)
    return None if _to_answer(reading) else _moved_on(scene, reading, after_refusal=True)


def _insistence(scene: Scene, number: int) -> str:
    """What the customer says to a refusal, another thing every time."""
    wish = scene.wishes[number]
    options = wish.insist or LINES.insist
    return options[(mix(scene.brief.seed, 0, wish.say) + scene.memory.insisted[number]) % len(options)]


# --- going on -------------------------------------------------------------------------------------------


def _moved_on(scene: Scene, reading: Reading, *, after_refusal: bool = False) -> Plan:
    """The reply when the message leaves nothing to answer."""
    open_wishes = scene.open()
    if not open_wishes:
        return _next_wish(scene, after_refusal=after_refusal) or _content(scene, after_refusal=after_refusal)
    if after_refusal:
        left = f"{scene.line(LINES.rest, 'rest')} {_say(scene, open_wishes[0])}"
        return Plan(Act.NEXT_WISH, f"{scene.line(LINES.accept, 'accept')} {left}")
    if reading.hands_off and any(scene.wishes[i].kind is Kind.HAND_OFF for i in open_wishes):
        return Plan(Act.HAND_OFF_REACTION, scene.line(LINES.hand_off, "hand off"))
    if reading.stalls or (reading.claims_done and not reading.closes):
        return Plan(Act.WAIT, scene.line(LINES.wait, "wait"))
    return Plan(Act.PROD, f"{scene.line(LINES.still, 'still')} {_say(scene, open_wishes[0])}")


def _next_wish(scene: Scene, *, after_refusal: bool) -> Plan | None:
    """The next wish that had its turn to come, with or without a word before it; None when all were said."""
    memory = scene.memory
    if memory.revealed == len(scene.wishes):
        return None
    wish = scene.wishes[memory.revealed]
    memory.revealed += 1
    core = wish.say
    if after_refusal:
        core = f"{scene.line(LINES.accept, 'accept')} {core}"
    elif not (_connected(wish) or chance(0.5, scene.brief.seed, scene.request.turn, "plunge in")):
        core = f"{scene.line(LINES.next, 'next')} {core}"
    return Plan(Act.NEXT_WISH, core, stake=wish.stake)


def _content(scene: Scene, *, after_refusal: bool) -> Plan:
    if after_refusal:
        return Plan(Act.ACCEPT_REFUSAL, scene.line(LINES.done_refused, "done"), Signal.SATISFIED)
    return Plan(Act.THANKS_BYE, scene.line(LINES.done, "done"), Signal.SATISFIED)


def _say(scene: Scene, number: int) -> str:
    """What the customer wants as things stand."""
    return scene.wishes[number].fallback if scene.fell_back(number) else scene.say_again(number)
