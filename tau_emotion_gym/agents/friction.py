"""An agent that gets the work done and wears the customer out on the way."""

from collections.abc import Generator

from tau_emotion_gym._draw import mix
from tau_emotion_gym.agents.reference import ReferenceAgent, Talk
from tau_emotion_gym.episode import Action, respond
from tau_emotion_gym.kit import Goal

MOST_REPEATS = 6
"""The largest number of redundant questions before a goal."""


class FrictionAgent(ReferenceAgent):
    """The reference agent without acknowledgement, asking again for what was already said.

    How often it asks again before each goal is drawn from the task, between 1 and `MOST_REPEATS`.
    """

    acknowledges = False

    def _serve(self, goal: Goal, carried: str) -> Generator[Action, str, str]:
        if carried:
            yield respond(carried)
        yield from self._pester(goal)
        return (yield from super()._serve(goal, ""))

    def _pester(self, goal: Goal) -> Talk:
        slots = [fact.slot for fact in self.task.identity]
        times = 1 + mix(self.task.seed, self.task.goals.index(goal), "friction") % MOST_REPEATS
        for number in range(times):
            yield respond(self._question(slots[number % len(slots)]))
