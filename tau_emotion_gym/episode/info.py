"""The flat `info` of an episode: the same keys with the same types from reset to the end."""

from typing import Any

from tau_emotion_gym.emotions import Event
from tau_emotion_gym.episode.episode import Episode
from tau_emotion_gym.episode.outcomes import Outcome
from tau_emotion_gym.episode.scoring import Score

EVENT_KEYS = tuple((event.value, f"event_{event.value}") for event in Event)

INFO_KEYS: dict[str, type] = {
    "task_id": str,
    "domain": str,
    "emotion": str,
    "episode_seed": str,
    "outcome": str,
    "satisfaction": float,
    "patience": float,
    **{key: float for _, key in EVENT_KEYS},
    "state_match": float,
    "outputs_match": float,
    "success": float,
    "violations": float,
    "strict_success": float,
    "tool_errors": float,
    "questions": float,
    "tool_calls": float,
    "steps": float,
    "user_fault": float,
    "mask_sample": float,
}
"""Key → type of every `info`. Flags are 0.0 or 1.0. `episode_seed` is a string, as a 64-bit integer does
not fit a float."""

NEUTRAL = "neutral"
"""What stands under "emotion" when there is none; also a name that `emotion=` takes."""

_KEY_OF = dict(EVENT_KEYS)
_BLANK: dict[str, Any] = {key: kind() for key, kind in INFO_KEYS.items()}


def info(episode: Episode, result: Score | None = None) -> dict[str, Any]:
    """A fresh `info` dict of the episode as it stands; match flags are 0.0 until the end.

    Args:
        episode: the episode.
        result: its score, when the caller has it already.
    """
    found = _BLANK.copy()
    found["task_id"] = episode.task.id
    found["domain"] = episode.domain.name
    found["emotion"] = NEUTRAL if episode.condition is None else episode.condition.path
    found["episode_seed"] = str(episode.seed)
    found["satisfaction"] = float(episode.affect.satisfaction)
    found["patience"] = float(episode.affect.patience)
    for event, count in episode.events.items():
        found[_KEY_OF[event]] = float(count)
    found["violations"] = float(len(episode.violations))
    found["tool_errors"] = float(episode.tool_errors)
    found["questions"] = float(episode.questions)
    found["tool_calls"] = float(episode.tool_calls)
    found["steps"] = float(episode.steps)
    if episode.outcome is not None:
        _add_end(found, episode, result or episode.score())
    return found


def _add_end(found: dict[str, Any], episode: Episode, result: Score) -> None:
    found["outcome"] = str(result.outcome)
    found["state_match"] = float(result.state_match)
    found["outputs_match"] = float(result.outputs_match)
    found["success"] = float(result.success)
    found["strict_success"] = float(result.strict_success)
    found["user_fault"] = float(episode.user_fault)
    found["mask_sample"] = float(result.outcome is Outcome.INFRASTRUCTURE)
