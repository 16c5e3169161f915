"""The generic phrases of reading: the words by which agents ask, confirm, claim, refuse, offer and feel."""

from functools import cache
from importlib.resources import files

import msgspec

from tau_emotion_gym.errors import DataError

Phrases = tuple[str, ...]


class Cues(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"if_": "if", "or_": "or"}):
    """Phrases per cue. The longest phrase at a place wins; one phrase may be several cues at once."""

    ask: Phrases
    """Requests the details that follow: "please provide"."""
    polite: Phrases
    """An `ask` that begins so also asks within a condition and after a refusal."""
    wh: Phrases
    """Question words, which ask only in a question or in a list of asks."""
    verify: Phrases
    """Asks for a detail or for a yes, by what follows: "please confirm"."""
    identity: Phrases
    """After `identity_leads`: the customer is to identify himself, by no detail that is named."""
    identity_leads: Phrases
    """As `verify`, of `identity`."""
    wish: Phrases
    """After `verify`: it is a yes that is asked for."""
    fact: Phrases
    """After `verify`: a stated value is to be checked, not given."""
    purpose: Phrases
    """Says what details are for: "so I can"; nothing after it is asked."""
    exclude: Phrases
    """Spells out the parts of a detail that was asked."""
    confirm: Phrases
    """Asks for a yes."""
    confirm_soft: Phrases
    """Asks for a yes if the message proposes an action and asks no detail."""
    go_ahead: Phrases
    """After `permit`: a confirmation ("shall I" + "proceed")."""
    do_this: Phrases
    """After `permit`: a confirmation if the message proposes an action ("shall I" + "do that"), else an offer."""
    leave: Phrases
    """As `permit` before `go_ahead` and `do_this`, but no question: "let me know if I should"."""
    yesno: Phrases
    """The answers to choose from."""
    permit: Phrases
    """Asks for leave to do what follows: with an action a confirmation, else an offer."""
    open: Phrases
    """Asks for something that is no known detail: "what would you like to change"."""
    if_: Phrases
    """Opens a condition, in which nothing is asked, claimed or refused."""
    choice: Phrases
    """A condition that is the customer's; with `able` after it, an offer."""
    when: Phrases
    """As `if`, for what is expected."""
    or_: Phrases
    """Joins alternatives."""
    example: Phrases
    """Values after it are examples."""
    neutral: Phrases
    """Contain the words of a cue and are none."""
    perf: Phrases
    """With `done` soon after it: something was done."""
    past: Phrases
    """The `perf` that may also tell an old story: with `done` after it, a deed only in a plain statement."""
    done: Phrases
    """Participles of doing."""
    state_verbs: Phrases
    """After "is" and "are": tells a deed by what it brought, unless the message asks for a yes."""
    done_first: Phrases
    """Claim a deed when they open a sentence."""
    claim: Phrases
    """Claim a deed by themselves."""
    deed_nouns: Phrases
    """What can be done, for claims such as "baggage updated"."""
    deed_verbs: Phrases
    """Participles after `deed_nouns`."""
    cannot: Phrases
    """Says no."""
    lacking: Phrases
    """Says that what was wanted does not exist; in a list it is a status."""
    unless: Phrases
    """With `cannot`: something is still missing, which is no refusal."""
    bad_news: Phrases
    """Makes a refusal of the plain statement after it: "I'm sorry, but"."""
    reason: Phrases
    """Gives the reason of a refusal."""
    offer: Phrases
    """Offers an alternative, a choice or a further service."""
    want: Phrases
    """Leaves it to the customer's wish: an offer even when it asks a detail."""
    able: Phrases
    """After `choice`: an offer."""
    options: Phrases
    """Heads a list of choices."""
    hands_off: Phrases
    """Speaks of a human who takes over."""
    escalates: Phrases
    """With `escalates_to` in the same sentence: `hands_off`; a ticket may also be escalated in rank alone."""
    escalates_to: Phrases
    """People to whom a matter can be escalated."""
    feel: Phrases
    """Apology, empathy, shared joy, reassurance."""
    dismissive: Phrases
    """Belittles the customer or the problem."""
    insults: Phrases
    """After `insult_leads`: belittles the customer."""
    insult_leads: Phrases
    """Speaks to the customer, or of what he is: "don't be"."""
    wait: Phrases
    """Asks the customer to wait, or announces further work: "one moment", "so far"."""
    work_leads: Phrases
    """Before `work_verbs` or an action: announces further work ("let me" + "check")."""
    work_verbs: Phrases
    """What an agent announces to do."""
    close: Phrases
    """Anything else, goodbye."""
    status: Phrases
    """States of things, which inform."""
    irregular: dict[str, Phrases]
    """Verbs with their past and their participle, where these do not end in -ed."""


def parse(data: bytes, source: object) -> Cues:
    """The phrases in a JSON text.

    Raises:
        DataError: the text is damaged; the message names its source and the reason.
    """
    try:
        return msgspec.json.decode(data, type=Cues)
    except msgspec.DecodeError as error:
        raise DataError(f"{source}: {error}") from error


@cache
def cues() -> Cues:
    """The shipped phrases. Raises `DataError` when their file is damaged."""
    source = files(__name__) / "reading.json"
    return parse(source.read_bytes(), source)
