"""Users that wait without blocking, for the vector environment."""

import asyncio
from typing import ClassVar

from tau_emotion_gym.episode import UserReply, UserRequest
from tau_emotion_gym.users import ScriptedUser, UserError


class Waiting(ScriptedUser):
    """The scripted user, asked over an event loop."""

    overlapping = True
    log: ClassVar[list[str]] = []

    async def areply(self, request: UserRequest) -> UserReply:
        self.log.append("asked")
        await asyncio.sleep(0.002)
        return self.reply(request)

    def reply_many(self, requests):
        self.log.append("batch")
        return super().reply_many(requests)


class SometimesGone(Waiting):
    """Cannot answer every third customer."""

    async def areply(self, request: UserRequest) -> UserReply:
        if request.turn and request.brief.seed % 3 == 0:
            raise UserError("the server has gone")
        return await super().areply(request)


class Broken(Waiting):
    """Has a fault in its code."""

    async def areply(self, request: UserRequest) -> UserReply:
        if request.turn:
            raise ZeroDivisionError("a fault")
        return await super().areply(request)
