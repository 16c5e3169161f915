"""Whole episodes of tau2's Gymnasium retail environment: its own references, a user that answers at once.

The figures that a task wants communicated are not spoken, so some episodes score 0; the work is the same.
"""

import json
import os
import statistics
import time

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from loguru import logger
from tau2.data_model.message import UserMessage
from tau2.domains.retail.environment import get_tasks
from tau2.gym.gym_agent import AgentGymEnv
from tau2.user.user_simulator import UserSimulator

logger.remove()

EPISODES = 3


class InstantUser(UserSimulator):
    """Says one sentence, and stops at the agent's second message."""

    def generate_next_message(self, message, state):  # type: ignore[no-untyped-def]
        """The next sentence; tau2 calls this for every message to the user."""
        spoken = sum(isinstance(one, UserMessage) for one in state.messages)
        text = "Please do what we agreed." if spoken == 0 else "###STOP###"
        state.messages.append(message)
        reply = UserMessage(role="user", content=text)
        state.messages.append(reply)
        return reply, state


class InstantEnv(AgentGymEnv):
    """tau2's environment with the user swapped."""

    def _get_user(self) -> UserSimulator:
        return InstantUser(tools=None, instructions=self._get_task().user_scenario, llm="none", llm_args={})


def play(task) -> float:  # type: ignore[no-untyped-def]
    """Replay a task's reference through the environment; returns the reward."""
    env = InstantEnv(domain="retail", task_id=task.id)
    env.reset()
    for action in task.evaluation_criteria.actions or []:
        env.step(json.dumps({"name": action.name, "arguments": action.arguments}))
    _, reward, terminated, _, _ = env.step("All done.")
    if not terminated:
        raise RuntimeError(f"task {task.id} did not end")
    return float(reward)


def rows(rounds: int) -> list[tuple[str, str, str]]:
    """The tau2 row of the table."""
    tasks = get_tasks()[:EPISODES]
    play(tasks[0])
    rates = []
    for _ in range(rounds):
        started = time.perf_counter()
        for task in tasks:
            play(task)
        rates.append(len(tasks) / (time.perf_counter() - started))
    return [("tau2 gym retail: episodes", f"{max(rates):,.2f} /s", f"{statistics.median(rates):,.2f}")]
