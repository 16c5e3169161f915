"""The episode: task, condition, world, transcript and outcome of one conversation. It does no I/O."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from tau_emotion_gym.emotions import Affect, EmotionCondition, Event, leaving, move, start
from tau_emotion_gym.episode.actions import RESPOND, Malformed, Message, ToolCall, clean, parse
from tau_emotion_gym.episode.brief import make_brief, reader_of, revealed
from tau_emotion_gym.episode.consent import agrees, declines
from tau_emotion_gym.episode.events import SPARE_CALLS, Ledger, message_events
from tau_emotion_gym.episode.manner import Manner
from tau_emotion_gym.episode.outcomes import STOPS, Outcome
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.episode.requests import Signal, UserReply, UserRequest
from tau_emotion_gym.episode.scoring import Score, check_reward, score
from tau_emotion_gym.episode.turns import Sent, Turn
from tau_emotion_gym.errors import TauEmotionError, unknown
from tau_emotion_gym.kit import THINK, TRANSFER, Context, Domain, Done, Task, ToolError
from tau_emotion_gym.tasks.replay import identified
from tau_emotion_gym.world import World

MAX_STEPS = 100
"""Actions per episode, the limit of the paper's release."""

USER_EXITS = ("affect", "model", "either")
"""Who decides that a user leaves dissatisfied: the affect threshold, the user's own words, or either."""

ERROR = "Error: "
"""What the result of a call begins with that failed or was malformed."""


class EpisodeError(TauEmotionError):
    """The episode was driven out of order: acted on before the opening, or after the end."""


class Episode:
    """One conversation.

    Drive it like this: `request = open()`; hand the request to a user and its reply to `hear`; then `act`
    with the agent's actions, each of which gives a `Turn` at once or a `UserRequest` whose reply goes to
    `hear`; until `outcome` is set.

    Args:
        domain: the business.
        task: the customer and its goals.
        condition: the emotion condition; None for neutral.
        seed: decides every random choice of the user; the task's own when None.
        user_exit: one of `USER_EXITS`.
        max_steps: actions after which the episode is truncated.
        think_tool: offer the `think` tool.
        reward: reward terms to override (see `DEFAULT_REWARD`).

    Raises:
        UnknownName: `user_exit` or a reward term does not exist.
    """

    __slots__ = (
        "__weakref__", "_context", "_ledger", "_manner", "_memory", "_most_calls", "_pending", "_reading", "_vague",
        "affect", "brief", "calls", "condition", "detail", "domain", "events", "leaving", "malformed", "max_steps",
        "messages", "outcome", "questions", "reward", "seed", "sent", "steps", "task", "tool_calls", "tool_errors",
        "tools", "transcript", "user_exit", "user_fault", "user_turns", "violations", "world",
    )  # fmt: skip

    def __init__(
        self,
        domain: Domain,
        task: Task,
        condition: EmotionCondition | None = None,
        *,
        seed: int | None = None,
        user_exit: str = "affect",
        max_steps: int = MAX_STEPS,
        think_tool: bool = False,
        reward: Mapping[str, float] | None = None,
    ) -> None:
        if user_exit not in USER_EXITS:
            raise unknown("user_exit", user_exit, USER_EXITS)
        self.domain = domain
        self.task = task
        self.condition = condition
        self.seed = task.seed if seed is None else seed
        self.user_exit = user_exit
        self.max_steps = max_steps
        self.reward = check_reward(reward)
        self.tools = domain.toolbox(think_tool=think_tool)
        self.world = World(domain.base(task.world))
        self.brief = make_brief(domain, task, condition, self.seed)
        self.transcript: list[Turn] = []
        self.messages: list[Turn] = []
        """What the user sees: the messages of both sides, without thoughts."""
        self.calls: list[Done] = []
        self.violations: list[str] = []
        self.events: Counter[str] = Counter()
        self.affect: Affect = start(condition)
        self.outcome: Outcome | None = None
        self.detail = ""
        self.steps = 0
        self.malformed = 0
        self.tool_errors = 0
        self.tool_calls = 0
        self.questions = 0
        self.user_turns = 0
        self.sent: list[Sent] = []
        """What the agent sent, where that was more than single actions; whoever reads it notes it here."""
        self.user_fault = False
        self.leaving = False
        self._context = Context(self.world, self.calls, [])
        self._ledger = Ledger(self.brief.facts)
        self._reading: Reading | None = None
        self._pending: UserRequest | None = None
        self._memory = ""
        self._manner = Manner()
        self._most_calls = len(task.calls) + SPARE_CALLS
        self._vague = False

    # --- driving ------------------------------------------------------------------------------------

    def open(self) -> UserRequest:
        """Begin: the user speaks first."""
        if self.transcript or self._pending:
            raise EpisodeError("the episode is open already; make a new one to begin again")
        return self._request((), None)

    @property
    def consents(self) -> frozenset[str]:
        """The write tools to which the user's last message says yes."""
        return self._context.consents

    def hear(self, reply: UserReply) -> Turn:
        """Take in the user's reply to the pending request.

        Raises:
            EpisodeError: no request is pending.
        """
        request = self._pending
        if request is None:
            raise EpisodeError("no request to the user is pending")
        self._pending = None
        self._memory = reply.memory
        self.user_turns += 1
        turn = Turn("user", "user", clean(reply.text))
        self.messages.append(turn)
        self.transcript.append(msgspec.structs.replace(turn, thought=clean(reply.thought)) if reply.thought else turn)
        self._ledger.hear(turn.content)
        self._context.consents = self._consents(turn.content)
        if self._reading is not None and self._reading.confirms and declines(turn.content):
            self._manner.declined = request.transcript[-1].content
        self._end_by(self._signal(reply.signal, request))
        return turn

    def act(self, action: Any) -> Turn | UserRequest:
        """Carry out an agent's action: the tool's result at once, or a request to the user.

        A malformed action gives an error turn. Nothing that an agent sends raises.

        Raises:
            EpisodeError: the episode is over, or waits for the user.
        """
        if self.outcome is not None:
            raise EpisodeError(f"the episode is over ({self.outcome}); no action is possible")
        if self._pending is not None or not self.transcript:
            raise EpisodeError("the user has to speak first")
        self.steps += 1
        parsed = parse(action, self.tools)
        if isinstance(parsed, Message):
            return self._say(parsed)
        turn = self._call(parsed) if isinstance(parsed, ToolCall) else self._refuse(parsed)
        if self.outcome is None and self.steps >= self.max_steps:
            self._limit()
        return turn

    def stop(self, outcome: Outcome | str, detail: str) -> Turn:
        """End from outside: a server failed, or a model's context is full.

        Args:
            outcome: one of those that truncate.
            detail: what happened.

        Returns:
            The notice, which is also the last turn of the transcript.

        Raises:
            UnknownName: another outcome.
            EpisodeError: the episode is over.
        """
        if outcome not in STOPS:
            raise unknown("outcome of a stopped episode", str(outcome), STOPS)
        if self.outcome is not None:
            raise EpisodeError(f"the episode is over ({self.outcome}); it cannot be stopped")
        self._pending = None
        return self._notice(Outcome(outcome), detail)

    def score(self) -> Score:
        """The score of the finished episode. Pure: calling it changes nothing.

        Raises:
            EpisodeError: the episode is not over.
        """
        if self.outcome is None:
            raise EpisodeError("the episode is not over; score() needs an outcome")
        counts = {
            "violation": len(self.violations),
            "tool_error": self.tool_errors,
            "question": self.questions,
            "step": self.steps,
        }
        return score(self.domain, self.task, self.world, self.transcript, self.outcome, counts, self.reward)

    def fork(self) -> "Episode":
        """An independent episode at the same point, for look-ahead. Costs O(turns + changes)."""
        other = object.__new__(Episode)
        for name in _PARTS:
            setattr(other, name, getattr(self, name))
        other.world = self.world.fork()
        other.transcript = list(self.transcript)
        other.messages = list(self.messages)
        other.calls = list(self.calls)
        other.sent = list(self.sent)
        other.violations = list(self.violations)
        other.events = Counter(self.events)
        other._ledger = self._ledger.copy()
        other._manner = self._manner.copy()
        other._context = Context(other.world, other.calls, list(self._context.customers), self._context.consents)
        return other

    # --- the agent's side -----------------------------------------------------------------------------

    def _say(self, message: Message) -> Turn | UserRequest:
        said = Turn("agent", RESPOND, message.text)
        self.messages.append(said)
        self.transcript.append(msgspec.structs.replace(said, thought=message.thought) if message.thought else said)
        reading = reader_of(self.domain).read(message.text)
        self.questions += reading.questions
        manner = self._manner
        self._vague = manner.bare(reading, message.text, self._names_a_wish)
        granted = not manner.calls and self._covered(reading.proposed)
        events = message_events(
            reading,
            self._ledger,
            manner,
            self.domain.slots,
            identified=bool(self._context.customers),
            needless=granted or message.text == manner.declined,
            vague=self._vague,
        )
        self._feel(events)
        self._reading = reading
        if self.steps >= self.max_steps:
            return self._limit()
        self.leaving = leaving(self.affect, self.condition)
        request = self._request(tuple(events), reading)
        manner.spoke()
        return request

    def _names_a_wish(self, text: str) -> bool:
        """Whether a message names an action that one of the wishes takes."""
        return any(self.tools[name].named_in(text) for wish in self.brief.wishes for name in wish.actions)

    def _call(self, call: ToolCall) -> Turn:
        tool = call.tool
        self.transcript.append(Turn("call", tool.name, call.text, call.thought))
        if tool.name == THINK:
            return self._result(tool.name, "")
        self.tool_calls += 1
        if self._manner.calls >= self._most_calls:
            self._feel([Event.LONG_SILENCE])
        broken = [r.id for r in self.domain.rules_of[tool.name] if not r.check(self._context, call.bound)]
        try:
            value = tool.run(self.world, call.bound)
        except ToolError as error:
            self.tool_errors += 1
            self._manner.called(tool.name, writes=tool.writes, ok=False)
            self.calls.append(Done(tool.name, msgspec.structs.asdict(call.bound), False, None))
            return self._result(tool.name, f"{ERROR}{error}", error=True)
        self._manner.called(tool.name, writes=tool.writes, ok=True)
        self.violations += broken
        self.calls.append(Done(tool.name, msgspec.structs.asdict(call.bound), True, value))
        if tool.name in self.domain.identify_tools:
            self._context.serve(identified(value))
        turn = self._result(tool.name, self.world.text(value))
        if tool.name == TRANSFER:
            self.outcome = Outcome.HANDED_OFF
        return turn

    def _refuse(self, malformed: Malformed) -> Turn:
        self.malformed += 1
        self.tool_errors += 1
        name = malformed.name or "action"
        self.transcript.append(Turn("call", name, malformed.text, malformed.thought, error=True))
        return self._result(name, f"{ERROR}{malformed.problem}", error=True)

    def _result(self, name: str, content: str, *, error: bool = False) -> Turn:
        turn = Turn("tool", name, content, error=error)
        self.transcript.append(turn)
        return turn

    # --- the user's side ------------------------------------------------------------------------------

    def _request(self, events: tuple[str, ...], reading: Reading | None) -> UserRequest:
        self._pending = UserRequest(
            brief=self.brief,
            turn=self.user_turns,
            transcript=tuple(self.messages),
            reading=reading,
            events=events,
            affect=self.affect,
            leaving=self.leaving,
            said=self._ledger.said,
            deeds=self._manner.deeds,
            news=self._manner.news,
            vague=self._vague,
            memory=self._memory,
        )
        return self._pending

    def _consents(self, text: str) -> frozenset[str]:
        """The write tools to which the reply says yes: those that the agent named, else those that the wishes take."""
        reading = self._reading
        if reading is None or not reading.confirms or self._vague or not agrees(text):
            return frozenset()
        return reading.proposed or frozenset().union(*(wish.actions for wish in self.brief.wishes))

    def _covered(self, proposed: frozenset[str]) -> bool:
        """Whether the user has just said yes to all of this."""
        return bool(self._context.consents) and proposed <= self._context.consents

    def _signal(self, signal: Signal, request: UserRequest) -> Signal:
        """The signal that counts, by `user_exit` and the rules of the dialogue."""
        if request.turn == 0:
            return Signal.CONTINUE
        leaves = request.leaving if self.user_exit != "model" else False
        if self.user_exit != "affect":
            leaves = leaves or signal is Signal.DISSATISFIED
        if leaves and self.condition is not None:
            return Signal.DISSATISFIED
        confirming = request.reading is not None and request.reading.confirms
        if signal is Signal.SATISFIED and not confirming:
            return Signal.SATISFIED
        return Signal.CONTINUE

    def _end_by(self, signal: Signal) -> None:
        if signal is Signal.DISSATISFIED:
            self.outcome = Outcome.DISSATISFIED
        elif signal is Signal.SATISFIED:
            self.outcome = Outcome.SATISFIED
            self.user_fault = not revealed(self.domain, self.brief, self.transcript)

    # --- both -----------------------------------------------------------------------------------------

    def _feel(self, events: list[Event]) -> None:
        counts = self.events  # in a loop, since Counter.update first asks whether this is a mapping
        for event in events:
            counts[event] += 1
        self.affect = move(self.affect, events, self.condition)

    def _limit(self) -> Turn:
        return self._notice(Outcome.STEP_LIMIT, f"The conversation reached its limit of {self.max_steps} steps.")

    def _notice(self, outcome: Outcome, detail: str) -> Turn:
        self.outcome = outcome
        self.detail = clean(detail)
        return self._result("episode", self.detail)

    # --- pickling: the shared base world stays at home --------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in _PARTS}
        state["world"] = self.world.overlay()
        state["tools"] = THINK in self.tools
        state["_context"] = (list(self._context.customers), self._context.consents)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.world = World.over(self.domain.base(self.task.world), state["world"])
        self.tools = self.domain.toolbox(think_tool=state["tools"])
        customers, consents = state["_context"]
        self._context = Context(self.world, self.calls, customers, consents)


_PARTS = ("domain", *(name for name in Episode.__slots__ if name not in ("domain", "__weakref__")))
"""What an episode consists of. The domain comes first: unpickling it makes its record classes known."""
