"""Users that fail, wait, or count, named in tests as "stand_in_users:Name"."""

from tau_emotion_gym.episode import UserReply
from tau_emotion_gym.users import ScriptedUser, UserError

WAVES: list[int] = []
"""Sizes of the `reply_many` calls of every `Counting` user."""


class Counting(ScriptedUser):
    """Notes how many requests come together."""

    def reply_many(self, requests):
        WAVES.append(len(requests))
        return super().reply_many(requests)


class FailsAt(ScriptedUser):
    """Cannot answer the request of one turn; with `every`, only where the episode's seed is even."""

    def __init__(self, turn: int = 0, every: bool = True) -> None:
        self.turn = turn
        self.every = every

    def reply(self, request) -> UserReply:
        if request.turn == self.turn and (self.every or request.brief.seed % 2 == 0):
            raise UserError("the server said 503")
        return super().reply(request)

    def reply_many(self, requests):
        return [self._safely(request) for request in requests]

    def _safely(self, request):
        try:
            return self.reply(request)
        except UserError as error:
            return error


class Model(ScriptedUser):
    """Decides in its own words when to leave, and holds something that cannot be pickled."""

    default_exit = "model"

    def __init__(self) -> None:
        self.client = lambda: None
        self.closed = False

    def close(self) -> None:
        self.closed = True
