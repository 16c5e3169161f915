"""The one reader of what a language model writes as the customer: its message, its signal, its thoughts.

What is read, in this order:

1. *Thoughts and markup.* Think blocks (closed, never opened, never closed), channels, tokens of chat templates. What
   stands after the end of the model's turn is not its reply.
2. *Parts.* "Thought: …" and "Reasoning: …" are thoughts, "Response: …" is the reply. A speaker's name before it is
   dropped. Where the model goes on as the agent ("Agent: …"), the reply ends. None of this can carry a signal.
3. *Tokens.* `CONTENT` and `LEAVE` in any case, with spaces or hyphens for the underscore, with other brackets or none,
   glued to words, in bold, in quotes. A token that is only *mentioned* is no signal: quoted within a sentence, after
   "say", "type", "the word" and the like, after "not", "if", "will" and the like, or asked about. Two different tokens
   in one reply contradict each other and are no signal: leaving costs the agent, so it has to be plain. Of the tokens
   that other packages use, `###STOP###` is content; `###TRANSFER###` and `###OUT-OF-SCOPE###` are no signal, because a
   hand-off is the agent's to make and not knowing something ends nothing.

Every token and tag is taken out of the text that is delivered, whatever it meant. Nothing raises, and time is linear.
"""

import re
from typing import NamedTuple

from tau_emotion_gym.episode import Signal
from tau_emotion_gym.episode.actions import clean
from tau_emotion_gym.users.parts import own_part

CONTENT = "[[ALL_SETTLED]]"
"""Ends the conversation with a customer who is content."""

LEAVE = "[[WALK_OUT]]"
"""Ends the conversation with a customer who leaves dissatisfied."""

PRIVATE = "private_note"
"""The tag around what the customer is told between its messages."""


class Parsed(NamedTuple):
    """A reply as it is delivered, and what stays behind."""

    text: str
    signal: Signal
    thought: str


_TAGS = rf"think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad|inner_monologue|{PRIVATE}"
_TAG = re.compile(
    rf"<\s{{0,3}}(?P<end>/)?\s{{0,3}}(?:{_TAGS})(?:\s[^<>]{{0,80}})?>|\[(?P<end2>/)?THINK\]|◁(?P<end3>/)?think▷", re.I
)
_FINAL = re.compile(r"<\|channel\|>\s*final[^<]{0,40}<\|message\|>", re.I)
_CHANNEL = "<|channel|>"
_SPECIAL = re.compile(r"<\|[^<>|\s]{1,40}\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]", re.I)
_ROLES = frozenset(("", "assistant", "user", "customer", "model"))
_FENCE = re.compile(r"\A```\w*\n(.*)\n?```\Z", re.S)

_SETTLED, _OUT = r"all[\s_\\-]{0,3}settled", r"walk[\s_\\-]{0,3}out"
_WORDS = rf"(?:(?:{_SETTLED})|(?:{_OUT}))"
_TOKEN = re.compile(
    rf"(?:[\[<{{⟦【«#［]|\(\(){{1,4}}\s{{0,2}}{_WORDS}\s{{0,2}}(?:[\]>}}⟧】»#］]|\)\)){{1,4}}"
    rf"|[\[<{{⟦【«#［]{{2,4}}\s{{0,2}}{_WORDS}"
    r"|all\\?_settled|walk\\?_out"
    r"|#{2,4}\s?(?:STOP|TRANSFER|OUT[-_ ]?OF[-_ ]?SCOPE)\s?#{2,4}"
    r"|#{3,4}(?:STOP|TRANSFER|OUT[-_ ]?OF[-_ ]?SCOPE)\b",
    re.I,
)
_LETTERS = re.compile(r"[^a-z]+")
_MEANING = {
    "allsettled": Signal.SATISFIED,
    "walkout": Signal.DISSATISFIED,
    "stop": Signal.SATISFIED,
    "transfer": Signal.CONTINUE,
    "outofscope": Signal.CONTINUE,
}

_MENTIONED = re.compile(
    r"(?:\b(?:say|says|said|saying|type|typed|typing|write|writes|wrote|writing|send|sending|use|using|put|output|enter"
    r"|(?:reply|replying|respond|answer|end|ending|finish)(?: with| on)?|called|tokens?|words?|code|marker|phrase|tag"
    r"|keyword|command|not|never|before|until|unless|if|when|whether|will|would|to|can|cannot|could|should|shall|may"
    r"|might|must|or)|n['’]t|['’]ll)[\s,:]*\Z",
    re.I,
)
_EXPLAINED = re.compile(r"\A\s*(?:\?|(?:is|was|means|isn['’]t|would|to)\b)", re.I)
_LONGEST_MENTION = 40
_ENDED = frozenset(".!?…*)\n")
_QUOTES = (('"', '"'), ("“", "”"), ("`", "`"), ("«", "»"), ("„", "“"))
_WRAPPERS = {"*": "*", "_": "_", "`": "`", '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "(": ")"}

_NEAR = 400
"""Characters on either side of a token that decide whether it is only mentioned."""

_MOST_PASSES = 4
_BARE = str.maketrans({**dict.fromkeys("<>[]{}#◁▷⟦⟧【】«»［］\\", ""), "_": " ", "(": " ", ")": " "})


def parse_reply(text: str) -> Parsed:
    """What a model wrote as the customer, read as the module says. Never raises."""
    thoughts: list[str] = []
    text = _without_thoughts(_without_markup(clean(text), thoughts), thoughts)
    text, beside = own_part(text)
    thoughts += beside
    signal = _signal(text)
    text = _unwrapped(_without_tokens(text))
    return Parsed(text, signal, "\n".join(part for part in map(str.strip, thoughts) if part))


def harmless(text: str) -> str:
    """A text in which nothing is left that `parse_reply` would read as a token or a tag.

    For what the agent said, before a model reads it as the customer: neither can it forge a private note, nor does
    the model pick up a token from it.
    """
    return _without_tokens(text).strip() if _suspicious(text) else text


def _suspicious(text: str) -> bool:
    return bool(_TOKEN.search(text) or _TAG.search(text))


# --- thoughts and markup ---------------------------------------------------------------------------------


def _without_markup(text: str, thoughts: list[str]) -> str:
    """The model's own turn out of channels and tokens of chat templates."""
    if found := _FINAL.search(text):
        thoughts.append(_SPECIAL.sub(" ", text[: found.start()]))
        text = text[found.end() :]
    elif _CHANNEL in text:
        thoughts.append(_SPECIAL.sub(" ", text))
        return ""
    parts = _SPECIAL.split(text)
    if len(parts) == 1:
        return text
    number = next((i for i, part in enumerate(parts) if part.strip().lower() not in _ROLES), len(parts) - 1)
    thoughts += parts[number + 1 :]
    own = parts[number]
    first, _, rest = own.lstrip().partition("\n")
    return rest if number and first.strip().lower() in _ROLES else own


def _without_thoughts(text: str, thoughts: list[str]) -> str:
    """The text outside think blocks. One closed but never opened began with the text."""
    kept: list[str] = []
    at, inside = 0, False
    for tag in _TAG.finditer(text):
        part, at = text[at : tag.start()], tag.end()
        if not any(tag.groups()):
            (thoughts if inside else kept).append(part)
            inside = True
        elif inside:
            thoughts.append(part)
            inside = False
        else:
            thoughts += [*kept, part]
            kept.clear()
    (thoughts if inside else kept).append(text[at:])
    return "".join(kept).strip()


def _unwrapped(text: str) -> str:
    """Without a code fence or quotation marks around the whole."""
    text = text.strip()
    if found := _FENCE.match(text):
        text = found[1].strip()
    for opening, closing in _QUOTES:
        inner = text[1:-1]
        if len(text) > 1 and text[0] == opening and text[-1] == closing and not {opening, closing} & set(inner):
            text = inner.strip()
    if text.count('"') == 1:
        text = text.strip('"').strip()
    return text


# --- tokens ----------------------------------------------------------------------------------------------


def _signal(text: str) -> Signal:
    """What the tokens of a reply mean together."""
    meant = {_meaning(found[0]) for found in _TOKEN.finditer(text) if not _mentioned(text, *found.span())}
    meant.discard(Signal.CONTINUE)
    return meant.pop() if len(meant) == 1 else Signal.CONTINUE


def _meaning(token: str) -> Signal:
    return _MEANING.get(_LETTERS.sub("", token.lower()), Signal.CONTINUE)


def _mentioned(text: str, start: int, end: int) -> bool:
    """Whether the token at a place is spoken of and not used."""
    before = text[max(0, start - _NEAR) : start].rpartition("\n")[2]
    after = text[end : end + _NEAR].partition("\n")[0]
    if before.lstrip().startswith(">"):
        return True
    words = before.rstrip("\"'“”‘’`*_«„( \t")
    rest = after.lstrip("\"'“”‘’`*_») \t")
    return bool(_MENTIONED.search(words[-_LONGEST_MENTION:]) or _EXPLAINED.match(rest)) or _quoted(before, after)


def _quoted(before: str, after: str) -> bool:
    """Whether the token stands in a quotation that is only a part of the line's words."""
    for opening, closing in _QUOTES:
        at = before.rfind(opening)
        until = after.find(closing)
        if at < 0 or until < 0:
            continue
        open_here = before.count(opening) % 2 == 1 if opening == closing else closing not in before[at + 1 :]
        if open_here:
            lead, rest = before[:at].rstrip(), after[until + 1 :].strip(" \t.!*")
            return bool(rest) or bool(lead and lead[-1] not in _ENDED)
    return False


def _without_tokens(text: str) -> str:
    """The text without tokens and tags, also those that appear as others are taken out."""
    for _ in range(_MOST_PASSES):
        if not _suspicious(text):
            return text
        text = _TAG.sub(" ", _spliced(text))
    return text.translate(_BARE) if _suspicious(text) else text


def _spliced(text: str) -> str:
    """The text with each token cut out, its wrappers and its own full stop with it."""
    parts: list[str] = []
    at = 0
    for found in _TOKEN.finditer(text):
        start, end = _wrapped(text, at, *found.span())
        left = text[at:start].rstrip(" \t")
        if not left or left[-1] in _ENDED:
            end += len(text[end : end + 4]) - len(text[end : end + 4].lstrip(".,;:!"))
        parts.append(left)
        at = end
    parts.append(text[at:])
    return _joined(parts)


def _wrapped(text: str, least: int, start: int, end: int) -> tuple[int, int]:
    """The span with the pairs of wrappers directly around it."""
    while start > least and end < len(text) and _WRAPPERS.get(text[start - 1]) == text[end]:
        start, end = start - 1, end + 1
    return start, end


def _joined(parts: list[str]) -> str:
    """The pieces around what was cut out, with one space where words would meet."""
    text: list[str] = [parts[0]]
    for part in parts[1:]:
        rest = part.lstrip(" \t")
        if rest and rest[0] not in ".,;:!?\n" and text[-1] and text[-1][-1] != "\n":
            text.append(" ")
        if rest:
            text.append(rest)
    return "".join(text)
