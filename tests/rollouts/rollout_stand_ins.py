"""Users and agents that are slow, fail, hang or break, named in tests as "rollout_stand_ins:Name"."""

import asyncio
import time
from collections import Counter

import msgspec

from tau_emotion_gym._draw import chance, mix
from tau_emotion_gym.agents import ReferenceAgent
from tau_emotion_gym.llm import ContextOverflow, ModelError, ModelRefused, Usage
from tau_emotion_gym.users import ScriptedUser, UserError

COUNTS: Counter[str] = Counter()
"""What happened, by name; a test clears what it reads."""


class SlowUser(ScriptedUser):
    """Takes its time; with `spread`, up to twice as long by the episode's seed."""

    def __init__(self, seconds: float = 0.01, spread: bool = False) -> None:
        self.seconds = seconds
        self.spread = spread

    async def areply(self, request):
        factor = 2 * mix(request.brief.seed, request.turn, "latency") / 2**64 if self.spread else 1
        COUNTS["talking"] += 1
        COUNTS["most talking"] = max(COUNTS["talking"], COUNTS["most talking"])
        await asyncio.sleep(self.seconds * factor)
        COUNTS["talking"] -= 1
        return self.reply(request)


class FlakyUser(ScriptedUser):
    """Fails a share of its answers, other ones each time."""

    def __init__(self, share: float = 0.1) -> None:
        self.share = share

    async def areply(self, request):
        COUNTS["flaky"] += 1
        number = COUNTS["flaky"]
        await asyncio.sleep(0)
        if chance(self.share, number, 0, "flaky"):
            raise UserError("the server said 503")
        return self.reply(request)


class DeadUser(ScriptedUser):
    """Never has an answer."""

    async def areply(self, request):
        raise UserError("connection refused")


class HangingUser(ScriptedUser):
    """Never answers after the opening."""

    async def areply(self, request):
        if request.turn:
            await asyncio.sleep(3600)
        return self.reply(request)


class RefusedUser(ScriptedUser):
    """Its server knows nobody by this key."""

    async def areply(self, request):
        raise UserError("could not ask") from ModelRefused("401: no such key")


class WrongUser(ScriptedUser):
    """Answers with what is no answer."""

    async def areply(self, request):
        return "hello"


class WordyUser(ScriptedUser):
    """Spends tokens; what is behind it says how many, or does not."""

    def __init__(self, tell: bool = True) -> None:
        self.tell = tell

    async def areply(self, request):
        await asyncio.sleep(0)
        usage = Usage(1, 90, 10) if self.tell else Usage(1, None, None)
        return msgspec.structs.replace(self.reply(request), usage=usage)


class Closing(ScriptedUser):
    """Counts how often it is closed."""

    def close(self) -> None:
        COUNTS["closed"] += 1


class Seeded(ReferenceAgent):
    """An agent with a model behind it: asynchronous, seeded, with asides and usage."""

    def __init__(self, temperature: float = 0.0, base_url: str = "", prompt: str = "Be kind.") -> None:
        super().__init__()
        self.settings = {"model": "m", "temperature": temperature, "base_url": base_url, "prompt": prompt}

    def reset(self, domain, task, *, seed=0):
        super().reset(domain, task)
        self.usage = Usage(0, 0, 0)
        self.asides = {0: f"I was given {seed}."}

    async def aact(self, observation):
        await asyncio.sleep(0)
        self.usage += Usage(1, 100, 20)
        return self.act(observation)

    def describe(self):
        return dict(self.settings)


class Priced(Seeded):
    """One whose model costs money."""

    def __init__(self, prices) -> None:
        super().__init__()


class FailsOn(Seeded):
    """Raises at its second action, in episodes of one task (or all)."""

    def __init__(self, error: str, task: str = "") -> None:
        super().__init__()
        self.error = {
            "overflow": ContextOverflow("9000 tokens, 8192 fit"),
            "model": ModelError("503 after 5 tries"),
            "refused": ModelRefused("404: no such model"),
            "bug": KeyError("oops"),
            "timeout": TimeoutError("their own"),
        }[error]
        self.task_id = task

    async def aact(self, observation):
        if self.usage.calls == 1 and self.task.id.startswith(self.task_id):
            raise self.error
        return await super().aact(observation)


class Blocking(ReferenceAgent):
    """Blocks its thread at every action."""

    def __init__(self, seconds: float = 0.05) -> None:
        super().__init__()
        self.seconds = seconds

    def act(self, observation):
        time.sleep(self.seconds)
        return super().act(observation)


class Careless(ReferenceAgent):
    """Leaves, beside its actions, what a log has to take or refuse."""

    def __init__(self, asides: object = None, usage: object = None) -> None:
        super().__init__()
        self.asides = asides if asides is not None else {0: "half \ud83d, \u2028 and \0"}
        self.usage = usage if usage is not None else Usage(0, 0, 0)


class Leaver(ReferenceAgent):
    """Ends the process in its second episode, in a thread like any agent of one's own."""

    def act(self, observation):
        COUNTS["acts"] += 1
        if COUNTS["acts"] == 20:
            raise SystemExit(7)
        return super().act(observation)


class Surrogate(ScriptedUser):
    """Thinks in what is no Unicode, or fails with it."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    async def areply(self, request):
        if self.fails and request.turn:
            raise UserError("the server said \ud83d")
        return msgspec.structs.replace(self.reply(request), thought="half \ud83d")


class Deaf(SlowUser):
    """Blocks the event loop some time after the first episode, which no user should."""

    async def areply(self, request):
        COUNTS["answers"] += 1
        if COUNTS["answers"] > 60:
            time.sleep(30)
        return await super().areply(request)


class StuckUser(SlowUser):
    """Never answers any more after the first episodes."""

    async def areply(self, request):
        COUNTS["answers"] += 1
        if COUNTS["answers"] > 60:
            await asyncio.sleep(30)
        return await super().areply(request)
