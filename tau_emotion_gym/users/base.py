"""The protocol of a user simulator, and how one is named in a configuration."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from tau_emotion_gym._specs import kind_and_options, target_of
from tau_emotion_gym.episode import Signal, UserReply, UserRequest
from tau_emotion_gym.errors import TauEmotionError, UnknownName, unknown


class UserError(TauEmotionError):
    """A user could not answer for a reason outside the conversation, such as a server that failed.

    Drivers end the episode with the outcome `infrastructure`.
    """


@runtime_checkable
class User(Protocol):
    """Answers requests. Users are stateless: everything they need is in the request."""

    default_exit: str
    """The `user_exit` that suits this user when none is chosen."""

    def reply(self, request: UserRequest) -> UserReply:
        """What the customer says next.

        Raises:
            UserError: no answer could be had.
        """
        ...

    def reply_many(self, requests: Sequence[UserRequest]) -> list[UserReply | UserError]:
        """Answers to several requests at once, in order; an error stands in its place."""
        ...

    async def areply(self, request: UserRequest) -> UserReply:
        """`reply` without blocking the event loop."""
        ...


UserSpec = str | Mapping[str, Any]
"""A user by name ("scripted", or "human" for a person at the terminal), as "module:callable", or as a JSON-able
mapping with the name under "kind" and the callable's keyword arguments beside it."""

_SIGNALS = tuple(signal.value for signal in Signal)

_BUILT_IN = {
    "scripted": "tau_emotion_gym.users.scripted:ScriptedUser",
    "human": "tau_emotion_gym.users.human:HumanUser",
    "openai": "tau_emotion_gym.users.language:openai_user",
    "vllm": "tau_emotion_gym.users.language:vllm_user",
    "llm": "tau_emotion_gym.users.language:LanguageUser",
}


def make_user(spec: UserSpec) -> User:
    """The user that a configuration names.

    Raises:
        UnknownName: no user of that name exists, or the module has no such callable.
        TypeError: the specification is neither a name nor a mapping with "kind", or what it names makes no user.
    """
    kind, options = _split(spec)
    user = _target(kind)(**options)
    if not isinstance(user, User):
        lacking = [part for part in ("default_exit", "reply", "reply_many", "areply") if not hasattr(user, part)]
        raise TypeError(f"user {kind!r}: {type(user).__name__} lacks {', '.join(lacking)}")
    return user


def check_user(spec: UserSpec) -> None:
    """Raise what `make_user` would raise for a wrong name or form, without making the user."""
    _target(_split(spec)[0])


def checked_reply(user: User, request: UserRequest, reply: Any) -> UserReply:
    """What a user answered, if it is an answer.

    Raises:
        TypeError: no `UserReply`, or one whose parts are of other types.
        ValueError: a signal that does not exist, or an opening without words.
    """
    if not isinstance(reply, UserReply):
        raise TypeError(f"user {_named(user)} answered with {reply!r:.80}, not with UserReply(text, signal, memory)")
    if not (type(reply.text) is type(reply.memory) is type(reply.thought) is str and type(reply.signal) is Signal):
        _check_parts(user, reply)
    if request.turn == 0 and reply.signal == Signal.CONTINUE and not reply.text.strip():
        raise ValueError(f"user {_named(user)}: the opening is empty; the customer speaks first and says what it wants")
    return reply


def _check_parts(user: User, reply: UserReply) -> None:
    for part in ("text", "signal", "memory", "thought"):
        value = getattr(reply, part)
        if not isinstance(value, str):
            raise TypeError(f"user {_named(user)}: the {part} of a reply is a string, not {value!r:.80}")
    if reply.signal not in _SIGNALS:
        valid = ", ".join(map(repr, _SIGNALS))
        raise ValueError(f"user {_named(user)}: unknown signal {str(reply.signal)!r:.80}; valid: {valid}")


def checked_replies(user: User, requests: Sequence[UserRequest], replies: Any) -> list[UserReply | UserError]:
    """What a user answered to several requests, if these are answers; a `UserError` may stand for any of them.

    Raises:
        TypeError, ValueError: as `checked_reply`, or not one answer per request.
    """
    if not isinstance(replies, Sequence) or isinstance(replies, str):
        raise TypeError(f"user {_named(user)}: reply_many gives a list of answers, not {replies!r:.80}")
    if len(replies) != len(requests):
        raise ValueError(f"user {_named(user)}: reply_many gave {len(replies)} answers to {len(requests)} requests")
    return [
        reply if isinstance(reply, UserError) else checked_reply(user, request, reply)
        for request, reply in zip(requests, replies, strict=True)
    ]


def _named(user: User) -> str:
    return f"{type(user).__module__}:{type(user).__qualname__}"


def _split(spec: UserSpec) -> tuple[str, dict[str, Any]]:
    if found := kind_and_options(spec):
        return found
    raise TypeError(
        f"a user is a name, 'module:callable', or a mapping with 'kind'; not {type(spec).__name__} "
        "(live objects cannot be pickled, logged or copied to workers)"
    )


def _target(kind: str) -> Callable[..., User]:
    target = target_of("user", kind, _BUILT_IN.get(kind, kind))
    if target is None:
        error = unknown("user", kind, _BUILT_IN)
        raise UnknownName(f"{error}; a model needs its kind, openai or vllm: on the command line openai:MODEL")
    return target
