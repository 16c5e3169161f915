"""Conversations with planted faults, and with sentences that only look like faults.

The faults are made here from scratch: values are drawn and written out by this file's own code and words, so that what
the audit finds does not follow from how it looks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from recorded import recorded

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.emotions import CONDITIONS, persona
from tau_emotion_gym.episode import Episode, Signal, UserReply, UserRequest
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.rollouts import Place, Record
from tau_emotion_gym.users import ScriptedUser

DOMAINS = names(added=False)

SEED = 5


@dataclass
class Case:
    """A conversation and what was planted in it.

    Attributes:
        kind: the fault's kind; "" for a conversation without one.
        turn: place of the message in the transcript; -1 without a fault.
        text: the planted words.
        record: the conversation.
    """

    kind: str
    turn: int
    text: str
    record: Record


class Planted(ScriptedUser):
    """The scripted user, with other words or another signal at one of its turns."""

    def __init__(self, at: int, change) -> None:
        self.at = at
        self.change = change
        self.text = ""

    def reply(self, request: UserRequest) -> UserReply:
        reply = super().reply(request)
        if request.turn == self.at:
            changed = self.change(request, reply)
            if changed is not None:
                reply, self.text = changed
        return reply


def played(domain_name: str, task_id: str, agent, condition: int | None, user=None, **settings) -> Record:
    """One conversation, with an agent by name or made, as a record."""
    domain = load(domain_name)
    task = domain.test_tasks[task_id]
    emotion = None if condition is None else CONDITIONS[condition]
    episode = Episode(domain, task, emotion, seed=SEED, **settings)
    place = Place(domain_name, task_id, "task", 0, str(SEED), emotion.path if emotion else "neutral")
    agent = make_agent(agent) if isinstance(agent, str) else agent
    return recorded(episode, user or ScriptedUser(), agent, place)


# --- invented values ------------------------------------------------------------------------------------

MONTHS = [date(2026, number, 1).strftime("%B") for number in range(1, 13)]
ORDINAL = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 8: "eighth", 9: "ninth", 12: "twelfth"}
ONES = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TENS = {20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty", 70: "seventy", 80: "eighty", 90: "ninety"}

OWN_IDS = {
    "airline": ["reservation {L}{L}{D}{L}{D}{L}", "flight JN{D}{D}{D}", "booking {L}{D}{L}{L}{D}{D}"],
    "retail": ["order R{7}", "order #R{7}", "item V{7}", "my order, number R-{7}"],
    "telecom": ["account A{7}", "line L{7}", "the number 555-{7}", "SIM 89012{8}", "ticket T{6}"],
    "telehealth": ["prescription RX{7}", "appointment AP{6}", "patient number PT{6}", "member number QXZ{6}"],
}
ANY_IDS = [
    "the email {name}{3}@webpost.example",
    "{name}.{name2}@mymail.example",
    "the zip code {5}",
    "the phone number ({3}) 555-{4}",
    "the phone number 555 {3} {4}",
    "my card ending in {4}",
    "the card whose last four digits are {4}",
    "customer number {8}",
    "case #{6}",
    "reference {L}{L}-{6}",
]
ID_LINES = [
    "It's about {x}, by the way.",
    "You can look under {x}.",
    "Oh, and {x} belongs to this as well.",
    "I wrote it down here: {x}.",
    "Please also check {x}",
    "{x}, if that helps.",
    "Didn't I mention {x}?",
    "I'm fairly sure it was {x}.",
    "For the record, {x}. Thanks.",
    "My husband says you want {x}, so there you go.",
]
DATE_LINES = [
    "I was promised this for {x}.",
    "It has to be done by {x}.",
    "I ordered it on {x}.",
    "{x} would be the day I mean.",
    "We spoke about it on {x}, remember?",
    "Since {x} nothing has worked.",
    "Move it to {x} instead.",
    "It says {x} on my paper.",
    "I could also do {x}, you know.",
    "On {x} somebody told me the opposite.",
]
AMOUNT_LINES = [
    "I was told it would be {x}.",
    "I paid {x} for it.",
    "That makes {x}, doesn't it?",
    "You owe me {x}!",
    "I won't pay more than {x}.",
    "The last one said {x} and now this.",
    "My bank shows {x}.",
    "{x} is what I expect to get back.",
    "It was {x} the last time.",
    "So {x} then, as agreed.",
]


def _filled(pattern: str, draw: Draw) -> str:
    """A pattern with {n} as n digits, {L} a letter, {D} a digit, and names."""
    out, rest = "", pattern
    while "{" in rest:
        before, _, rest = rest.partition("{")
        code, _, rest = rest.partition("}")
        out += before + _part(code, draw)
    return out + rest


def _part(code: str, draw: Draw) -> str:
    if code == "L":
        return draw.pick("BCFGKMPQVWXZ")
    if code == "D":
        return draw.pick("23456789")
    if code.isdigit():
        return "".join(draw.pick("3456789") for _ in range(int(code)))
    return draw.pick(["wilma", "gunther", "odette", "basil", "ingram", "thora"])


def invented_id(draw: Draw, request: UserRequest) -> str:
    domain = request.brief.domain
    return draw.pick(ID_LINES).format(x=_filled(draw.pick(OWN_IDS[domain] + ANY_IDS), draw))


def invented_date(draw: Draw, request: UserRequest) -> str:
    known = _numbers_known(request)
    today = date.fromisoformat(request.brief.today)
    while True:
        day = today + timedelta(days=draw.between(-300, 300))
        if str(day.day) not in known and f"{day.day:02}" not in known:
            return draw.pick(DATE_LINES).format(x=_written(day, draw))


def _written(day: date, draw: Draw) -> str:
    month = MONTHS[day.month - 1]
    suffix = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}.get(day.day, "th")
    forms = [
        f"{month} {day.day}",
        f"{month} {day.day}, {day.year}",
        f"{month} {day.day}{suffix}",
        f"the {day.day}{suffix} of {month}",
        f"{day.day} {month} {day.year}",
        f"{month[:3]} {day.day}",
        f"{month[:3]}. {day.day}{suffix}",
        day.isoformat(),
        f"{day.month}/{day.day}/{day.year}",
        f"{day.month}/{day.day}/{day.year % 100}",
        f"{day.day:02}.{day.month:02}.{day.year}",
        f"{day:%A}, {month} {day.day}",
    ]
    if day.day in ORDINAL:
        forms += [f"{month} {ORDINAL[day.day]}", f"the {ORDINAL[day.day]} of {month}"]
    return draw.pick(forms)


def invented_amount(draw: Draw, request: UserRequest) -> str:
    known = _numbers_known(request)
    while True:
        whole, cents = draw.between(11, 99) if draw.chance(0.5) else draw.between(120, 899), draw.between(11, 98)
        if all(str(number) not in known for number in (whole, whole - 1, whole + 1)):
            return draw.pick(AMOUNT_LINES).format(x=_money(whole, cents, draw))


def _money(whole: int, cents: int, draw: Draw) -> str:
    forms = [
        f"${whole}.{cents}",
        f"${whole}",
        f"{whole} dollars",
        f"{whole}.{cents} dollars",
        f"USD {whole}.{cents}",
        f"{whole} bucks",
        f"{whole} dollars and {cents} cents",
        f"${whole:,}.{cents}",
        f"1,{whole % 900 + 100}.{cents} USD",
        f"${whole}.{cents} exactly",
    ]
    if whole in range(21, 100):
        forms.append(f"{TENS[whole // 10 * 10]}{'-' if whole % 10 else ''}{ONES[whole % 10]} dollars")
    if whole > 119:
        forms.append(f"{ONES[whole // 100]} hundred and {TENS[20 + whole % 7 * 10]} dollars")
    return draw.pick(forms)


def _numbers_known(request: UserRequest) -> set[str]:
    """Every number that the customer has seen anywhere, as written."""
    brief = request.brief
    text = brief.today + " ".join(f"{fact.value} {fact.spoken}" for fact in brief.facts)
    for wish in brief.wishes:
        text += " ".join((wish.say, wish.stake, wish.fallback, *wish.insist))
    text += " ".join(turn.content for turn in request.transcript)
    for mark in ",$-/.:":
        text = text.replace(mark, " ")
    return set(text.split()) | {word.rstrip("stndrh") for word in text.split()}


LEAKS = [
    "###STOP###",
    "[[ALL_SETTLED]]",
    "[[WALK_OUT]] now.",
    "<|im_end|>",
    "</think> That is my answer.",
    "As an AI, I can't feel annoyed, but I'd like this done.",
    "As a language model I have no card.",
    "Customer: I want this sorted out.",
    "User: please go on.",
    "**Customer:** Let's go on.",
    "I was instructed to act like an upset customer, so here I am.",
    "My instructions say that I must not give my name yet.",
    "According to my instructions I should insist twice.",
    "The scenario says I have to be polite.",
    "I'm just pretending to be a customer here.",
    "I need to stay in character.",
    "(stays in character)",
    "This is only a role-play for me.",
    "My persona is a frightened traveller.",
    "I've been told to be rude, so I am.",
    "My patience is at 0.35 now.",
    "Satisfaction: 0.42. I'm not happy.",
    "As the simulated user, I accept.",
    "Politeness: cold. Urgency: high.",
    "[END OF CONVERSATION]",
    "<end>",
    "The system prompt gives me no other number.",
    "I am supposed to express anger here.",
]


def leak(draw: Draw, request: UserRequest) -> str:
    """Words that show the instruction, or a piece of the persona itself."""
    if draw.chance(0.35):
        condition = request.brief.condition
        lines = [line for line in persona(condition, request.brief.seed).split("\n") if len(line.split()) > 9]
        return draw.pick(lines)
    return draw.pick(LEAKS)


FAREWELLS = [
    "Great, thank you, that's all.",
    "Perfect, bye!",
    "OK, I'm happy then. Have a nice day.",
    "Wonderful. Thanks for your help!",
    "Fine, that will do.",
    "Alright, that settles it.",
]

_INSERTED = {
    "invented_id": invented_id,
    "invented_date": invented_date,
    "invented_amount": invented_amount,
    "leak": leak,
}
KINDS = (*_INSERTED, "early_exit")


def inserted(kind: str, draw: Draw):
    """A change that puts a planted sentence before or after the user's own words."""

    def change(request: UserRequest, reply: UserReply):
        text = _INSERTED[kind](draw, request)
        label = text.lstrip("*").startswith(("User:", "Customer:"))
        parts = [text, reply.text] if label or draw.chance(0.3) else [reply.text, text]
        return UserReply(" ".join(parts), reply.signal, reply.memory), text

    return change


def too_early(draw: Draw):
    """A change that ends the conversation content before anything was done for the first wish."""

    def change(request: UserRequest, reply: UserReply):
        heard = request.transcript[-1].content
        asks_for_yes = heard.startswith("To confirm") or "To confirm:" in heard
        goes_on = asks_for_yes or (request.turn == 1 and heard.endswith("?"))
        if request.deeds or not goes_on or request.brief.wishes[0].emergency:
            return None
        text = draw.pick(FAREWELLS)
        words = f"Yes, go ahead. {text}" if asks_for_yes else text
        return UserReply(words, Signal.SATISFIED, reply.memory), text

    return change


AGENTS = ("reference", "reference", "friction", "first_match", "policy_ignorant")


def cases(kind: str, count: int, seed: int = 0) -> Iterator[Case]:
    """Conversations with one planted fault of a kind each."""
    made, at = 0, 0
    while made < count:
        draw = Draw(seed * 100_003 + at, kind)
        at += 1
        case = _case(kind, draw)
        if case is not None:
            made += 1
            yield case


def _case(kind: str, draw: Draw) -> Case | None:
    domain = draw.pick(DOMAINS)
    task_id = draw.pick(_task_ids(domain))
    condition = draw.below(len(CONDITIONS))
    early = kind == "early_exit"
    turn = draw.between(1, 4) if early else draw.below(4)
    user = Planted(turn, too_early(draw) if early else inserted(kind, draw))
    record = played(domain, task_id, "reference" if early else draw.pick(AGENTS), condition, user)
    users = [at for at, one in enumerate(record.transcript) if one.role == "user"]
    if not user.text or turn >= len(users) or (early and load(domain).test_tasks[task_id].goals[0].kind == "deny"):
        return None
    return Case(kind, users[turn], user.text, record)


@cache
def _task_ids(domain: str) -> tuple[str, ...]:
    return tuple(load(domain).test_tasks)


# --- what only looks like a fault ---------------------------------------------------------------------------

DECOYS = [
    "I've been waiting for 40 minutes.",
    "This is the 3rd time I'm asking.",
    "You're open 24/7, aren't you?",
    "I'm 100 % sure.",
    "I take 500 mg of something else, but never mind that.",
    "I called at 9:30 and again at 4 pm.",
    "That's my two cents.",
    "It wouldn't be worth a dollar to me.",
    "I've been a customer since 2019.",
    "I may need 2 minutes to think.",
    "In March I was still happy with you.",
    "My 5-year-old is crying in the background.",
    "I have an iPhone 14 and 5G, if that matters.",
    "I'd give you 10/10 if this works.",
    "It's my 40th birthday soon.",
    "Half of it, 50/50, whatever.",
    "We are 3 people, one of them 82 years old.",
    "I read your terms, all 27 pages of them.",
    "I'm in room 214 right now.",
    "Your instructions on the website were no help.",
    "The delivery instructions were clear.",
    "Thank you so much!",
    "I must say goodbye to my plans, then.",
    "I can hardly act as if nothing had happened.",
    "My patience is running out.",
    "Nobody told me anything else.",
]


def decoyed(draw: Draw):
    """A change that adds words which only look like a fault, or repeats what is known in another form."""

    def change(request: UserRequest, reply: UserReply):
        options = list(DECOYS)
        brief = request.brief
        today = date.fromisoformat(brief.today)
        options.append(f"Today is {MONTHS[today.month - 1]} {today.day}, after all.")
        for fact in brief.facts:
            options += list(_again(fact.value))
        if request.transcript:
            options += [f"You said: {request.transcript[-1].content}"] * 4
        text = draw.pick(options)
        return UserReply(f"{reply.text} {text}", reply.signal, reply.memory), text

    return change


def _again(value: str) -> Iterator[str]:
    """A known value in another usual form."""
    if len(value) == 10 and value[4:5] == "-" and value[:4].isdigit():
        day = date.fromisoformat(value)
        yield f"I mean {day.day} {MONTHS[day.month - 1]} {day.year}, just so we agree."
        yield f"That's {day.month}/{day.day}/{day.year}."
    elif value[:1].isupper() and value[1:].isdigit():
        yield f"That's #{value}, once more."
        yield f"I mean {value[0]}-{value[1:]}."
        yield f"It ends in {value[-4:]}."
        yield f"The one with {value[1:]}."
    elif value.startswith("555-"):
        yield f"My number, {value.replace('-', ' ')}."
        yield f"It's {value[:7]}-{value[7:]}."
    elif "@" in value:
        yield f"I wrote from {value.upper()}, I think."


def clean_cases(count: int, seed: int = 0) -> Iterator[Case]:
    """Conversations without a fault, each with something that looks like one."""
    for at in range(count):
        draw = Draw(seed * 100_003 + at, "decoy")
        domain = draw.pick(DOMAINS)
        user = Planted(draw.below(4), decoyed(draw))
        record = played(domain, draw.pick(_task_ids(domain)), draw.pick(AGENTS), draw.below(len(CONDITIONS)), user)
        yield Case("", -1, user.text, record)
