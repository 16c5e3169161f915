"""OpenEnv: a server whose sessions are conversations of one domain.

    python -m tau_emotion_gym.integrations.openenv_server retail --port 8000

Needs the extra: pip install 'tau-emotion-gym[openenv]'. Everything runs on one event loop: sessions whose customers
are played by a model wait for it side by side.
"""

import argparse
import json
from typing import Any

import uvicorn
from fastapi import FastAPI
from openenv.core.env_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import ConcurrencyConfig, EnvironmentMetadata

from tau_emotion_gym.episode import info
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.integrations.core import Desk, Talk
from tau_emotion_gym.integrations.openenv import ServiceAction, ServiceObservation, ServiceState
from tau_emotion_gym.integrations.rows import rows

SESSIONS = 64
"""Conversations at the same time."""

SESSION_TIMEOUT = 900.0
"""Seconds without a message after which a session is closed, so that lost clients free their place."""

KEYS = ("task_id", "emotion", "episode_seed", "domain", "prompt", "split", "index")
"""What a reset takes besides OpenEnv's own arguments."""

TRAIN_TASKS = 10_000
"""Training tasks that the task API counts; there are more, by their ids."""


class ServiceEnvironment(Environment[ServiceAction, ServiceObservation, ServiceState]):
    """One session.

    Args:
        desk: the domain and how it is played, shared by all sessions.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._talk: Talk = desk.talk()
        self._episode_id: str | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **row: Any) -> ServiceObservation:
        """Begin a conversation.

        Args:
            seed: starts the session's sequence of episodes again.
            episode_id: a name for the episode, shown in the state.
            row: which episode, as `Talk.start` takes it: a row of `rows`, or any of its keys. Or `index`, and maybe
                `split`, for a task by its place, with the condition and seed that `rows` gives it.

        Raises:
            UnknownName: another key, an unknown task or emotion.
        """
        return self._begun(episode_id, self._talk.start(self._row(row), seed=seed))

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **row: Any
    ) -> ServiceObservation:
        """`reset` without blocking the event loop."""
        return self._begun(episode_id, await self._talk.astart(self._row(row), seed=seed))

    def step(self, action: ServiceAction, timeout_s: float | None = None, **kwargs: Any) -> ServiceObservation:
        """Carry out an action; nothing that an agent writes raises. After the end, the end is shown again."""
        if action.message is not None:
            return self._seen(self._talk.send(action.message))
        return self._seen([self._talk.act({"name": action.name, "arguments": action.arguments})])

    async def step_async(
        self, action: ServiceAction, timeout_s: float | None = None, **kwargs: Any
    ) -> ServiceObservation:
        """`step` without blocking the event loop."""
        if action.message is not None:
            return self._seen(await self._talk.asend(action.message))
        return self._seen([await self._talk.aact({"name": action.name, "arguments": action.arguments})])

    @property
    def state(self) -> ServiceState:
        """Which episode is played, and how far it is."""
        if not self._talk.begun:
            return ServiceState()
        episode = self._talk.episode
        seen = {key: value for key, value in info(episode).items() if key in ServiceState.model_fields}
        return ServiceState(episode_id=self._episode_id, step_count=episode.steps, **seen)

    def get_metadata(self) -> EnvironmentMetadata:
        """Name and summary of the domain."""
        domain = self._desk.domain
        return EnvironmentMetadata(name=f"tau_emotion_gym: {domain.title}", description=domain.summary)

    # --- OpenEnv's task API -----------------------------------------------------------------------------------

    def list_splits(self) -> list[str]:
        """The splits."""
        return ["train", "test"]

    def num_tasks(self, split: str) -> int:
        """Tasks of a split; the train split has no end, and is counted to `TRAIN_TASKS`."""
        return TRAIN_TASKS if split == "train" else len(self._desk.domain.test_tasks)

    def get_task(self, split: str, index: int) -> dict[str, str]:
        """The row of a task, without its prompt."""
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(f"split {split!r} has no task {index}")
        (row,) = self._tasks(split, index, 1)
        return row

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, str]]:
        """The rows from `start` to before `stop`."""
        wanted = range(self.num_tasks(split))[start:stop]
        return self._tasks(split, wanted.start, len(wanted)) if wanted else []

    # --- how ----------------------------------------------------------------------------------------------------

    def _tasks(self, split: str, first: int, count: int) -> list[dict[str, str]]:
        world_seed = self._desk.settings.world_seed
        found = rows(self._desk.domain.folder, count, split=split, first=first, world_seed=world_seed)
        return [{key: value for key, value in row.items() if isinstance(value, str)} for row in found]

    def _row(self, given: dict[str, Any]) -> dict[str, Any]:
        for key in given:
            if key not in KEYS:
                raise unknown("argument of reset", key, KEYS)
        index = given.get("index")
        found = {} if index is None else self.get_task(given.get("split") or self._desk.settings.split, index)
        return {**found, **{key: value for key, value in given.items() if value is not None}}

    def _begun(self, episode_id: str | None, messages: list[dict[str, Any]]) -> ServiceObservation:
        self._episode_id = episode_id
        seen = self._seen(messages)
        seen.tools = self._desk.tools
        return seen

    def _seen(self, messages: list[dict[str, Any]]) -> ServiceObservation:
        talk = self._talk
        if not talk.over:
            return ServiceObservation(messages=messages, reward=0.0, metadata={"info": info(talk.episode)})
        result = talk.finish()._asdict()
        return ServiceObservation(messages=messages, done=True, reward=result.pop("reward"), metadata=result)


def make_app(
    domain: str, *, sessions: int = SESSIONS, session_timeout: float = SESSION_TIMEOUT, **settings: Any
) -> FastAPI:
    """The server as an ASGI application.

    Args:
        domain: name of the domain, or path of its folder.
        sessions: most conversations at the same time.
        session_timeout: seconds without a message after which a session is closed.
        settings: further arguments of `Desk`.
    """
    desk = Desk(domain, **settings)
    desk.talk().start(seed=0)
    return create_app(
        lambda: ServiceEnvironment(desk),
        ServiceAction,
        ServiceObservation,
        env_name=desk.domain.name,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=session_timeout),
        state_cls=ServiceState,
    )


def main() -> None:
    """Serve one domain."""
    parser = argparse.ArgumentParser(description="An OpenEnv server for conversations of one domain.")
    parser.add_argument("domain", help="name of the domain, or path of its folder")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--session-timeout", type=float, default=SESSION_TIMEOUT)
    parser.add_argument("--split", default="train")
    parser.add_argument("--emotion", default="task")
    parser.add_argument("--user", default="scripted", help="a name, module:callable, or a JSON object with 'kind'")
    given = parser.parse_args()
    app = make_app(
        given.domain,
        sessions=given.sessions,
        session_timeout=given.session_timeout,
        split=given.split,
        emotion=given.emotion,
        user=_user(given.user),
    )
    uvicorn.run(app, host=given.host, port=given.port, log_level="warning")


def _user(text: str) -> Any:
    return json.loads(text) if text.startswith("{") else text


if __name__ == "__main__":
    main()
