"""Users and agents for runs on Ray, named in tests as "ray_stand_ins:Name"; they run in the actors."""

import asyncio
import os
import signal
from pathlib import Path

from tau_emotion_gym.agents import ReferenceAgent
from tau_emotion_gym.llm import ModelRefused
from tau_emotion_gym.users import ScriptedUser, UserError


class Signed(ScriptedUser):
    """Takes its time, and leaves a file named after its process in a folder."""

    def __init__(self, folder: str, seconds: float = 0.05) -> None:
        self.folder = Path(folder)
        self.seconds = seconds

    async def areply(self, request):
        (self.folder / str(os.getpid())).touch()
        await asyncio.sleep(self.seconds)
        return self.reply(request)

    def close(self) -> None:
        (self.folder / f"closed-{os.getpid()}").touch()


class Refused(ScriptedUser):
    """Its server knows nobody by this key."""

    async def areply(self, request):
        raise UserError("could not ask") from ModelRefused("401: no such key")


class Fatal(ReferenceAgent):
    """Ends its process in the episodes of one task, or raises there."""

    def __init__(self, task: str, how: str = "kill") -> None:
        super().__init__()
        self.fatal = task
        self.how = how

    def act(self, observation):
        if self.task.id == self.fatal:
            if self.how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise KeyError("oops")
        return super().act(observation)
