"""What the scripted user decides to say, before any voice: the plain content of its next message."""

import re
from typing import NamedTuple

from tau_emotion_gym._draw import chance, mix, pick
from tau_emotion_gym.episode import values
from tau_emotion_gym.episode.brief import reader_of
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.episode.requests import Signal, UserRequest, Wish
from tau_emotion_gym.kit import TRANSFER, Fact, Kind, Slot, load
from tau_emotion_gym.users.lines import LINES
from tau_emotion_gym.users.memory import Memory
from tau_emotion_gym.users.voice import Act, Voice

HABIT = 0.6
"""Chance that a one-off behaviour of the leaf (freeze, avoid, hesitate) shows when there is occasion."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

MOST_WITHDRAWALS = 2
"""So many answers at most are cut short by a withdrawing customer."""


CONNECTED = ("Then", "And ", "Also", "After", "Once", "With ", "If ", "When ")
"""Beginnings that join a wish to the one before it."""


class Plan(NamedTuple):
    """The content of a reply."""

    act: Act
    core: str
    signal: Signal = Signal.CONTINUE
    stake: str = ""


class Mind:
    """Works out one reply to one request.

    Args:
        request: what the user is asked.
        memory: what it remembers; updated in place.
        voice: supplies the sentences of one-off behaviours.
    """

    def __init__(self, request: UserRequest, memory: Memory, voice: Voice) -> None:
        self.request = request
        self.memory = memory
        self.voice = voice
        self.brief = request.brief
        self.wishes = request.brief.wishes
        self.domain = load(request.brief.domain)
        if not memory.insisted:
            memory.insisted = [0] * len(self.wishes)

    def plan(self) -> Plan:
        """The next message's content."""
        reading = self.request.reading
        if reading is None:
            return self._opening()
        if self.request.leaving:
            return Plan(Act.LEAVE_ANGRY, "", Signal.DISSATISFIED)
        self._note_claims(reading)
        return (
            (self._refused(reading) if reading.refuses else None) or self._answered(reading) or self._moved_on(reading)
        )

    # --- wishes ---------------------------------------------------------------------------------------

    def _opening(self) -> Plan:
        count = len(self.wishes) if self.brief.reveal == "together" else 1
        self.memory.revealed = count
        first = self.wishes[0]
        if count == 1:
            return Plan(Act.OPENING, first.say, stake=first.stake)
        others = [self._added(wish, number) for number, wish in enumerate(self.wishes[1:count])]
        return Plan(Act.OPENING, " ".join(part for part in (first.say, first.stake, *others) if part))

    def _added(self, wish: Wish, number: int) -> str:
        """A further wish of the same message, joined on where its own words do not do so."""
        if wish.say.startswith(CONNECTED):
            return wish.say
        first = mix(self.brief.seed, self.request.turn, "also")
        return f"{LINES.also[(first + number) % len(LINES.also)]} {wish.say}"

    def _open(self) -> list[int]:
        """Numbers of the wishes brought up and not closed."""
        return [i for i in range(self.memory.revealed) if not self.memory.closed >> i & 1]

    def _close(self, number: int) -> None:
        self.memory.closed |= 1 << number

    def _note_claims(self, reading: Reading) -> None:
        """Close the wishes that the agent's message says are done or answers."""
        memory = self.memory
        if reading.claims_done:
            memory.claimed = sorted({*memory.claimed, *reading.claims})
            doing = [i for i in self._open() if self.wishes[i].actions and not self._impossible(i)]
            for i in doing:
                actions = self.wishes[i].actions
                if actions <= set(memory.claimed) or (actions & reading.claims and reading.closes):
                    self._close(i)
            if not reading.claims and doing:
                self._close(doing[0])
        asked = [i for i in self._open() if self.wishes[i].kind is Kind.INFORM] if reading.informs else []
        if asked:
            told = self._plainly_told(reading)
            for i in asked:
                if self._answers(told, self.wishes[i]):
                    self._close(i)

    def _plainly_told(self, reading: Reading) -> str:
        """The agent's message without the sentences that refuse, report a deed or propose one."""
        if not (reading.refuses or reading.confirms or reading.claims):
            return self.heard
        reader = reader_of(self.domain)
        parts = [(part, reader.read(part)) for part in _SENTENCE_END.split(self.heard)]
        return " ".join(
            part
            for part, read in parts
            if not (read.refuses or read.confirms or read.claims or self._names(part, reading.proposed))
        )

    def _names(self, text: str, actions: frozenset[str]) -> bool:
        """Whether a text names one of these actions in its domain's words."""
        low = text.lower()
        says = (phrase for name in actions for phrase in self.domain.tools[name].says)
        return any(all(word in low for word in phrase.split(" ~ ")) for phrase in says)

    def _impossible(self, number: int) -> bool:
        """Whether the wish waits to be refused first."""
        wish = self.wishes[number]
        return wish.kind is Kind.DENY or (wish.kind is Kind.CONDITIONAL and not self.memory.fallen >> number & 1)

    def _answers(self, text: str, wish: Wish) -> bool:
        """Whether a text has a value of each kind that the wish waits for."""
        return all(
            output.kind in ("id", "choice")
            or values.find(
                text, output.kind, nouns=(output.noun,) if output.noun else (), year=int(self.brief.today[:4])
            )
            for output in wish.outputs
        )

    @property
    def heard(self) -> str:
        """The agent's last message."""
        return self.request.transcript[-1].content

    # --- refusals -------------------------------------------------------------------------------------

    def _refused(self, reading: Reading) -> Plan | None:
        number = next((i for i in self._open() if self._impossible(i)), None)
        if number is None:
            if reading.asks or reading.confirms or reading.claims_done:
                return None
            number = next(iter(self._open()), None)
        if number is None:
            return None
        wish = self.wishes[number]
        genuine = self._impossible(number)
        patience = wish.insists if genuine else max(wish.insists, 1)
        if self.memory.insisted[number] < patience:
            self.memory.insisted[number] += 1
            return Plan(Act.INSIST, self._insistence(number))
        if wish.fallback and genuine:
            self.memory.fallen |= 1 << number
            core = wish.fallback
            if reading.confirms and self._wanted(reading):
                return Plan(Act.CONFIRM_YES, f"{self._line(LINES.yes, 'yes')} {core}")
            return Plan(Act.FALLBACK, core)
        self._close(number)
        return self._moved_on(reading, after_refusal=True) if not self._to_answer(reading) else None

    def _insistence(self, number: int) -> str:
        """What the customer says to a refusal, another thing every time."""
        wish = self.wishes[number]
        options = wish.insist or LINES.insist
        return options[(mix(self.brief.seed, 0, wish.say) + self.memory.insisted[number]) % len(options)]

    def _to_answer(self, reading: Reading) -> bool:
        return bool(reading.asks or reading.confirms)

    # --- answers --------------------------------------------------------------------------------------

    def _answered(self, reading: Reading) -> Plan | None:
        """The reply to what the message asks for or asks to confirm."""
        if not self._to_answer(reading):
            return None
        act, parts = Act.ANSWER, []
        if reading.confirms:
            act, core = self._confirmation(reading)
            parts.append(core)
        if reading.asks:
            if self._habit("freeze") and not self.memory.froze:
                self.memory.froze = True
                return Plan(Act.FALTER, self.voice.behave("freeze", seed=self.brief.seed, turn=self.request.turn))
            given, details = self._details(reading)
            parts += details
            if act is Act.ANSWER:
                act = given
        return Plan(act, " ".join(parts))

    def _confirmation(self, reading: Reading) -> tuple[Act, str]:
        if not self._wanted(reading):
            open_wishes = self._open()
            reminder = f" {self.wishes[open_wishes[0]].say}" if open_wishes else ""
            return Act.CONFIRM_NO, self._line(LINES.not_asked, "not asked") + reminder
        if wrong := self._other_choice(reading):
            return Act.CORRECT, f"{self._line(LINES.no, 'no')} {wrong}"
        if self._habit("hesitate") and not self.memory.hesitated:
            self.memory.hesitated = True
            return Act.FALTER, self.voice.behave("hesitate", seed=self.brief.seed, turn=self.request.turn)
        return Act.CONFIRM_YES, self._line(LINES.yes, "yes")

    def _wanted(self, reading: Reading) -> bool:
        """Whether what the agent proposes is something that this customer asked for."""
        if not reading.proposed:
            return True
        for number in range(self.memory.revealed):
            wish = self.wishes[number]
            if wish.actions & reading.proposed:
                return True
            if self._names(wish.say, reading.proposed - {TRANSFER}):
                return True
        return False

    def _other_choice(self, reading: Reading) -> str:
        """The customer's own choice in a sentence, when the message names only another one."""
        text = ""
        about = [i for i in self._open() if not reading.proposed or self.wishes[i].actions & reading.proposed]
        for fact, number in zip(self.brief.facts, self.brief.owners, strict=True):
            slot = self.domain.slots.get(fact.slot)
            if slot is None or not slot.choices or number not in about:
                continue
            text = text or self.heard.lower()
            own = slot.choices.get(fact.value, ())
            others = [p for value, phrases in slot.choices.items() if value != fact.value for p in phrases]
            if own and any(states(text, p) for p in others) and not any(states(text, p) for p in own):
                return self._give(slot, fact)
        return ""

    def _details(self, reading: Reading) -> tuple[Act, list[str]]:
        """What the customer says to the slots that were asked for, and what that amounts to."""
        known: list[tuple[Slot, Fact]] = []
        unknown: list[str] = []
        for name in reading.asks:
            slot = self.domain.slots[name]
            facts = self._facts_of(name)
            if facts:
                known += [(slot, fact) for fact in facts if (slot, fact) not in known]
            else:
                unknown.append(name)
        if known:
            unknown = [name for name in unknown if name not in self.domain.identity_slots]
        sentences = [self._unknown(name, known) for name in unknown]
        if not known:
            return Act.UNKNOWN, [s for s in sentences if s] or [self._line(LINES.do_not_know, "unknown")]
        if not self._avoids(known[-1][1]):
            return Act.ANSWER, [*self._given(known), *(s for s in sentences if s)]
        if len(known) == 1:
            return Act.FALTER, [self.voice.behave("avoid", seed=self.brief.seed, turn=self.request.turn)]
        declined = self._line(LINES.decline, "decline").format(label=known[-1][0].label)
        return Act.ANSWER, [*(self._give(slot, fact) for slot, fact in known[:-1]), declined]

    def _avoids(self, fact: Fact) -> bool:
        """Whether the customer declines, once, to give a personal detail."""
        if fact not in self.brief.identity or self.memory.avoided or not self._habit("avoid"):
            return False
        self.memory.avoided = True
        return True

    def _facts_of(self, name: str) -> list[Fact]:
        """The facts of a slot that fit now: not yet said ones first, and those of one wish only."""
        brief, said = self.brief, self.request.said
        fitting = [
            (said >> bit & 1, self.memory.closed >> max(owner, 0) & 1 and owner >= 0, owner, fact)
            for bit, (fact, owner) in enumerate(zip(brief.facts, brief.owners, strict=True))
            if fact.slot == name and owner < self.memory.revealed
        ]
        if not fitting:
            return []
        best = min(row[:3] for row in fitting)
        return list({fact.spoken: fact for *row, fact in fitting if tuple(row) == best}.values())

    def _given(self, known: list[tuple[Slot, Fact]]) -> list[str]:
        memory = self.memory
        if len(known) > 1 and memory.withdrew < MOST_WITHDRAWALS and self._habit("withdraw"):
            memory.withdrew += 1
            known = known[: (len(known) + 1) // 2]
        return [self._give(slot, fact) for slot, fact in known]

    def _give(self, slot: Slot, fact: Fact) -> str:
        sentence = self._line(slot.give, f"give {slot.name}").format(value=fact.spoken)
        first = sentence.split(" ", 1)[0].rstrip(".,")
        return sentence[0].upper() + sentence[1:] if first.replace("'", "").isalpha() else sentence

    def _unknown(self, name: str, known: list[tuple[Slot, Fact]]) -> str:
        slot = self.domain.slots[name]
        parts = [self._line(slot.unknown, f"unknown {name}")]
        for other in slot.instead:
            facts = [f for f in self._facts_of(other) if all(f is not k for _, k in known)]
            if facts:
                parts += [self._give(self.domain.slots[other], fact) for fact in facts]
                break
        return " ".join(parts)

    def _habit(self, behaviour: str) -> bool:
        """Whether this customer shows a one-off behaviour in this conversation."""
        return behaviour in self.voice.behaviours and chance(HABIT, self.brief.seed, 0, f"habit {behaviour}")

    # --- going on -------------------------------------------------------------------------------------

    def _moved_on(self, reading: Reading, *, after_refusal: bool = False) -> Plan:
        """The reply when the message leaves nothing to answer."""
        open_wishes = self._open()
        memory = self.memory
        if not open_wishes and memory.revealed < len(self.wishes):
            wish = self.wishes[memory.revealed]
            memory.revealed += 1
            return Plan(Act.NEXT_WISH, self._next(wish, after_refusal=after_refusal), stake=wish.stake)
        if not open_wishes:
            if after_refusal:
                return Plan(Act.ACCEPT_REFUSAL, self._line(LINES.done_refused, "done"), Signal.SATISFIED)
            return Plan(Act.THANKS_BYE, self._line(LINES.done, "done"), Signal.SATISFIED)
        if after_refusal:
            left = f"{self._line(LINES.rest, 'rest')} {self._say(open_wishes[0])}"
            return Plan(Act.NEXT_WISH, f"{self._line(LINES.accept, 'accept')} {left}")
        if reading.hands_off and any(self.wishes[i].kind is Kind.HAND_OFF for i in open_wishes):
            return Plan(Act.HAND_OFF_REACTION, self._line(LINES.hand_off, "hand off"))
        if reading.stalls or (reading.claims_done and not reading.closes):
            return Plan(Act.WAIT, self._line(LINES.wait, "wait"))
        return Plan(Act.PROD, self._remaining(open_wishes))

    def _next(self, wish: Wish, *, after_refusal: bool) -> str:
        """A wish that had its turn to come, with or without a word before it."""
        if after_refusal:
            return f"{self._line(LINES.accept, 'accept')} {wish.say}"
        if wish.say.startswith(CONNECTED) or chance(0.5, self.brief.seed, self.request.turn, "plunge in"):
            return wish.say
        return f"{self._line(LINES.next, 'next')} {wish.say}"

    def _remaining(self, open_wishes: list[int]) -> str:
        """A reminder of the first open wish."""
        return f"{self._line(LINES.still, 'still')} {self._say(open_wishes[0])}"

    def _say(self, number: int) -> str:
        """What the customer wants as things stand."""
        wish = self.wishes[number]
        return wish.fallback if self.memory.fallen >> number & 1 else wish.say

    def _line(self, options: tuple[str, ...], purpose: str) -> str:
        return pick(options, self.brief.seed, self.request.turn, purpose)
