"""Conversations on a console: who says what, and how the customer feels."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console, OverflowMethod
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from tau_emotion_gym.emotions import Affect
from tau_emotion_gym.episode import Episode, Outcome, Score, Turn, UserReply, UserRequest
from tau_emotion_gym.users import User, UserError

COLOURS = {"anger": "red", "fear": "magenta", "disgust": "green", "sadness": "blue", "enjoyment": "yellow"}
"""Family → the colour in which its customers speak."""

INDENT = 6
"""Columns before what is not said aloud."""

BAR = 10
"""Cells of a meter."""


class Mood(NamedTuple):
    """How the customer feels before it speaks, and why it changed."""

    affect: Affect
    events: tuple[str, ...]


class Watched:
    """A user that passes every request on and notes the moods in `moods`, one for each reply."""

    def __init__(self, user: User) -> None:
        self._user = user
        self.default_exit = user.default_exit
        self.moods: list[Mood] = []

    def reply(self, request: UserRequest) -> UserReply:
        """The user's own reply."""
        self.moods.append(Mood(request.affect, request.events))
        return self._user.reply(request)

    def reply_many(self, requests: Sequence[UserRequest]) -> list[UserReply | UserError]:
        """The user's own replies."""
        self.moods += (Mood(request.affect, request.events) for request in requests)
        return self._user.reply_many(requests)

    async def areply(self, request: UserRequest) -> UserReply:
        """The user's own reply."""
        self.moods.append(Mood(request.affect, request.events))
        return await self._user.areply(request)


def show(out: Console, episode: Episode, moods: Sequence[Mood] = ()) -> None:
    """Print a conversation; with `moods`, a meter before each of the customer's replies."""
    spoken = 0
    for turn in episode.transcript:
        if turn.role == "user":
            if 0 < spoken < len(moods):
                out.print(meter(moods[spoken]))
            spoken += 1
        show_turn(out, turn, colour_of(episode))


def colour_of(episode: Episode) -> str:
    """The colour in which the episode's customer speaks."""
    return COLOURS[episode.condition.family] if episode.condition else "cyan"


def show_turn(out: Console, turn: Turn, colour: str, *, whole: bool = False) -> None:
    """Print one turn; a tool's result in one line unless the `whole` of it is wanted."""
    if turn.role == "user":
        said(out, "Customer", turn.content, colour)
    elif turn.role == "agent":
        said(out, "Agent", turn.content or "(says nothing)", "white")
    elif turn.role == "call":
        _aside(out, f"→ {turn.name} {turn.content}", "dim cyan")
    elif turn.name == "episode":
        _aside(out, turn.content, "yellow")
    else:
        _aside(out, f"← {turn.content}", "red" if turn.error else "dim", whole=whole or turn.error)


def said(out: Console, who: str, text: str, colour: str) -> None:
    """Print a message with its speaker."""
    out.print(f"[bold {colour}]{who}:[/] [{colour}]{escape(text)}[/]")


def _aside(out: Console, text: str, style: str, *, whole: bool = False) -> None:
    """Print an indented line, cut at the end of the console's line unless the `whole` of it is wanted."""
    overflow: OverflowMethod = "fold" if whole else "ellipsis"
    out.print(Padding(Text(text, style=style, no_wrap=not whole, overflow=overflow), (0, 0, 0, INDENT)))


def meter(mood: Mood) -> Padding:
    """Satisfaction and patience as bars, with the events that moved them."""
    affect, events = mood
    line = Text(style="dim")
    for name, value in (("satisfaction", affect.satisfaction), ("patience", affect.patience)):
        full = round(BAR * value)
        line.append(f"{name} ").append("#" * full, _shade(value)).append("." * (BAR - full)).append(f" {value:.2f}   ")
    line.append(", ".join(event.replace("_", " ") for event in events))
    return Padding(line, (0, 0, 0, INDENT))


def _shade(value: float) -> str:
    return "green" if value > 0.6 else "yellow" if value > 0.35 else "red"


def ending(score: Score) -> str:
    """The score in one line of markup."""
    colour = "green" if score.success else "red" if score.outcome is Outcome.DISSATISFIED else "yellow"
    reward = f"{score.reward:+g}" if score.reward else "0"
    words = [f"[bold {colour}]{score.outcome.replace('_', ' ')}[/], reward {reward}"]
    words.append(f"state {'matches' if score.state_match else 'does not match'}")
    words += [f"not told: {output.kind} {escape(output.value)}" for output in score.missing_outputs]
    return "; ".join(words)
