"""The scripted user: no network, deterministic, the default."""

from collections.abc import Sequence
from functools import cache

import msgspec

from tau_emotion_gym.emotions import EmotionCondition
from tau_emotion_gym.episode import Brief, UserReply, UserRequest
from tau_emotion_gym.users.base import UserError
from tau_emotion_gym.users.memory import recall, remember
from tau_emotion_gym.users.mind import plan
from tau_emotion_gym.users.voice import voice


class ScriptedUser:
    """A customer that reveals its wishes as its task says, answers from what it knows, refuses what it did
    not ask for, and speaks in its condition's voice. The same request always gets the same reply."""

    default_exit = "affect"

    def reply(self, request: UserRequest) -> UserReply:
        """What the customer says next. Never fails."""
        brief = request.brief
        speaker = voice(felt(brief))
        memory = recall(request.memory)
        content = plan(request, memory, speaker)
        text = speaker.speak(
            content.act,
            content.core,
            seed=brief.seed,
            turn=request.turn,
            affect=request.affect,
            stake=content.stake,
            acknowledged="acknowledgement" in request.events,
            events=request.events,
            danger=brief.danger,
        )
        return UserReply(text, content.signal, remember(memory))

    def reply_many(self, requests: Sequence[UserRequest]) -> list[UserReply | UserError]:
        """Replies to several requests, in order."""
        return [self.reply(request) for request in requests]

    async def areply(self, request: UserRequest) -> UserReply:
        """`reply`, for asynchronous drivers; it computes for some microseconds and does not wait."""
        return self.reply(request)


def felt(brief: Brief) -> EmotionCondition | None:
    """The condition as it sounds: in an emergency nobody says that there is no hurry."""
    condition = brief.condition
    return _hurried(condition) if brief.danger and condition is not None else condition


@cache
def _hurried(condition: EmotionCondition) -> EmotionCondition:
    return msgspec.structs.replace(condition, urgency="high")
