"""TRL: conversations for `GRPOTrainer`, as an `environment_factory` (here) and as a `rollout_func` (`trl_rollout`).

    Env = make_trl_env("retail", user="scripted")
    trainer = GRPOTrainer(model, environment_factory=Env, reward_funcs=[success], args=GRPOConfig(reward_weights=[0.0]),
                          train_dataset=Dataset.from_list(environment_rows(rows("retail", 1000))))

With an `environment_factory`, TRL parses and runs the calls, and ends a rollout at the first message without one.
So the message to the customer is a tool here (`respond`), and a conversation that the model leaves early gets the
reward of a cut one. TRL runs the tools of a batch one after another: with a customer played by a model, use the
`rollout_func`, which asks all customers at once.

Nothing of TRL is imported here: written for TRL 1.16.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.integrations.core import ENDED, Desk, Result, Talk
from tau_emotion_gym.integrations.functions import RESPOND_SCHEMA, definition, method
from tau_emotion_gym.integrations.rows import Row

ONLY_BY_TOOL = (
    "In this setting you write to the customer by calling the tool `respond`, and by nothing else. What you write "
    "outside of a call reaches nobody and ends your work."
)
"""Added to the system prompt, since the reply to the customer is a tool here."""

_OWN = frozenset({"reset", "get_reward"})


class CallFailedError(TauEmotionError):
    """A call was malformed, or its tool refused it. TRL shows the model the message and counts the failure."""


class TrlEnv:
    """One rollout at a time; subclasses made by `make_trl_env` add a method per tool.

    Only what TRL looks for is public and a function: all else would be offered to the model.
    """

    _desk: Desk

    def __init__(self) -> None:
        self._talk: Talk = self._desk.talk()

    def reset(self, **row: Any) -> str:
        """Begin the row's episode; what the customer says first, which TRL appends to the prompt's last message."""
        return str(self._talk.start(row)[-1]["content"])

    def get_reward(self) -> float | None:
        """The reward; None where a server failed, which TRL leaves out of its group."""
        result = self._talk.finish()
        return None if result.mask_sample else result.reward

    @property
    def talk(self) -> Talk:
        """The conversation being played, or last played."""
        return self._talk

    @property
    def result(self) -> Result:
        """What came of it; one that still goes on is cut."""
        return self._talk.finish()

    def _run(self, name: str, arguments: dict[str, Any]) -> str:
        talk = self._talk
        if talk.over:
            return ENDED["content"]
        content = talk.act({"name": name, "arguments": arguments})["content"]
        if talk.episode.transcript[-1].error:
            raise CallFailedError(content.removeprefix("Error: "))
        return f"{content}\n[{ENDED['content']}]" if talk.over else content


def make_trl_env(domain: str, **settings: Any) -> type[TrlEnv]:
    """A class for `environment_factory`: a typed, documented method per tool of the domain, and `respond`.

    For several domains in one run, give TRL a mapping from names to classes, and rows an `environment` column.

    Args:
        domain: name of the domain, or path of its folder.
        settings: further arguments of `Desk`.

    Raises:
        TauEmotionError: a tool is called as a method that TRL needs.
        UnknownName, TypeError, ValueError: as `Desk`.
    """
    desk = Desk(domain, **settings)
    offered = desk.domain.offered(think_tool=desk.settings.think_tool)
    schemas = [*map(definition, offered), RESPOND_SCHEMA]
    if taken := _OWN & {schema["name"] for schema in schemas}:
        raise TauEmotionError(f"domain {desk.domain.name}: TRL needs the names of the tools {sorted(taken)} itself")
    methods: dict[str, Callable[..., Any]] = {schema["name"]: method(schema, TrlEnv._run) for schema in schemas}
    about = f"Conversations of the domain {desk.domain.title}."
    return type(f"{desk.domain.title}Env", (TrlEnv,), {"_desk": desk, "__doc__": about, **methods})


def environment_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows for the data set of an `environment_factory`: the prompt ends with a user message for the opening."""
    return [{**row, "prompt": [_told(row["prompt"][0]), {"role": "user", "content": ""}]} for row in rows]


def success(environments: list[TrlEnv], log_metric: Callable[[str, float], None], **_: Any) -> list[float | None]:
    """A reward function to be weighted 0: logs success, outcomes and shares that a shaped reward hides."""
    results = [env.result for env in environments]
    log_outcomes(results, log_metric)
    return [None if result.mask_sample else float(result.success) for result in results]


def log_outcomes(results: Iterable[Result], log_metric: Callable[[str, float], None]) -> None:
    """Log the share of each outcome, of successes and of masked samples."""
    found = list(results)
    for outcome in sorted({result.outcome for result in found}):
        log_metric(f"outcome/{outcome}", _share(result.outcome == outcome for result in found))
    log_metric("outcome/success", _share(result.success for result in found))
    log_metric("outcome/masked", _share(result.mask_sample for result in found))


def _told(system: Mapping[str, Any]) -> dict[str, Any]:
    return {**system, "content": f"{system['content']}\n\n{ONLY_BY_TOOL}"}


def _share(flags: Iterable[bool]) -> float:
    found = list(flags)
    return sum(found) / max(1, len(found))
