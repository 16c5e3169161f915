"""Interventions on how an agent asks: its questions capped, forced, bundled or split, and nothing else changed.

Each wraps any agent and changes only what the customer is asked, so that a difference in outcome between an agent and
its wrapped self is caused by the questions (`evaluation.behaviour.study` plays both on the same tasks and seeds).

- `capped`: at most `questions` things are asked. Further sentences that ask are left out of a message; where nothing is
  left, a holding sentence stands in. Requests for a yes are policy, and are kept.
- `forced`: a yes is asked for before every change for which the agent has not just got one.
- `bundled`: questions are held back until the agent has nothing else to do, and are asked together. What it says beside
  them comes with them.
- `split`: one question is asked at a time, and the agent gets all answers together.

A wrapper is as deterministic as its agent, and hands on seed, usage, asides and description of an agent with a model
behind it. The agent learns nothing of the intervention, but for two things said to it in the customer's place: that a
held question is still open (`bundled`), and that a change was not made because the customer said no (`forced`).
"""

from collections.abc import Generator, Mapping
from typing import Any, TypeAlias

import msgspec

from tau_emotion_gym.agents.asking import Part, joined, parts_of
from tau_emotion_gym.agents.base import Agent, AgentSpec, ModelAgent, begin, make_agent
from tau_emotion_gym.episode import Action, respond
from tau_emotion_gym.episode.actions import Message, ToolCall, parse
from tau_emotion_gym.episode.brief import reader_of
from tau_emotion_gym.episode.consent import agrees
from tau_emotion_gym.kit import TRANSFER, Domain, Task
from tau_emotion_gym.llm import Usage

HOLDING = "One moment, please, I'm looking into it."
"""What a capped agent says where its message would only have asked."""

STILL_OPEN = "What else do you need to know from me?"
"""What a bundled agent's inner agent hears in place of an answer to a question that is held back."""

MOST_HELD = 4
"""Messages with questions that are held back at most before all are asked."""

Observation = Mapping[str, str]

Steps: TypeAlias = Generator[Observation, Action, Action]
"""Yields what the inner agent is to see, is sent what it does, returns what is done."""


class Intervention:
    """The part that all interventions share: an agent around another one.

    Args:
        agent: the inner agent.
    """

    name = ""

    def __init__(self, agent: Agent) -> None:
        self.inner = agent
        self._done = 0
        self._numbers: list[int] = []

    def reset(self, domain: Domain, task: Task, *, seed: int = 0) -> None:
        """Begin a conversation; an inner agent that takes a seed gets it."""
        self._domain = domain
        self._reader = reader_of(domain)
        self._done = 0
        self._numbers = []
        begin(self.inner, domain, task, seed)
        self._begin()

    def act(self, observation: Observation) -> Action:
        """The next action after a turn."""
        steps = self._steps(observation)
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(self._taken(self.inner.act(wanted)))
        except StopIteration as stop:
            return self._given(stop.value)

    def describe(self) -> dict[str, Any]:
        """The intervention and the inner agent as JSON-able values, for the log."""
        described = getattr(self.inner, "describe", None)
        inner = described() if described else type(self.inner).__name__
        return {"kind": self.name, **self._options(), "agent": inner}

    # --- what differs ---------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Forget the last conversation."""

    def _options(self) -> dict[str, Any]:
        return {}

    def _steps(self, observation: Observation) -> Steps:
        """Between a turn and the action that follows it."""
        return (yield observation)

    # --- numbers of actions, by which asides are kept -------------------------------------------------------

    def _taken(self, action: Action) -> Action:
        """Note that the inner agent has acted: what it does belongs to the action that is given next."""
        self._numbers.append(self._done)
        return action

    def _given(self, action: Action) -> Action:
        self._done += 1
        return action

    def _parts(self, action: Action) -> list[Part]:
        """The parts of a message; none for anything else."""
        said = parse(action, {})
        return parts_of(said.text, self._reader) if isinstance(said, Message) else []


class _WithModel(Intervention):
    """An intervention on an agent with a model behind it; implements `ModelAgent`."""

    inner: ModelAgent

    @property
    def usage(self) -> Usage:
        """Tokens of the conversation so far."""
        return self.inner.usage

    @property
    def asides(self) -> dict[int, str]:
        """Number of an action → what the model wrote with it, or with what was made of it, and did not send."""
        found: dict[int, list[str]] = {}
        for number, text in sorted(self.inner.asides.items()):
            if number < len(self._numbers):
                found.setdefault(self._numbers[number], []).append(text)
        return {number: "\n".join(texts) for number, texts in found.items()}

    async def aact(self, observation: Observation) -> Action:
        """`act` without blocking the event loop."""
        steps = self._steps(observation)
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(self._taken(await self.inner.aact(wanted)))
        except StopIteration as stop:
            return self._given(stop.value)


class CappedAgent(Intervention):
    """Lets at most so many things be asked.

    Args:
        agent: the inner agent.
        questions: how many.
    """

    name = "capped"

    def __init__(self, agent: Agent, *, questions: int = 3) -> None:
        super().__init__(agent)
        self._most = questions

    def _begin(self) -> None:
        self._asked = 0

    def _options(self) -> dict[str, Any]:
        return {"questions": self._most}

    def _steps(self, observation: Observation) -> Steps:
        action = yield observation
        parts = self._parts(action)
        kept = [part for part in parts if not part.asks or part.confirms or self._allows(part)]
        if len(kept) == len(parts):
            return action
        return respond(joined(kept) or HOLDING)

    def _allows(self, part: Part) -> bool:
        """Whether a question may still be asked; counts it."""
        if self._asked + part.questions > self._most:
            return False
        self._asked += part.questions
        return True


class ForcedAgent(Intervention):
    """Asks for a yes before every change for which the agent has not just got one.

    The change is made when the customer agrees. Otherwise the agent is told that it was not made, and what the
    customer said.
    """

    name = "forced"

    def _begin(self) -> None:
        self._waiting: Action | None = None
        self._asked = False
        self._agreed = False

    def _steps(self, observation: Observation) -> Steps:
        if observation["role"] == "user":
            self._agreed = self._asked and agrees(observation["content"])
            self._asked = False
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            if self._agreed:
                return waiting
            told = f"Error: not carried out. The customer was asked for a yes first, and said: {observation['content']}"
            observation = {"role": "tool", "name": waiting["name"], "content": told}
        action = yield observation
        made = parse(action, self._domain.tools)
        if not isinstance(made, ToolCall) or not _changes(made) or self._agreed:
            self._asked = any(part.confirms for part in self._parts(action))
            return action
        self._waiting = action
        self._asked = True
        return respond(f"To confirm: I will {_in_words(made)}. Shall I go ahead?")


class BundledAgent(Intervention):
    """Holds questions for details back until the agent has nothing else to do, and asks them together."""

    name = "bundled"

    def _begin(self) -> None:
        self._told: list[Part] = []
        self._held: list[Part] = []

    def _steps(self, observation: Observation) -> Steps:
        waits = 0
        while True:
            action = yield observation
            parts = self._parts(action)
            if not isinstance(parse(action, {}), Message) or not (parts or self._held):
                return action
            asking = [part for part in parts if part.asks and not part.confirms]
            fresh = _new(asking, self._held)
            self._told += _new([part for part in parts if part not in asking], self._told)
            self._held += fresh
            if not fresh or any(part.confirms for part in parts) or waits >= MOST_HELD:
                said = joined([*self._told, *(part._replace(gap=" ") for part in self._held)])
                self._told, self._held = [], []
                return respond(said)
            waits += 1
            observation = {"role": "user", "name": "user", "content": STILL_OPEN}


class SplitAgent(Intervention):
    """Asks one question at a time, and hands the agent all answers together."""

    name = "split"

    def _begin(self) -> None:
        self._left: list[Part] = []
        self._answers: list[str] = []

    def _steps(self, observation: Observation) -> Steps:
        if observation["role"] == "user":
            self._answers.append(observation["content"])
            if self._left:
                return respond(self._left.pop(0).text)
            observation = {**observation, "content": "\n".join(self._answers)}
            self._answers = []
        action = yield observation
        parts = self._parts(action)
        asking = [part for part in parts if part.asks and not part.confirms]
        if len(asking) < 2:
            return action
        self._left = asking[1:]
        return respond(joined([part for part in parts if part not in self._left]))


class _CappedModel(_WithModel, CappedAgent):
    """`CappedAgent` on an agent with a model."""


class _ForcedModel(_WithModel, ForcedAgent):
    """`ForcedAgent` on an agent with a model."""


class _BundledModel(_WithModel, BundledAgent):
    """`BundledAgent` on an agent with a model."""


class _SplitModel(_WithModel, SplitAgent):
    """`SplitAgent` on an agent with a model."""


def capped_agent(agent: AgentSpec, *, questions: int = 3) -> Intervention:
    """An agent whose questions are capped.

    Args:
        agent: the inner agent.
        questions: how many things it may ask; requests for a yes do not count.
    """
    if not isinstance(questions, int) or isinstance(questions, bool) or questions < 0:
        raise TypeError(f"questions is a whole number from 0, not {questions!r}")
    inner = make_agent(agent)
    made = _CappedModel if isinstance(inner, ModelAgent) else CappedAgent
    return made(inner, questions=questions)


def forced_agent(agent: AgentSpec) -> Intervention:
    """An agent that asks for a yes before every change."""
    inner = make_agent(agent)
    return (_ForcedModel if isinstance(inner, ModelAgent) else ForcedAgent)(inner)


def bundled_agent(agent: AgentSpec) -> Intervention:
    """An agent that asks its questions together."""
    inner = make_agent(agent)
    return (_BundledModel if isinstance(inner, ModelAgent) else BundledAgent)(inner)


def split_agent(agent: AgentSpec) -> Intervention:
    """An agent that asks one question at a time."""
    inner = make_agent(agent)
    return (_SplitModel if isinstance(inner, ModelAgent) else SplitAgent)(inner)


def _new(parts: list[Part], known: list[Part]) -> list[Part]:
    """The parts whose words are not among the known ones."""
    return [part for part in parts if all(part.text != other.text for other in known)]


def _changes(made: ToolCall) -> bool:
    return made.tool.writes and made.tool.name != TRANSFER


def _in_words(made: ToolCall) -> str:
    """A call as a phrase: "change order address (order id: R71, address: 1 Mill Road)"."""
    given = msgspec.json.decode(made.text, type=dict[str, Any])
    values = ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in given.items())
    phrase = made.tool.name.replace("_", " ")
    return f"{phrase} ({values})" if values else phrase
