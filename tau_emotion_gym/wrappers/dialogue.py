"""What a dialogue has shown so far, kept up turn by turn: said, looked up, done, told."""

from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from tau_emotion_gym.episode import Episode, Turn
from tau_emotion_gym.episode.brief import reader_of
from tau_emotion_gym.episode.consent import agrees, declines
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.kit import Context, Done, Fact, Goal, Kind
from tau_emotion_gym.tasks.arguments import result_leaves
from tau_emotion_gym.tasks.provenance import plain, words
from tau_emotion_gym.tasks.replay import identified
from tau_emotion_gym.wrappers.agenda import Agenda
from tau_emotion_gym.wrappers.reference import Need, Reference, reference_of, refusable
from tau_emotion_gym.wrappers.wishes import wishes_of

Values = list[Any]


class Dialogue:
    """One episode as its linking sees it. `update` brings it up to the transcript.

    It refers to the episode's lists and world, not to the episode, so that one that is over can go.

    Attributes:
        domain, goals, tools: the episode's.
        reference: the task's reference.
        version: rises with everything that may change what calls are filled with.
        said: the customer's facts that it has said, by number.
        by_kind: kind of id → the values that results have shown, the latest last.
        by_name: name of a field → the latest value that a result has shown there.
        shown: the values that results have shown.
        tried: tool → the arguments of its calls so far, failed ones included.
        done: numbers of the reference's steps that have been carried out.
        heard: numbers of the goals that the customer has brought up.
        refused: goal → how often its refusal was said.
        reported: goals whose report was said.
        context: what rules may look at, consents apart.
        reading: what the agent's last message does; None before the first.
        given: slot → the detail that the customer has given last.
        messages: the customer's messages in small letters; `message` is the last one.
        gave: whether the last one gave a detail for the first time.
        agreed: the customer has just said yes to a request for one.
        declined: the customer has just turned one down.
        since: calls since the agent's last message; `untold`: successful ones since the last report.
        idle: messages since the last call.
        calls: tool → successful calls; `failures`: tool → failed ones.
        agenda: the wishes that the customer has brought up.
    """

    def __init__(self, episode: Episode) -> None:
        self.domain = episode.domain
        self.goals = episode.task.goals
        self.reference: Reference = reference_of(episode.domain, episode.task)
        self.version = 0
        self.said: set[int] = set()
        self.by_kind: dict[str, Values] = {}
        self.by_name: dict[str, Any] = {}
        self.shown: set[Any] = set()
        self.tried: dict[str, list[Mapping[str, Any]]] = {}
        self.done: set[int] = set()
        self.heard: set[int] = set()
        self.refused: dict[int, int] = {}
        self.reported: set[int] = set()
        self.context = Context(episode.world, episode.calls, [])
        self.tools = episode.tools
        self.reading: Reading | None = None
        self.given: dict[str, Fact] = {}
        self.messages: list[str] = []
        self.gave = False
        self.agreed = False
        self.declined = False
        self.since = 0
        self.untold = 0
        self.idle = 0
        self.calls: dict[str, int] = {}
        self.failures: dict[str, int] = {}
        self.agenda = Agenda(wishes_of(episode.domain))
        self._wishes = episode.brief.wishes
        self._transcript = episode.transcript
        self._results: dict[tuple[str, str], list[tuple[str, str | None, Any]]] = {}
        self._turns = 0
        self._calls = 0
        self._open: dict[int, list[Need]] = {at: list(s.needs) for at, s in enumerate(self.reference.steps)}
        self._ready: set[int] = {at for at, needs in self._open.items() if not needs}

    def update(self) -> "Dialogue":
        """Take in the turns since the last update."""
        transcript = self._transcript
        while self._turns < len(transcript):
            turn = transcript[self._turns]
            self._turns += 1
            if turn.role == "user":
                self._hear(turn.content)
            elif turn.role == "agent":
                self._speak(turn.content)
            elif turn.role == "tool":
                self._result(turn)
        return self

    @property
    def message(self) -> str:
        """The customer's last message in small letters."""
        return self.messages[-1] if self.messages else ""

    # --- what follows from it ---------------------------------------------------------------------------

    def ready(self, step: int) -> bool:
        """Whether all values of a step have been shown, and its goal was brought up."""
        if step not in self._ready:
            return False
        _, goal, *_, judged = self.reference.steps[step]
        return goal < 0 or (goal in self.heard and (not judged or self._looked_up(goal)))

    def pending(self, tool: str) -> Mapping[str, Any] | None:
        """The arguments of the reference's next call of a tool that can be made with what was shown."""
        for at in self.reference.by_tool.get(tool, ()):
            if at not in self.done and self.ready(at):
                return self.reference.steps[at].call.arguments
        return None

    def to_propose(self) -> Goal | None:
        """The first goal whose writes are known and not made."""
        for number in self._goals():
            writes = [at for at in self.reference.writes[number] if at not in self.done]
            if writes and self._looked_up(number) and all(self.ready(at) for at in writes):
                return self.goals[number]
        return None

    def to_refuse(self) -> Goal | None:
        """The first goal to be refused whose grounds are known; it is refused as often as the customer insists."""
        for number in self._goals():
            goal = self.goals[number]
            if refusable(goal) and self._impossible(number) and self.refused.get(number, 0) <= goal.insists:
                return goal
        return None

    def to_report(self) -> list[Goal]:
        """The goals that are done and not yet reported."""
        return [
            self.goals[number]
            for number in self._goals()
            if number not in self.reported
            and self.goals[number].script.report
            and self.done.issuperset(self.reference.all[number])
        ]

    def _goals(self) -> Iterable[int]:
        return (number for number in range(len(self.goals)) if number in self.heard)

    def _impossible(self, goal: int) -> bool:
        """Whether it was looked up why a goal cannot be reached; what only the second best needs can wait."""
        reads = self.reference.reads[goal]
        if self.goals[goal].kind is Kind.DENY:
            return self._looked_up(goal)
        return self.done.issuperset(reads[:1]) and all(at in self.done for at in reads if self.ready(at))

    def _looked_up(self, goal: int) -> bool:
        return self.done.issuperset(self.reference.reads[goal])

    # --- the customer --------------------------------------------------------------------------------------

    def _hear(self, text: str) -> None:
        low = text.lower()
        self.messages.append(low)
        asked = self.reading is not None and self.reading.confirms
        self.agreed = asked and agrees(text)
        self.declined = asked and declines(text)
        before = len(self.heard)
        new: list[Fact] = []
        for at, fact in enumerate(self.reference.facts):
            if at not in self.said and states(low, fact.spoken.lower()):
                self.said.add(at)
                self.given[fact.slot] = fact
                new.append(fact)
        self.gave = bool(new)
        for number in range(len(self.goals)):
            if number not in self.heard and self._brings_up(low, number):
                self.heard.add(number)
        begun = self.agenda.hear(low, new)
        said, message = words(text), plain(text)
        known = self._settle(lambda need: need.in_message(said, message) or not self.said.isdisjoint(need.facts))
        if known or begun or self.gave or len(self.heard) > before:
            self.version += 1

    def _brings_up(self, message: str, number: int) -> bool:
        wish = self._wishes[number]
        if any(text.lower().rstrip(".!?") in message for text in (wish.say, wish.again)):
            return True
        facts, owners = self.reference.facts, self.reference.owners
        if any(owners[at] == number for at in self.said):
            return True
        long = {word for word in words(wish.say).split() if len(word) > 4}
        return not any(owners[at] == number for at in range(len(facts))) and 2 * sum(w in message for w in long) >= len(
            long
        )

    # --- the agent -----------------------------------------------------------------------------------------

    def _speak(self, text: str) -> None:
        reading = self.reading = reader_of(self.domain).read(text)
        self.agreed = self.declined = False
        for number, goal in enumerate(self.goals):
            script = goal.script
            if script.refuse and script.refuse in text:
                self.refused[number] = self.refused.get(number, 0) + 1
            if script.report and script.report in text:
                self.reported.add(number)
        self.agenda.speak(reading)
        if self.agenda.told:
            self.untold = 0
        self.since = 0
        self.idle += 1

    # --- results -------------------------------------------------------------------------------------------

    def _result(self, turn: Turn) -> None:
        self.since += 1
        self.idle = 0
        calls = self.context.calls
        self.agenda.call(turn.name, ok=not turn.error)
        if self._calls < len(calls) and calls[self._calls].name == turn.name and turn.error != calls[self._calls].ok:
            self._take(calls[self._calls], turn.content)
            self._calls += 1
        elif turn.name in self.tools:
            self.failures[turn.name] = self.failures.get(turn.name, 0) + 1

    def _take(self, done: Done, content: str) -> None:
        self.version += 1
        self.tried.setdefault(done.name, []).append(done.arguments)
        if not done.ok:
            self.failures[done.name] = self.failures.get(done.name, 0) + 1
            return
        self.calls[done.name] = self.calls.get(done.name, 0) + 1
        self.untold += 1
        if done.name in self.domain.identify_tools:
            self.context.serve(identified(done.value))
            self.done.add(0)
        for at in self.reference.by_tool.get(done.name, ()):
            if at not in self.done and self.reference.steps[at].bound == done.arguments:
                self.done.add(at)
                break
        for name, kind, value in self._shown_by(done, content):
            if kind is not None:
                self._show(self.by_kind.setdefault(kind, []), value)
            self.by_name[name] = value

    def _shown_by(self, done: Done, content: str) -> list[tuple[str, str | None, Any]]:
        """The values in a result, each with the name of its field and its kind; one that came before is known."""
        known = self._results.get((done.name, content))
        if known is None:
            self._settle(lambda need: need.in_result(content))
            leaves = result_leaves(self.tools[done.name], done.value)
            known = [(path.rsplit(".", 1)[-1], kind, value) for path, kind, value in leaves]
            self._results[done.name, content] = known
            self.shown.update(value for _, _, value in known)
        return known

    @staticmethod
    def _show(values: Values, value: Any) -> None:
        if value in values:
            values.remove(value)
        values.append(value)

    def _settle(self, shown: Any) -> bool:
        """Take the values that are shown now off what is still needed; whether there were any."""
        settled = False
        for at, needs in list(self._open.items()):
            left = [need for need in needs if not shown(need)]
            if len(left) == len(needs):
                continue
            settled = True
            if left:
                self._open[at] = left
            else:
                del self._open[at]
                self._ready.add(at)
        return settled


class Dialogues:
    """The dialogues of the episodes that are alive, each made when it is first asked for.

    It holds nothing that an episode's transcript does not say: a fork, a pickle or another process starts afresh.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Episode, Dialogue] = WeakKeyDictionary()

    def __getitem__(self, episode: Episode) -> Dialogue:
        dialogue = self._known.get(episode)
        if dialogue is None:
            dialogue = self._known[episode] = Dialogue(episode)
        return dialogue.update()

    def __reduce__(self) -> tuple[Any, ...]:
        return Dialogues, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Dialogues":
        return Dialogues()
