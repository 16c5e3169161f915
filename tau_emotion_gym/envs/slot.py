"""One place of the vector environment: its stream of episodes, the one being played and the next one."""

from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium.error import ResetNeeded

from tau_emotion_gym.envs.codec import MOST_ACTIONS, Codec
from tau_emotion_gym.envs.stream import Stream
from tau_emotion_gym.episode import Episode, Turn, UserRequest


class Slot:
    """A place of the vector environment.

    Attributes:
        stream: where its episodes come from.
        episode: the one being played; None before the first reset.
        next: the one after it, its opening asked for in advance, behind the stream that goes on from it; None when
            there is none yet.
        over: the end of `episode` was handed out, so that the place needs a reset.
        turns: what answers the agent's last step so far.
    """

    __slots__ = ("episode", "next", "over", "stream", "turns")

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.episode: Episode | None = None
        self.next: tuple[Stream, Episode] | None = None
        self.over = False
        self.turns: list[Turn] = []

    @property
    def playing(self) -> Episode:
        """The episode being played.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self.episode is None:
            raise ResetNeeded("call reset() first: an environment has no episode yet")
        return self.episode

    @property
    def ended(self) -> bool:
        """Whether the episode has an outcome."""
        return self.playing.outcome is not None

    def begin(self, options: Mapping[str, Any] | None = None, *, seed: int | None = None) -> UserRequest:
        """Start the stream's next episode (see `Stream.begin`); what was prefetched is not played."""
        return self.play(*self.stream.begin(options, seed=seed))

    def play(self, stream: Stream, episode: Episode) -> UserRequest:
        """Start this episode; the stream goes on from it."""
        self.stream, self.episode, self.next = stream, episode, None
        self.over = False
        self.turns = []
        return episode.open()

    def prefetch(self) -> tuple[Episode, UserRequest]:
        """Make the episode after this one and ask for its opening."""
        self.next = self.stream.begin()
        episode = self.next[1]
        return episode, episode.open()

    def swap(self) -> None:
        """Go over to the prefetched episode."""
        assert self.next is not None
        (self.stream, self.episode), self.next = self.next, None
        self.over = False
        self.turns = [self.playing.transcript[-1]]

    def act(self, codec: Codec, action: Any) -> UserRequest | None:
        """Carry out an agent's step as far as it goes without the user; what to ask the user, if anything."""
        episode = self.playing
        self.turns = []
        if episode.outcome is not None:
            self.turns.append(episode.transcript[-1])
            return None
        for one in codec.read(episode, action)[:MOST_ACTIONS]:
            result = episode.act(one)
            if isinstance(result, UserRequest):
                return result
            self.turns.append(result)
            if episode.outcome is not None:
                break
        return None

    def show(self, codec: Codec) -> Any:
        """What the agent observes now."""
        turns: Sequence[Turn] = self.turns or self.playing.transcript[-1:]
        return codec.show(self.playing, turns)
