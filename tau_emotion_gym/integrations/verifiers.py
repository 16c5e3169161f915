"""verifiers v1: a `Taskset` of episodes, and the `Env` in which the simulated customer speaks to the agent.

verifiers finds a taskset by the name of a top-level module, so give it one of yours, say `tau_retail.py`:

    from tau_emotion_gym.integrations.verifiers import TauEnv, TauTaskset

    __all__ = ["TauEnv", "TauTaskset"]

and name that: `--env.taskset.id tau-retail --env.taskset.domain retail`. The agent's program is the `null` harness in
a local subprocess: it only hands messages to the model. Calls stand in the text of its messages, as the prompt
describes them. Needs the extra `verifiers`; written for verifiers 0.4.
"""

from collections.abc import Iterator
from typing import Any

from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.integrations.core import ROW_KEYS, Desk, Result
from tau_emotion_gym.integrations.plain import as_user_text
from tau_emotion_gym.integrations.rows import rows

try:
    import verifiers.v1 as vf
    from pydantic import Field
except ImportError as error:
    raise ImportError("this needs verifiers: pip install 'tau-emotion-gym[verifiers]'") from error

KEPT = ("success", "strict_success", "satisfaction", "patience", "violations", "tool_errors", "questions", "steps")
"""Numbers of a conversation's `info` that are metrics."""


class TauData(vf.TaskData):
    """One episode: a row (see `rows.Row`)."""

    domain: str
    task_id: str
    emotion: str
    episode_seed: str


class TauTask(vf.Task[TauData]):
    """Nothing to set up and nothing to score: the conversation itself is scored, by `TauEnv`."""


class TauTasksetConfig(vf.TasksetConfig):
    """Which episodes: the arguments of `rows`. There is no default domain; verifiers needs a value to begin with."""

    domain: str = ""
    count: int = 100
    split: str = "train"
    first: int = 0
    emotions: list[str] = Field(default=["task"])
    seed: int = 0
    world_seed: int = 0


class TauTaskset(vf.Taskset[TauTask, TauTasksetConfig]):
    """The episodes of one domain."""

    def load(self) -> Iterator[TauTask]:
        """A task per row; its prompt is the system message, as the customer opens the conversation."""
        config = self.config
        for row in rows(
            config.domain,
            config.count,
            split=config.split,
            first=config.first,
            emotions=config.emotions,
            seed=config.seed,
            world_seed=config.world_seed,
            tools_in_prompt=True,
        ):
            own = {key: value for key, value in row.items() if key != "prompt"}
            name = f"{row['domain']}/{row['task_id']}/{row['emotion']}"
            data = TauData(name=name, system_prompt=row["prompt"][0]["content"], prompt=None, **own)
            yield TauTask(data, config.task)


class TauEnvConfig(vf.EnvConfig):
    """The agent, and further arguments of `Desk`."""

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})
    user: str | dict[str, Any] = "scripted"
    user_exit: str | None = None
    reward: dict[str, float] | None = None
    max_steps: int = 100


class TauEnv(vf.Env[TauEnvConfig]):
    """The customer is the user of an interaction with the agent, until the customer or a limit ends it.

    The trace gets the reward in its terms, and as metrics the numbers of `KEPT` and the outcome. A conversation that
    the agent's own limits end is a cut one. If the customer's server fails, the episode fails: verifiers plays it
    again as `--env.retries` says, and trains on none that failed.
    """

    async def start(self) -> None:
        """Make the desk, once for all episodes."""
        config = self.config
        self._desk = Desk(
            self.taskset.config.domain,
            user=config.user,
            user_exit=config.user_exit,
            reward=config.reward,
            max_steps=config.max_steps,
            tools_in_prompt=True,
        )

    async def run(self, task: Any, agents: Any) -> None:
        """One conversation."""
        talk = self._desk.talk()
        _, *news = await talk.astart({key: getattr(task.data, key) for key in ROW_KEYS})
        async with agents.agent.interaction(task) as interaction:
            while not talk.over:
                segment = await interaction.turn(as_user_text(news))
                if segment.terminated:
                    break
                news = await talk.asend(segment.last_reply)
        result = talk.finish()
        if result.mask_sample:
            raise vf.EnvError(result.detail)
        _record(interaction.trace, result)


def _record(trace: Any, result: Result) -> None:
    for name, value in result.terms.items():
        trace.record_reward(name, value)
    for name in KEPT:
        trace.record_metric(f"tau_{name}", result.info[name])
    for outcome in Outcome:
        trace.record_metric(f"outcome_{outcome}", float(result.outcome == outcome))


__all__ = ["TauEnv", "TauTaskset"]
