"""The reference agent: it knows the task and plays it efficiently, politely and by the policy."""

from collections.abc import Generator, Iterable, Mapping

from tau_emotion_gym._draw import pick
from tau_emotion_gym.agents.lines import LINES
from tau_emotion_gym.episode import Action, call, respond
from tau_emotion_gym.episode.consent import agrees
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.kit import TRANSFER, Call, Domain, Fact, Goal, Kind, Task

PATIENCE = 8
"""Times the agent asks for the same thing before it goes on without."""

Talk = Generator[Action, str, None]
"""A conversation as a coroutine: yields actions, is sent the content of each observation."""


class ReferenceAgent:
    """Solves a task with its reference calls in a real dialogue: it identifies the customer, asks only for
    what was not said, confirms before writing, refuses with the reason, and acknowledges how the customer
    feels. It looks at the task; it never looks at the user."""

    acknowledges = True

    def reset(self, domain: Domain, task: Task) -> None:
        """Begin a conversation on this task."""
        self.domain = domain
        self.task = task
        self._heard = ""
        self._turn = 0
        self._talk = self._converse()
        self._started = False

    def act(self, observation: Mapping[str, str]) -> Action:
        """The next action."""
        content = observation["content"]
        if observation["role"] == "user":
            self._heard += "\n" + content.lower()
            self._turn += 1
        try:
            if not self._started:
                self._started = True
                return next(self._talk)
            return self._talk.send(content)
        except StopIteration:
            return respond(self._last_word())

    # --- the conversation -----------------------------------------------------------------------------

    def _converse(self) -> Talk:
        """The whole conversation; what is still to be told is carried into the next message."""
        goals = self.task.goals
        if len(goals) == 1 and self.domain.intents[goals[0].intent].emergency:
            yield from self._serve(goals[0], self._greeting())
        carried = yield from self._ask(self.task.identity, self._greeting())
        yield from self._run((self.task.identify,))
        for number, goal in enumerate(goals):
            last = number == len(goals) - 1
            carried = yield from self._serve(goal, carried)
            if carried and (last or self.task.reveal == "one_by_one"):
                yield respond(_joined(carried, self._line(LINES.otherwise, "else")))
                carried = ""

    def _serve(self, goal: Goal, carried: str) -> Generator[Action, str, str]:
        """Bring one goal to its right end; returns what the next message still has to tell."""
        reads, rest = self._halves(goal)
        if goal.kind in (Kind.DENY, Kind.CONDITIONAL):
            yield from self._run(reads)
            yield from self._deny(goal, carried)
            carried, reads = "", ()
            if goal.kind is Kind.DENY:
                return ""
        carried = yield from self._ask(goal.facts, carried)
        yield from self._run(reads)
        writes = [made for made in rest if made.name != TRANSFER]
        if writes:
            yield from self._confirm(goal, carried)
            yield from self._run(writes)
            carried = ""
        carried = _joined(carried, goal.script.report)
        if goal.kind is not Kind.HAND_OFF:
            return carried
        if carried:
            yield respond(carried)
        yield from self._run(made for made in goal.calls if made.name == TRANSFER)
        return ""

    def _deny(self, goal: Goal, carried: str) -> Talk:
        """Refuse, and refuse again as often as the customer insists."""
        yield respond(_joined(carried, goal.script.refuse))
        for _ in range(goal.insists):
            yield respond(_joined(self._apology(), goal.script.refuse))

    def _confirm(self, goal: Goal, carried: str) -> Talk:
        """Ask for a yes until the customer gives it."""
        for _ in range(PATIENCE):
            proposal = f"To confirm: {goal.script.propose} {self._line(LINES.shall_i, 'shall i')}"
            answer = yield respond(_joined(carried, proposal))
            if agrees(answer):
                return
            carried = self._acknowledge()

    def _ask(self, facts: Iterable[Fact], carried: str) -> Generator[Action, str, str]:
        """Ask for what has not been said yet, until it has been."""
        wanted = [(fact.slot, fact.spoken.lower()) for fact in facts]
        for attempt in range(PATIENCE):
            missing = dict.fromkeys([slot for slot, words in wanted if not states(self._heard, words)])
            if not missing:
                return carried if attempt == 0 else ""
            yield respond(_joined(carried, *map(self._question, missing)))
            carried = self._acknowledge()
        return ""

    def _run(self, calls: Iterable[Call]) -> Talk:
        for made in calls:
            yield call(made.name, **made.arguments)

    # --- what it needs to know --------------------------------------------------------------------------

    def _halves(self, goal: Goal) -> tuple[tuple[Call, ...], tuple[Call, ...]]:
        """The goal's calls before its first write, and from it on."""
        tools = self.domain.tools
        first = next((i for i, made in enumerate(goal.calls) if tools[made.name].writes), len(goal.calls))
        return goal.calls[:first], goal.calls[first:]

    # --- what it says -----------------------------------------------------------------------------------

    def _greeting(self) -> str:
        return self._line(LINES.greet, "greet") if self.acknowledges else ""

    def _acknowledge(self) -> str:
        return self._line(LINES.acknowledge, "acknowledge") if self.acknowledges else ""

    def _apology(self) -> str:
        return self._line(LINES.refuse_again, "refuse again") if self.acknowledges else ""

    def _question(self, slot: str) -> str:
        return self._line(self.domain.slots[slot].ask, f"ask {slot}")

    def _last_word(self) -> str:
        """What it says once all is done, as often as the customer still writes."""
        return self._line(LINES.close, "close")

    def _line(self, options: tuple[str, ...], purpose: str) -> str:
        return pick(options, self.task.seed, self._turn, purpose)


def _joined(*parts: str) -> str:
    return " ".join([part for part in parts if part])
