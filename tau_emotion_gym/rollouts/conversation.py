"""One episode between an agent and a user without blocking the event loop: carries messages, knows no rule."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from tau_emotion_gym.agents import Agent
from tau_emotion_gym.agents.base import AgentSpec, takes_seed
from tau_emotion_gym.episode import Action, Episode, Outcome, Turn, UserRequest
from tau_emotion_gym.llm import NO_USAGE, ContextOverflow, ModelError, ModelRefused
from tau_emotion_gym.rollouts.record import Place, Record, record_of
from tau_emotion_gym.rollouts.threads import in_thread
from tau_emotion_gym.users import User, UserError
from tau_emotion_gym.users.base import checked_reply


class Manner(NamedTuple):
    """How agents of one configuration are driven.

    Attributes:
        threaded: call it in a thread, as it may block.
        seeded: its `reset` takes the episode's seed.
    """

    threaded: bool = False
    seeded: bool = False


def manner_of(spec: AgentSpec, agent: Agent) -> Manner:
    """How an agent is driven: one of somebody's own may block, also inside another one, unless it has an `aact`."""
    return Manner(threaded=_foreign(spec) and not hasattr(agent, "aact"), seeded=takes_seed(agent))


def _foreign(spec: Any) -> bool:
    """Whether an agent, or the one under "agent" that it stands around, is a "module:callable"."""
    if isinstance(spec, Mapping):
        return _foreign(spec.get("kind")) or _foreign(spec.get("agent"))
    return isinstance(spec, str) and ":" in spec


class Conversation:
    """One episode being played.

    Args:
        episode: a fresh one.
        user: who plays the customer.
        agent: who acts; nobody else uses the object meanwhile. Its asynchronous `aact` is preferred to `act`.
        manner: how it is driven.
    """

    def __init__(self, episode: Episode, user: User, agent: Agent, manner: Manner) -> None:
        self.episode = episode
        self._user = user
        self._agent = agent
        self._manner = manner
        self._aact = getattr(agent, "aact", None)
        self._signals: list[str] = []
        self._user_usage = NO_USAGE

    async def play(self) -> None:
        """Play to the end.

        Raises:
            ModelRefused: a server refuses the agent or the user for good.
            Exception: whatever the agent's or the user's own code raises.
        """
        await self._reset()
        step: Turn | UserRequest = self.episode.open()
        while True:
            turn = await self._hear(step) if isinstance(step, UserRequest) else step
            if self.episode.outcome is not None:
                return
            try:
                action = await self._act(turn.observation)
            except ContextOverflow as error:
                self.episode.stop(Outcome.CONTEXT_LIMIT, str(error))
                return
            except ModelRefused:
                raise
            except ModelError as error:
                self.cut(f"agent: {error}")
                return
            step = self.episode.act(action)

    def cut(self, detail: str) -> None:
        """End the episode for a reason outside the conversation."""
        self.episode.stop(Outcome.INFRASTRUCTURE, detail)

    def record(self, place: Place, seconds: float) -> Record:
        """The record of the episode, which has ended."""
        return record_of(
            self.episode,
            place,
            tuple(self._signals),
            asides=dict(getattr(self._agent, "asides", {})),
            agent_usage=getattr(self._agent, "usage", NO_USAGE),
            user_usage=self._user_usage,
            seconds=seconds,
        )

    async def _reset(self) -> None:
        episode = self.episode
        seed = {"seed": episode.seed} if self._manner.seeded else {}
        reset = partial(self._agent.reset, episode.domain, episode.task, **seed)
        if self._manner.threaded:
            await in_thread(reset)
        else:
            reset()

    async def _act(self, observation: Mapping[str, str]) -> Action:
        if self._aact is not None:
            action: Action = await self._aact(observation)
            return action
        if self._manner.threaded:
            return await in_thread(partial(self._agent.act, observation))
        return self._agent.act(observation)

    async def _hear(self, request: UserRequest) -> Turn:
        try:
            answer: Any = await self._user.areply(request)
        except UserError as error:
            if isinstance(error.__cause__, ModelRefused):
                raise error.__cause__ from None
            return self.episode.stop(Outcome.INFRASTRUCTURE, f"user: {error}")
        except ModelRefused:
            raise
        except ModelError as error:
            return self.episode.stop(Outcome.INFRASTRUCTURE, f"user: {error}")
        reply = checked_reply(self._user, request, answer)
        self._signals.append(str(reply.signal))
        self._user_usage += reply.usage or NO_USAGE
        return self.episode.hear(reply)
