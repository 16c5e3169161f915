"""A language model as the customer."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tau_emotion_gym._draw import mix
from tau_emotion_gym.episode import Signal, UserReply, UserRequest
from tau_emotion_gym.episode.actions import clean
from tau_emotion_gym.episode.episode import USER_EXITS
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.llm import ChatModel, ChatRequest, Completion, ModelError
from tau_emotion_gym.llm.models import ModelSpec, make_model, split_options
from tau_emotion_gym.llm.options import OPTIONS as MODEL_OPTIONS
from tau_emotion_gym.users.base import UserError
from tau_emotion_gym.users.prompt import messages, prompt_digest
from tau_emotion_gym.users.replies import parse_reply

OPTIONS = ("default_exit", "cue", "system_message")
"""What `LanguageUser` takes beside the model."""

_MOST_SEED = 0x7FFFFFFF
_PURPOSES = ("user", "user again")


class LanguageUser:
    """Plays the customer with a language model: persona, wishes and facts in one prompt, feelings as a private cue.

    It holds no client and no conversation: it pickles and forks freely, and one object serves any number of episodes.
    The whole conversation is in every request; nothing is ever cut. A reply without anything to deliver (empty, or
    reasoning alone) is asked for once more with another seed.

    Args:
        model: the model (see `tau_emotion_gym.llm.models`).
        default_exit: the `user_exit` when none is chosen. With "affect" and "either" the threshold decides too, and the
            cue asks the model for the farewell.
        cue: tell the model each time how the customer feels now and what the agent's last message was to it. Without
            it the persona alone carries the emotion.
        system_message: False for models whose chat template has no system role: the prompt then heads the first
            message.

    Raises:
        UnknownName: no such kind of model, option or exit.
        TypeError, ValueError: a specification of the wrong form.
    """

    def __init__(
        self,
        model: ModelSpec,
        *,
        default_exit: str = "model",
        cue: bool = True,
        system_message: bool = True,
    ) -> None:
        if default_exit not in USER_EXITS:
            raise unknown("default_exit", default_exit, USER_EXITS)
        make_model(model)
        self.model: Mapping[str, Any] = dict(model)
        self.default_exit = default_exit
        self.cue = cue
        self.system_message = system_message

    def reply(self, request: UserRequest) -> UserReply:
        """What the customer says next.

        Raises:
            UserError: the model could not answer (the `ModelError` is its cause), or had nothing to say, twice.
        """
        model = make_model(self.model)
        with _as_user_error():
            first = _heard(model.complete(self._question(request, 0)))
            if _complete(request, first):
                return first
            second = _heard(model.complete(self._question(request, 1)))
        return _settled(request, first, second)

    async def areply(self, request: UserRequest) -> UserReply:
        """`reply` without blocking the event loop."""
        model = make_model(self.model)
        with _as_user_error():
            first = _heard(await model.acomplete(self._question(request, 0)))
            if _complete(request, first):
                return first
            second = _heard(await model.acomplete(self._question(request, 1)))
        return _settled(request, first, second)

    def reply_many(self, requests: Sequence[UserRequest]) -> list[UserReply | UserError]:
        """Replies to several requests with one call of the model; those that need it are asked again together."""
        model = make_model(self.model)
        replies = self._asked(model, requests, 0)
        again = [i for i, reply in enumerate(replies) if _lacking(requests[i], reply)]
        for i, second in zip(again, self._asked(model, [requests[i] for i in again], 1), strict=True):
            replies[i] = _settled_or_error(requests[i], replies[i], second)
        return replies

    def describe(self) -> dict[str, Any]:
        """Model, decoding and prompt as JSON-able values, for the log. No key is in it."""
        return {
            "model": make_model(self.model).describe(),
            "prompt": prompt_digest(),
            "default_exit": self.default_exit,
            "cue": self.cue,
            "system_message": self.system_message,
        }

    def _asked(self, model: ChatModel, requests: Sequence[UserRequest], attempt: int) -> list[UserReply | UserError]:
        if not requests:
            return []
        answers = model.complete_many([self._question(request, attempt) for request in requests])
        return [_user_error(answer) if isinstance(answer, ModelError) else _heard(answer) for answer in answers]

    def _question(self, request: UserRequest, attempt: int) -> ChatRequest:
        return ChatRequest(
            messages=messages(request, cue=self.cue, system_message=self.system_message),
            seed=mix(request.brief.seed, request.turn, _PURPOSES[attempt]) & _MOST_SEED,
        )


def openai_user(**options: Any) -> LanguageUser:
    """A customer behind an OpenAI-compatible server.

    Args:
        options: those of the model ("model", "base_url", "temperature", …) and those of `LanguageUser`, side by side.

    Raises:
        UnknownName: an option that is neither.
    """
    return _user("openai", options)


def vllm_user(**options: Any) -> LanguageUser:
    """A customer played by vLLM in this process; options as in `openai_user`.

    Raises:
        UnknownName: an option that is neither the model's nor the user's.
    """
    return _user("vllm", options)


def _user(kind: str, options: Mapping[str, Any]) -> LanguageUser:
    of_model, own = split_options(kind, options)
    if strange := own.keys() - set(OPTIONS):
        raise unknown(f"option of the {kind} user", min(strange), [*MODEL_OPTIONS[kind].__struct_fields__, *OPTIONS])
    return LanguageUser({"kind": kind, **of_model}, **own)


# --- replies ---------------------------------------------------------------------------------------------


@contextmanager
def _as_user_error() -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        raise _user_error(error) from error


def _user_error(cause: ModelError) -> UserError:
    error = UserError(f"the customer's model could not answer: {cause}")
    error.__cause__ = cause
    return error


def _heard(completion: Completion) -> UserReply:
    parsed = parse_reply(completion.text)
    thoughts = (clean(completion.reasoning).strip(), parsed.thought)
    return UserReply(
        parsed.text,
        parsed.signal,
        thought="\n".join(thought for thought in thoughts if thought),
        usage=completion.usage,
    )


def _complete(request: UserRequest, reply: UserReply) -> bool:
    """Whether a reply has words, or ends a conversation that it can end here without any."""
    if reply.text or request.turn == 0:
        return bool(reply.text)
    if reply.signal is Signal.SATISFIED:
        return request.reading is None or not request.reading.confirms
    return reply.signal is Signal.DISSATISFIED and request.brief.condition is not None


def _lacking(request: UserRequest, reply: UserReply | UserError) -> bool:
    return isinstance(reply, UserReply) and not _complete(request, reply)


def _settled(request: UserRequest, first: UserReply, second: UserReply) -> UserReply:
    """The reply after two tries: the second where it says anything.

    Raises:
        UserError: neither says anything.
    """
    best = next((reply for reply in (second, first) if _says_anything(request, reply)), None)
    if best is None:
        raise UserError("the customer's model answered twice without saying anything")
    thoughts = (first.thought, second.thought)
    return UserReply(
        best.text,
        best.signal,
        thought="\n".join(thought for thought in thoughts if thought),
        usage=first.usage + second.usage if first.usage and second.usage else None,
    )


def _says_anything(request: UserRequest, reply: UserReply) -> bool:
    return bool(reply.text) or (request.turn > 0 and reply.signal is not Signal.CONTINUE)


def _settled_or_error(
    request: UserRequest, first: UserReply | UserError, second: UserReply | UserError
) -> UserReply | UserError:
    if isinstance(first, UserError) or isinstance(second, UserError):
        return second
    try:
        return _settled(request, first, second)
    except UserError as error:
        return error
