"""A person as the customer, at a terminal or on any pair of functions that show and ask."""

from collections.abc import Callable, Iterator, Sequence

from tau_emotion_gym.emotions import persona
from tau_emotion_gym.episode import Brief, Signal, UserReply, UserRequest
from tau_emotion_gym.users.base import UserError

DONE = "/done"
"""At the start of a line: you are content; what follows is your farewell."""

LEAVE = "/leave"
"""At the start of a line: you leave dissatisfied; what follows is your farewell."""

_SIGNALS = {DONE: Signal.SATISFIED, LEAVE: Signal.DISSATISFIED}


class HumanUser:
    """Shows a person its part and the agent's messages, and reads its replies line by line.

    Args:
        show: prints a text.
        ask: prints a prompt and returns the line typed; raises `EOFError` at the end of the input.
    """

    default_exit = "model"

    def __init__(self, show: Callable[[str], None] = print, ask: Callable[[str], str] = input) -> None:
        self._show = show
        self._ask = ask

    def reply(self, request: UserRequest) -> UserReply:
        """What the person types.

        Raises:
            UserError: the input is at its end.
        """
        if request.turn == 0:
            self._show(part(request.brief))
        else:
            self._show(f"Agent: {request.transcript[-1].content}")
        line = self._typed(needed=request.turn == 0)
        command, _, rest = line.partition(" ")
        if command.lower() in _SIGNALS:
            return UserReply(rest.strip(), _SIGNALS[command.lower()])
        return UserReply(line)

    def reply_many(self, requests: Sequence[UserRequest]) -> list[UserReply | UserError]:
        """One reply after another."""
        return [self._reply_or_error(request) for request in requests]

    async def areply(self, request: UserRequest) -> UserReply:
        """`reply`; it blocks, as people do."""
        return self.reply(request)

    def _typed(self, *, needed: bool) -> str:
        """The next line; when one is `needed`, the first that is not empty."""
        while True:
            try:
                line = self._ask("You: ").strip()
            except EOFError:
                raise UserError("the person at the keyboard has gone") from None
            if line or not needed:
                return line

    def _reply_or_error(self, request: UserRequest) -> UserReply | UserError:
        try:
            return self.reply(request)
        except UserError as error:
            return error


def part(brief: Brief) -> str:
    """A customer's part in plain text: how it feels, what it wants and why, what it knows."""
    return "\n".join(_part(brief))


def _part(brief: Brief) -> Iterator[str]:
    yield "You are the customer."
    if brief.condition is not None:
        yield persona(brief.condition, seed=brief.seed)
    for number, wish in enumerate(brief.wishes, 1):
        yield f"Wish {number}: {wish.say} {wish.stake}".rstrip()
        if wish.fallback:
            yield f"  If that is impossible: {wish.fallback}"
        yield from (f"  You know: {fact.slot.replace('_', ' ')}: {fact.spoken}" for fact in wish.facts)
    yield from (f"About you: {fact.slot.replace('_', ' ')}: {fact.spoken}" for fact in brief.identity)
    yield f"Begin a line with {DONE} when you are content, or with {LEAVE} to leave dissatisfied."
