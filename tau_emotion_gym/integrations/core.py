"""The core of all adapters: one conversation as a trainer plays it, messages out, a model's answers in.

    desk = Desk("retail", split="train", user="scripted")
    talk = desk.talk()
    messages = talk.start(row)                      # the system prompt and the customer's opening
    while not talk.over:
        messages += [answer, *talk.send(answer := model(messages, desk.tools))]
    talk.finish().reward

Everything exists twice, blocking and as a coroutine (`start` and `astart`, …); the two may be mixed. A `Talk` only
carries messages between an episode, its user and the trainer: what happens in a conversation is decided in the
episode, and how a model's answer is read in the codecs of `tau_emotion_gym.envs`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tau_emotion_gym.emotions import EmotionSpec
from tau_emotion_gym.envs.chat import Message, function_tools
from tau_emotion_gym.envs.codec import Codec, Turns
from tau_emotion_gym.envs.codecs.message import ChatMessageCodec
from tau_emotion_gym.envs.codecs.text import ModelTextCodec
from tau_emotion_gym.envs.settings import Settings, make_settings
from tau_emotion_gym.envs.slot import Slot
from tau_emotion_gym.envs.stream import Stream
from tau_emotion_gym.episode import Action, Episode, Outcome, UserRequest, info
from tau_emotion_gym.episode.episode import MAX_STEPS
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.llm import NO_USAGE, ModelError, ModelRefused, Usage
from tau_emotion_gym.users import User, UserError
from tau_emotion_gym.users.base import UserSpec, checked_reply

ENDED: Mapping[str, str] = {"role": "tool", "name": "episode", "content": "The conversation has ended."}
"""What an action after the end is answered with."""

UNFINISHED = "The rollout ended before the conversation did."

ROW_KEYS = ("task_id", "emotion", "episode_seed")
"""What a row says about its episode."""


class Result(NamedTuple):
    """What came of a conversation.

    Attributes:
        reward: the sum of `terms`.
        terms: reward term → contribution.
        outcome: why it ended, an `Outcome`.
        success: state and outputs match the reference, whatever the reward prices.
        truncated: it was cut short: a limit, a full context, a server that failed.
        mask_sample: a server failed, so that the conversation says nothing about the model: leave it out.
        detail: what happened, when it was cut short.
        info: the environment's `info`: strings, and floats for all numbers and flags.
    """

    reward: float
    terms: dict[str, float]
    outcome: str
    success: bool
    truncated: bool
    mask_sample: bool
    detail: str
    info: dict[str, Any]


class Desk:
    """What the conversations of one domain have in common: tools, prompt, user, and how episodes are drawn.

    Cheap to copy to workers by pickling; the user and its clients are made in the process that uses them.

    Args:
        domain: name of the domain, or path of a domain's folder.
        emotion: the condition where a row names none: "task", "neutral", "random", a family, a leaf, a path.
        split: "train" or "test", where a row names no task.
        world_seed: the training world.
        user: who plays the customer: "scripted", "module:callable", or a mapping with "kind".
        user_exit: who decides that the customer leaves; None for what suits the user.
        reward: weights of reward terms that differ from the default.
        max_steps: actions after which a conversation is truncated.
        think_tool: offer the `think` tool.
        tools_in_prompt: describe the tools in the system message, for models whose chat template takes none.

    Raises:
        UnknownName: a name that does not exist, with the nearest valid ones.
        TypeError, ValueError: a value of the wrong form or out of range.
    """

    def __init__(
        self,
        domain: str | Path,
        *,
        emotion: EmotionSpec = "task",
        split: str = "train",
        world_seed: int = 0,
        user: UserSpec = "scripted",
        user_exit: str | None = None,
        reward: Mapping[str, float] | None = None,
        max_steps: int = MAX_STEPS,
        think_tool: bool = False,
        tools_in_prompt: bool = False,
    ) -> None:
        self.settings: Settings = make_settings(
            domain,
            emotion=emotion,
            split=split,
            world_seed=world_seed,
            user=user,
            user_exit=user_exit,
            reward=reward,
            max_steps=max_steps,
            think_tool=think_tool,
        )
        self.messages = ChatMessageCodec(tools_in_prompt=tools_in_prompt)
        self.texts = ModelTextCodec(tools_in_prompt=tools_in_prompt)
        self.history = ChatMessageCodec(observe="history", tools_in_prompt=tools_in_prompt)
        self._user: User | None = None

    @property
    def domain(self) -> Domain:
        """The domain."""
        return self.settings.domain

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as OpenAI function definitions: new objects at every call."""
        return function_tools(self.domain, think_tool=self.settings.think_tool)

    @property
    def user(self) -> User:
        """The user simulator: one for all conversations of this process."""
        if self._user is None:
            self._user = self.settings.make_user()
        return self._user

    def talk(self) -> "Talk":
        """A conversation to be started."""
        return Talk(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_user": None}


class Talk:
    """One conversation after another.

    Args:
        desk: what it has in common with others.

    Attributes:
        user_usage: tokens that the user's model took in this conversation.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._slot = Slot(Stream(desk.settings, desk.settings.user_exit or desk.user.default_exit))
        self.user_usage: Usage = NO_USAGE

    # --- playing ------------------------------------------------------------------------------------------

    def start(self, row: Mapping[str, Any] | None = None, *, seed: int | None = None) -> list[Message]:
        """Begin a conversation: the customer speaks first.

        Args:
            row: which episode: any of `ROW_KEYS`; the rest of it is not looked at, but for a "domain" of another
                name. What is absent or None, as tables fill their holes, follows from the desk's settings and seed.
            seed: starts the sequence of episodes again, as the environment's.

        Returns:
            The system message and the opening; in its place, a notice when the user's server failed.

        Raises:
            UnknownName: an unknown task or emotion.
            TypeError, ValueError: a value of the wrong form, or a row of another domain.
            ModelRefused: the user's server refuses every request.
        """
        self._hear(self._begin(row, seed))
        return self._shown(self.desk.messages)

    async def astart(self, row: Mapping[str, Any] | None = None, *, seed: int | None = None) -> list[Message]:
        """`start` without blocking the event loop."""
        await self._ahear(self._begin(row, seed))
        return self._shown(self.desk.messages)

    def send(self, answer: Mapping[str, Any] | str) -> list[Message]:
        """Take in what the model answered.

        Args:
            answer: an assistant message in the OpenAI format, or the text of a completion with its calls in it.
                Calls are carried out in order; text without calls goes to the customer, think blocks taken out.

        Returns:
            The messages to append behind the answer: the results of its calls, the customer's reply, a notice at
            the end. After the end, nothing.

        Raises:
            ModelRefused: the user's server refuses every request.
        """
        if self.over:
            return []
        codec = self._codec(answer)
        self._hear(self._slot.act(codec, answer))
        return self._shown(codec)

    async def asend(self, answer: Mapping[str, Any] | str) -> list[Message]:
        """`send` without blocking the event loop."""
        if self.over:
            return []
        codec = self._codec(answer)
        await self._ahear(self._slot.act(codec, answer))
        return self._shown(codec)

    def act(self, action: Action | Any) -> dict[str, str]:
        """Carry out one action of the environment, `{"name", "arguments"}`, for trainers that parse calls themselves.

        Returns:
            The tool's result or the customer's reply as the environment's observation; `ENDED` after the end.

        Raises:
            ModelRefused: the user's server refuses every request.
        """
        if self.over:
            return dict(ENDED)
        self._hear(self._slot.act(_PLAIN, action))
        return self._observation()

    async def aact(self, action: Action | Any) -> dict[str, str]:
        """`act` without blocking the event loop."""
        if self.over:
            return dict(ENDED)
        await self._ahear(self._slot.act(_PLAIN, action))
        return self._observation()

    def stop(self, outcome: Outcome | str, detail: str) -> None:
        """End the conversation for a reason outside it, such as a full context. No effect after the end."""
        if not self.over:
            self.episode.stop(outcome, detail)

    # --- what it is like ------------------------------------------------------------------------------------

    @property
    def episode(self) -> Episode:
        """The episode being played, or last played.

        Raises:
            RuntimeError: before the first start.
        """
        if self._slot.episode is None:
            raise RuntimeError("call start() first: no conversation has begun")
        return self._slot.episode

    @property
    def begun(self) -> bool:
        """Whether a conversation was ever started."""
        return self._slot.episode is not None

    @property
    def over(self) -> bool:
        """Whether the conversation has ended."""
        return self.episode.outcome is not None

    @property
    def messages(self) -> list[Message]:
        """The whole conversation: new objects at every call."""
        return self._shown(self.desk.history)

    def finish(self) -> Result:
        """What came of it. A conversation that still goes on is cut here: its trainer gives it no more turns."""
        self.stop(Outcome.STEP_LIMIT, UNFINISHED)
        episode = self.episode
        score = episode.score()
        return Result(
            reward=float(score.reward),
            terms=dict(score.terms),
            outcome=str(score.outcome),
            success=bool(score.success),
            truncated=not score.outcome.terminated,
            mask_sample=score.outcome is Outcome.INFRASTRUCTURE,
            detail=episode.detail,
            info=info(episode, score),
        )

    # --- how --------------------------------------------------------------------------------------------------

    def _begin(self, row: Mapping[str, Any] | None, seed: int | None) -> UserRequest:
        row = row or {}
        name = row.get("domain")
        if name is not None and name != self.desk.domain.name:
            raise ValueError(f"a row of domain {name!r} at a desk of domain {self.desk.domain.name!r}")
        request = self._slot.begin({key: row[key] for key in ROW_KEYS if row.get(key) is not None}, seed=seed)
        self.user_usage = NO_USAGE
        return request

    def _codec(self, answer: Mapping[str, Any] | str) -> Codec:
        return self.desk.texts if isinstance(answer, str) else self.desk.messages

    def _shown(self, codec: Codec) -> list[Message]:
        found: list[Message] = self._slot.show(codec)
        return found

    def _observation(self) -> dict[str, str]:
        found: dict[str, str] = self._slot.show(_PLAIN)
        return found

    def _hear(self, request: UserRequest | None) -> None:
        if request is None:
            return
        try:
            reply = self.desk.user.reply(request)
        except (UserError, ModelError) as error:
            self._failed(error)
        else:
            self._heard(request, reply)

    async def _ahear(self, request: UserRequest | None) -> None:
        if request is None:
            return
        try:
            reply = await self.desk.user.areply(request)
        except (UserError, ModelError) as error:
            self._failed(error)
        else:
            self._heard(request, reply)

    def _heard(self, request: UserRequest, answer: Any) -> None:
        reply = checked_reply(self.desk.user, request, answer)
        self.user_usage += reply.usage or NO_USAGE
        self.episode.hear(reply)

    def _failed(self, error: Exception) -> None:
        """The user could not answer: a refusal for good ends the training, anything else this conversation."""
        for one in (error, error.__cause__):
            if isinstance(one, ModelRefused):
                raise one from None
        self.episode.stop(Outcome.INFRASTRUCTURE, f"user: {error}")


_PLAIN = Turns()
