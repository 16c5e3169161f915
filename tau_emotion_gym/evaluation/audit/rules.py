"""All rules of the audit on one conversation."""

from collections.abc import Iterator

from tau_emotion_gym.evaluation.audit import character, exits, leaks, statements
from tau_emotion_gym.evaluation.audit.findings import Finding
from tau_emotion_gym.evaluation.audit.talk import Talk


def findings_of(talk: Talk, prompt: str = "") -> tuple[Finding, ...]:
    """What the rules find in the user's messages, in the order of the messages.

    Args:
        talk: the conversation.
        prompt: the instruction that the user was given, where it is not this package's own.
    """
    return tuple(sorted(_all(talk, prompt), key=lambda finding: finding.turn))


def _all(talk: Talk, prompt: str) -> Iterator[Finding]:
    yield from statements.inventions(talk)
    yield from statements.contradictions(talk)
    yield from leaks.leaks(talk, prompt)
    yield from exits.early_exits(talk)
    yield from exits.late_exits(talk)
    yield from exits.against_affect(talk)
    yield from character.roles(talk)
    yield from character.languages(talk)
    yield from character.manners(talk)


def unchecked(talk: Talk) -> tuple[str, ...]:
    """The checks that a conversation does not allow, in words."""
    lacking = []
    if talk.knows is None:
        lacking.append("invented identifiers, dates and amounts (what the customer knew is not recorded)")
    if talk.brief is None:
        lacking.append("contradictions, unserved wishes, exits against affect, character (the task is not known)")
    if talk.lines and not any(line.signal for line in talk.user_lines):
        lacking.append("how the user meant its last message (signals are not recorded)")
    return tuple(lacking)
