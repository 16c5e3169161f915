"""SkyRL-Gym: conversations as a `BaseTextEnv`.

    register("tau-retail", "retail", emotion="random")
    data = text_rows("tau-retail", rows("retail", 1000, tools_in_prompt=True))

`register` has to run in the process that makes the environments, which in SkyRL is the entry point that is remote.
An action is the text of a completion with its tool calls in it; SkyRL gives no tools to the chat template, so the
prompt describes them. Needs the extra `skyrl`; written for skyrl-gym 0.4.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tau_emotion_gym.envs.chat import Message
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.integrations.core import Result
from tau_emotion_gym.integrations.desks import desk_of, desk_settings
from tau_emotion_gym.integrations.plain import as_user_text
from tau_emotion_gym.integrations.rows import Row

try:
    import skyrl_gym
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
except ImportError as error:
    raise ImportError("this needs skyrl-gym: pip install 'tau-emotion-gym[skyrl]'") from error

KEPT = ("success", "strict_success", "satisfaction", "patience", "violations", "tool_errors", "questions", "steps")
"""Numbers of a conversation's `info` that are metrics."""


def register(name: str, domain: str, **settings: Any) -> None:
    """Make an environment known to SkyRL-Gym, under the name that stands in rows as `env_class`.

    Args:
        name: what SkyRL calls it.
        domain: name of the domain, or path of its folder.
        settings: further arguments of `Desk`, as JSON-able values; `tools_in_prompt` is on.

    Raises:
        skyrl_gym.error.RegistrationError: the name is taken.
        UnknownName, TypeError, ValueError: as `Desk`.
    """
    given = desk_settings(**{"domain": str(domain), "tools_in_prompt": True, **settings})
    desk_of(given)
    skyrl_gym.register(id=name, entry_point=f"{__name__}:TauTextEnv", kwargs={"desk": given})


def text_rows(name: str, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows for SkyRL's data set, each with the name of its environment."""
    return [{**row, "env_class": name} for row in rows]


class TauTextEnv(BaseTextEnv):
    """One conversation.

    The reward comes with the last step. A conversation that runs out of turns counts as cut; `metadata` then says
    `truncated`, which SkyRL itself does not know, and in its last step holds `outcome`, `reward_terms` and
    `mask_sample`: a server failed, leave the sample out. A step after the end changes nothing and pays nothing.

    Args:
        desk: arguments of `Desk`, as JSON.
        env_config: not looked at.
        extras: the row: any of `ROW_KEYS`, and `max_turns`, how many answers the model may give.
    """

    def __init__(self, desk: str, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._row = dict(extras or {})
        self.max_turns = self._row.get("max_turns")
        self._talk = desk_of(desk).talk()
        self._paid = False

    def init(self, prompt: list[Message]) -> tuple[list[Message], dict[str, Any]]:
        """The row's prompt with the customer's opening behind it; without a prompt, the desk's own."""
        system, *opening = self._talk.start(self._row)
        self.turns, self._paid = 0, False
        spoken = {"role": "user", "content": as_user_text(opening)}
        return [*(prompt or [system]), spoken], {"task_id": self._talk.episode.task.id}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Carry out what the model wrote."""
        self.turns += 1
        news = self._talk.send(action)
        done = self._talk.over or (self.max_turns is not None and self.turns >= self.max_turns)
        result = self._talk.finish() if done else None
        reward = 0.0 if result is None or self._paid else result.reward
        self._paid = done
        return BaseTextEnvStepOutput(
            observations=[{"role": "user", "content": as_user_text(news)}] if news else [],
            reward=reward,
            done=done,
            metadata=_metadata(result) if result else {},
            postprocessed_action=None,
        )

    def get_metrics(self) -> dict[str, Any]:
        """Numbers of the conversation, the raw outcome among them; SkyRL shows their means."""
        if not self._talk.begun:
            return {}
        result = self._talk.finish()
        outcomes = {f"outcome/{outcome}": float(result.outcome == outcome) for outcome in Outcome}
        return {**{key: result.info[key] for key in KEPT}, "mask_sample": float(result.mask_sample), **outcomes}


def _metadata(result: Result) -> dict[str, Any]:
    return {
        "outcome": result.outcome,
        "success": result.success,
        "truncated": result.truncated,
        "mask_sample": result.mask_sample,
        "detail": result.detail,
        "reward_terms": result.terms,
    }
