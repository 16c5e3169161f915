"""What a language model is told and shown so that it plays the customer.

The system message holds the part for the whole episode: persona, wishes with what is known for each, identity, the
rules of writing, and how the conversation ends. It is the same in every request of an episode, so the persona never
drifts out of sight. Then comes the conversation from the customer's side: the agent writes as "user", the customer as
"assistant". A line that opens the chat stands first, because many chat templates want a user's message there, and the
roles alternate strictly, because many templates want that too. What is private to one turn, the feelings of the moment
and the notices of changes, stands in a tagged note at the end of the last message; agents cannot forge it, since tags
and tokens are taken out of what they say.

The words are data: `prompts/customer.md` and `prompts/words.json`. Values that the agent has to find out are in none
of it.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from string import Template
from typing import get_args, get_type_hints

import msgspec

from tau_emotion_gym.emotions import Affect, Event, persona
from tau_emotion_gym.episode import Brief, UserRequest
from tau_emotion_gym.episode.requests import Wish
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit import Fact, Kind, Output
from tau_emotion_gym.kit.discovery import load_from
from tau_emotion_gym.llm import Message
from tau_emotion_gym.users.replies import CONTENT, LEAVE, PRIVATE, harmless
from tau_emotion_gym.users.scripted import felt

Bands = tuple[tuple[float, str], ...]
"""Sentences for the values below a bound, in rising order; the last bound lies above every value."""


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of `prompts/words.json`, with their placeholders."""

    one_wish: str
    together: str
    one_by_one: str
    wish: str
    stake: str
    neutral_stake: str
    facts: str
    fact: str
    identity: str
    nameless: str
    waits: str
    outputs: dict[str, str]
    refusal: tuple[str, str, str]
    how: str
    give_up: str
    fall_back: str
    kept_back: str
    emergency: str
    content: str
    leave: str
    stay: str
    signs: str
    opening: str
    silence: str
    nothing: str
    note: str
    notices: str
    mood: str
    happened: str
    enough: str
    reminder: str
    satisfaction: Bands
    patience: Bands
    events: dict[str, str]


def _data(name: str) -> bytes:
    return files("tau_emotion_gym.users").joinpath("prompts", name).read_bytes()


@cache
def words() -> Words:
    """The shipped sentences, checked.

    Raises:
        DataError: an event or a kind of output has no words, or bands do not cover [0, 1] in rising order.
    """
    table = msgspec.json.decode(_data("words.json"), type=Words)
    kinds = get_args(get_type_hints(Output)["kind"])
    for found, expected in ((table.events, sorted(Event)), (table.outputs, sorted(kinds))):
        if sorted(found) != expected:
            raise DataError(f"words.json: expected the keys {expected}, found {sorted(found)}")
    for bands in (table.satisfaction, table.patience):
        bounds = [bound for bound, _ in bands]
        if bounds != sorted(bounds) or bounds[-1] <= 1:
            raise DataError(f"words.json: bands rise and cover 0 to 1, not {bounds}")
    return table


@cache
def _part() -> Template:
    return Template(_data("customer.md").decode())


def prompt_digest() -> str:
    """A digest of every shipped word of the prompt, for the log of a run."""
    return blake2b(_data("customer.md") + _data("words.json"), digest_size=8).hexdigest()


def messages(request: UserRequest, *, cue: bool = True, system_message: bool = True) -> list[Message]:
    """The conversation as a language model that plays the customer gets it.

    Args:
        request: what the user is asked.
        cue: tell the model, in a private note, how the customer feels now and why. Neutral customers get no cue.
        system_message: False puts the part at the head of the first user message, for models without a system role.
    """
    talk: list[Message] = [{"role": "user", "content": words().opening}]
    for turn in request.transcript:
        role = "user" if turn.role == "agent" else "assistant"
        text = harmless(turn.content).strip() or (words().silence if role == "user" else words().nothing)
        _add(talk, role, text)
    if note := private_note(request, cue=cue):
        _add(talk, "user", note)
    part = part_of(request.brief)
    if system_message:
        return [{"role": "system", "content": part}, *talk]
    talk[0]["content"] = f"{part}\n\n{talk[0]['content']}"
    return talk


def _add(talk: list[Message], role: str, text: str) -> None:
    """Put a text at the end of the last message where that has the role, else into one of its own."""
    if talk[-1]["role"] == role:
        talk[-1]["content"] += f"\n\n{text}"
    else:
        talk.append({"role": role, "content": text})


# --- the part --------------------------------------------------------------------------------------------


def part_of(brief: Brief) -> str:
    """Everything about the customer that holds for the whole episode."""
    return (
        _part()
        .substitute(
            persona=persona(felt(brief), brief.seed, brief.wishes[0].stake),
            today=brief.today,
            wishes="\n".join(_wishes(brief)),
            identity="\n".join(_fact(brief, words().identity, fact) for fact in brief.identity) or words().nameless,
            ending="\n".join(_ending(brief)),
        )
        .strip()
    )


def _wishes(brief: Brief) -> Iterator[str]:
    table, count = words(), len(brief.wishes)
    yield table.one_wish if count == 1 else getattr(table, brief.reveal).format(count=count)
    for number, wish in enumerate(brief.wishes, 1):
        yield table.wish.format(number=number, say=wish.say)
        if number > 1 and wish.stake:
            yield (table.neutral_stake if brief.condition is None else table.stake).format(stake=wish.stake)
        yield from _about(brief, wish)


def _about(brief: Brief, wish: Wish) -> Iterator[str]:
    table = words()
    if wish.facts:
        yield table.facts
        yield from (_fact(brief, table.fact, fact) for fact in wish.facts)
    if wish.kind is Kind.INFORM and wish.outputs:
        told = (table.outputs[output.kind].format(noun=output.noun) for output in wish.outputs)
        yield table.waits.format(what=" and ".join(told))
    then = table.fall_back.format(fallback=wish.fallback) if wish.fallback else table.give_up
    how = table.how.format(lines=" / ".join(wish.insist)) if wish.insist else ""
    yield table.refusal[min(_insists(wish), 2)].format(how=how, then=then.rstrip("."))
    if wish.fallback:
        yield table.kept_back
    if wish.emergency:
        yield table.emergency


def _insists(wish: Wish) -> int:
    """How often to insist: what policy forbids as the task says, what can be done at least once."""
    return wish.insists if wish.kind in (Kind.DENY, Kind.CONDITIONAL) else max(wish.insists, 1)


def _fact(brief: Brief, template: str, fact: Fact) -> str:
    slot = load_from(brief.domain, brief.folder).slots.get(fact.slot)
    return template.format(label=slot.label if slot else fact.slot.replace("_", " "), spoken=fact.spoken)


def _ending(brief: Brief) -> Iterator[str]:
    table = words()
    yield table.content.format(content=CONTENT)
    yield table.stay if brief.condition is None else table.leave.format(leave=LEAVE)
    yield table.signs


# --- the private note ------------------------------------------------------------------------------------


def private_note(request: UserRequest, *, cue: bool = True) -> str:
    """What the customer alone is told before its next message; empty when there is nothing."""
    table = words()
    lines = list(_notices(request))
    if cue and request.brief.condition is not None:
        lines += _feelings(request, request.brief.condition.leaf)
    if not lines:
        return ""
    return table.note.format(tag=PRIVATE, lines="\n".join([*lines, table.reminder]))


def _notices(request: UserRequest) -> Iterator[str]:
    if request.deeds:
        deeds = ", ".join(sorted(name.replace("_", " ") for name in request.deeds))
        yield words().notices.format(deeds=deeds)


def _feelings(request: UserRequest, leaf: str) -> Iterator[str]:
    table = words()
    if request.leaving:
        yield table.enough.format(leave=LEAVE)
        return
    felt_now: Affect = request.affect
    yield table.mood.format(
        leaf=leaf,
        satisfaction=_band(table.satisfaction, felt_now.satisfaction),
        patience=_band(table.patience, felt_now.patience),
    )
    if request.events:
        happened = dict.fromkeys(table.events[name] for name in request.events)
        yield table.happened.format(events="; ".join(happened) + ".")


def _band(bands: Bands, value: float) -> str:
    return next(text for bound, text in bands if value < bound)
