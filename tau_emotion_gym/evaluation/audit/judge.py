"""An optional model that reads conversations and adds what rules cannot see. It never fails an audit."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tau_emotion_gym._draw import mix
from tau_emotion_gym.episode import Brief
from tau_emotion_gym.episode.actions import clean
from tau_emotion_gym.evaluation.audit.findings import Finding, Kind
from tau_emotion_gym.evaluation.audit.talk import Talk
from tau_emotion_gym.llm import NO_USAGE, ChatRequest, Completion, ModelError, ModelRefused
from tau_emotion_gym.llm.models import ModelSpec, make_model

LONGEST_QUOTE = 200

_TASK = """You check simulated customers of a support chat. You are given what one customer was told and its
conversation with an agent. Report only clear mistakes of the CUSTOMER (lines marked CUSTOMER), never of the agent.
Kinds of mistakes:
{kinds}
Repeating what the agent said is no mistake, nor is strong feeling, nor not knowing something.
Answer with a JSON array and nothing else, one object for each mistake: {{"turn": <number of the line>,
"kind": "<kind>", "quote": "<the customer's own words>", "why": "<one short sentence>"}}.
Answer [] when there is no mistake."""

_KINDS = {
    Kind.INVENTED_ID: "an identifier, email, phone number or code that the customer was not told",
    Kind.INVENTED_DATE: "a date that the customer was not told",
    Kind.INVENTED_AMOUNT: "a sum of money that the customer was not told",
    Kind.CONTRADICTION: "something that contradicts what the customer was told or said before",
    Kind.LEAK: "words that show that it is a simulation, or that quote its instruction",
    Kind.EARLY_EXIT: "ending the conversation before its wishes were done, answered or refused",
    Kind.LATE_EXIT: "going on after everything was settled",
    Kind.SPEAKS_AS_AGENT: "speaking as if it were the agent",
    Kind.OUT_OF_CHARACTER: "a manner that does not fit its emotion",
    Kind.LANGUAGE: "another language than English",
}

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.S | re.I)


class Judge:
    """Finds mistakes of simulated users with a language model.

    Args:
        model: specification of the model (see `llm.models.make_model`).

    Attributes:
        usage: tokens so far.
        failed: conversations for which no answer could be had, or none that could be read.
    """

    def __init__(self, model: ModelSpec) -> None:
        self._model = make_model(model)
        self.usage = NO_USAGE
        self.asked = 0
        self.failed = 0
        self._refused = ""

    @property
    def state(self) -> str:
        """What became of it, in a sentence."""
        if self._refused:
            return f"the judge refused: {self._refused}"
        return f"the judge read {self.asked - self.failed} of {self.asked} conversations"

    def findings_many(self, talks: Sequence[Talk]) -> list[tuple[Finding, ...]]:
        """What it finds in each conversation; nothing where it could not answer."""
        self.asked += len(talks)
        if self._refused or not talks:
            self.failed += len(talks)
            return [()] * len(talks)
        try:
            answers = self._model.complete_many([_request(talk) for talk in talks])
        except ModelError as error:
            answers = [error] * len(talks)
        return [self._read(talk, answer) for talk, answer in zip(talks, answers, strict=True)]

    def _read(self, talk: Talk, answer: Completion | ModelError) -> tuple[Finding, ...]:
        if isinstance(answer, ModelError):
            self.failed += 1
            if isinstance(answer, ModelRefused):
                self._refused = str(answer)
            return ()
        self.usage += answer.usage
        items = parse(answer.text)
        if items is None:
            self.failed += 1
            return ()
        return tuple(finding for item in items if (finding := _finding(talk, item)))


def parse(text: str) -> list[Any] | None:
    """The list of mistakes in an answer, whatever stands around it; None when there is none."""
    text = _THOUGHT.sub("", text)
    decoder = json.JSONDecoder()
    for match in re.finditer(r"[\[{]", text):
        try:
            value, _ = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            lists = [part for part in value.values() if isinstance(part, list)]
            value = lists[0] if lists else [value]
        return value if isinstance(value, list) else None
    return None


def _finding(talk: Talk, item: Any) -> Finding | None:
    """A mistake as a finding; None where it names no kind, or no message of the user."""
    if not isinstance(item, dict):
        return None
    kind = str(item.get("kind", "")).strip().lower().replace(" ", "_").replace("-", "_")
    turns = {line.turn: line for line in talk.user_lines}
    try:
        turn = int(item.get("turn", -1))
    except (TypeError, ValueError, OverflowError):
        return None
    if kind not in [str(known) for known in _KINDS] or turn not in turns:
        return None
    quote = clean(str(item.get("quote") or "")) or turns[turn].text
    why = clean(str(item.get("why") or "")).strip() or _KINDS[Kind(kind)]
    return Finding(kind=Kind(kind), turn=turn, quote=quote[:LONGEST_QUOTE], why=why[:LONGEST_QUOTE], source="judge")


def _request(talk: Talk) -> ChatRequest:
    kinds = "\n".join(f"- {kind}: {what}" for kind, what in _KINDS.items())
    known = "\n".join(_told(talk)) or "(not recorded)"
    lines = "\n".join(f"{line.turn} {_NAMES[line.role]}: {' '.join(line.text.split())}" for line in talk.lines)
    end = f"(The conversation ended: {talk.outcome or 'not known'}.)"
    return ChatRequest(
        messages=[
            {"role": "system", "content": _TASK.format(kinds=kinds)},
            {"role": "user", "content": f"What the customer was told:\n{known}\n\nThe conversation:\n{lines}\n{end}"},
        ],
        seed=mix(0, 0, talk.key) & 0x7FFFFFFF,
    )


_NAMES = {"user": "CUSTOMER", "agent": "AGENT"}


def _told(talk: Talk) -> Iterator[str]:
    if talk.brief is None:
        yield from talk.knows or ()
        return
    yield from _of_brief(talk.brief)


def _of_brief(brief: Brief) -> Iterator[str]:
    condition = brief.condition
    if condition is None:
        yield "- mood: even"
    else:
        yield (
            f"- mood: {condition.leaf} ({condition.family}), {condition.politeness} politeness, "
            f"{condition.urgency} urgency, {condition.trust} trust"
        )
    yield f"- today: {brief.today}"
    for fact in brief.facts:
        yield f"- {fact.slot}: {fact.spoken}"
    for wish in brief.wishes:
        yield f"- wish: {wish.say}"
        if wish.fallback:
            yield f"- second best: {wish.fallback}"
        if wish.stake:
            yield f"- background: {wish.stake}"
