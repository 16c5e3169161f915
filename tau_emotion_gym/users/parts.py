"""The parts of a reply that names its parts: "Thought: …", "Response: …", "Customer: …", "Agent: …"."""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple


class _Who(Enum):
    THOUGHT = auto()
    REPLY = auto()
    SELF = auto()
    ASSISTANT = auto()
    OTHER = auto()


class _Part(NamedTuple):
    who: _Who
    text: str


_THOUGHT = (
    r"(?:my |inner |internal |private )?(?:thoughts?|thinking|reasoning|monologue|analysis|reflection)"
    r"|(?:inner|internal) voice|private note"
)
_REPLY = r"(?:(?:my|final|customer|user|customer['’]s|user['’]s) )?(?:response|reply|message|answer)|output"
_SELF = r"customer|user|me|you|human|caller|client"
_OTHER = (
    r"(?:support |service |customer |chat )?(?:agent|representative|rep|operator)|(?:chat)?bot|system"
    r"|customer (?:service|support|care)(?: agent| representative| rep)?"
)
_LABEL = re.compile(
    r"^[ \t]{0,4}[*_#\[(]{0,4}[ \t]{0,4}"
    rf"(?:(?P<THOUGHT>{_THOUGHT})|(?P<REPLY>{_REPLY})|(?P<SELF>{_SELF})|(?P<ASSISTANT>assistant)|(?P<OTHER>{_OTHER}))"
    r"(?:[ \t]{0,4}\([^()\n]{0,40}\))?[ \t]{0,4}[*_\])]{0,3}[ \t]{0,4}[:：][ \t]{0,4}[*_]{0,3}",
    re.M | re.I,
)
_INLINE = re.compile(r"(?<=[\s.!?])(?:Final |My )?(?:Response|Reply|Answer|Message|Customer|User)\s?[:：]")
_ASIDE = re.compile(rf"\(\s?(?:{_THOUGHT})\s?[:：][^()]*\)|\[\s?(?:{_THOUGHT})\s?[:：][^\[\]]*\]", re.I)


def own_part(text: str) -> tuple[str, list[str]]:
    """(what the customer says, the parts that are thoughts or somebody else's).

    A thought without a part that is named as the reply ends with its paragraph. What the model writes for the agent
    after its own words ends the reply; before them it is left out. "Assistant: …" alone is the model's own name.
    """
    beside = _ASIDE.findall(text)
    parts = list(_parts(_ASIDE.sub(" ", text) if beside else text))
    named = any(part.who in (_Who.REPLY, _Who.SELF) for part in parts)
    spoken: list[str] = []
    for number, part in enumerate(parts):
        own = part.who in (_Who.REPLY, _Who.SELF) or (part.who is _Who.ASSISTANT and not named and not spoken)
        if own:
            spoken += [part.text.strip()] if part.text.strip() else []
        elif part.who is not _Who.THOUGHT and spoken:
            return "\n".join(spoken), [*beside, *(left.text for left in parts[number:])]
        elif part.who is _Who.THOUGHT and not named:
            thought, _, rest = part.text.strip().partition("\n\n")
            beside.append(thought)
            spoken += [rest.strip()] if rest.strip() else []
        else:
            beside.append(part.text)
    return "\n".join(spoken), beside


def _parts(text: str) -> Iterator[_Part]:
    """The named parts in order; what stands before the first name is the customer's."""
    who, at = _Who.REPLY, 0
    for label in _LABEL.finditer(text):
        before = text[at : label.start()]
        found = _Who[str(label.lastgroup)]
        if found is _Who.REPLY and who is not _Who.THOUGHT and (at or before.strip()):
            continue
        if at or before.strip():
            yield from _split(who, before)
        who, at = found, label.end()
    yield from _split(who, text[at:])


def _split(who: _Who, text: str) -> Iterator[_Part]:
    """A part; a thought that names the reply within a line is two."""
    found = _INLINE.search(text) if who is _Who.THOUGHT else None
    if found is None:
        yield _Part(who, text)
    else:
        yield _Part(who, text[: found.start()])
        yield _Part(_Who.REPLY, text[found.end() :])
