"""A customer whose server has gone."""

from collections.abc import Sequence

from tau_emotion_gym.episode import UserReply, UserRequest
from tau_emotion_gym.users import ScriptedUser, UserError


class FailsFrom(ScriptedUser):
    """Fails from a turn on."""

    def __init__(self, turn: int = 0) -> None:
        super().__init__()
        self._turn = turn

    def reply(self, request: UserRequest) -> UserReply:
        if request.turn >= self._turn:
            raise UserError("the server said 503")
        return super().reply(request)

    def reply_many(self, requests: Sequence[UserRequest]) -> list[UserReply | UserError]:
        return [self._reply(request) for request in requests]

    def _reply(self, request: UserRequest) -> UserReply | UserError:
        try:
            return self.reply(request)
        except UserError as error:
            return error
