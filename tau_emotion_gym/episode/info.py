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


def info(episode: Episode, result: Score | None = None) -> dict[str, Any]:
    """A fresh `info` dict of the episode as it stands; match flags are 0.0 until the end.

    Args:
        episode: the episode.
        result: its score, when the caller has it already.
    """
    events = episode.events
    ended = episode.outcome is not None
    if ended and result is None:
        result = episode.score()
    found: dict[str, Any] = {
        "task_id": episode.task.id,
        "domain": episode.domain.name,
        "emotion": "" if episode.condition is None else episode.condition.path,
        "episode_seed": str(episode.seed),
        "outcome": str(episode.outcome or ""),
        "satisfaction": float(episode.affect.satisfaction),
        "patience": float(episode.affect.patience),
    }
    for event, key in EVENT_KEYS:
        found[key] = float(events[event]) if event in events else 0.0
    found["state_match"] = float(result.state_match) if result else 0.0
    found["outputs_match"] = float(result.outputs_match) if result else 0.0
    found["success"] = float(result.success) if result else 0.0
    found["violations"] = float(len(episode.violations))
    found["strict_success"] = float(result.strict_success) if result else 0.0
    found["tool_errors"] = float(episode.tool_errors)
    found["questions"] = float(episode.questions)
    found["tool_calls"] = float(episode.tool_calls)
    found["steps"] = float(episode.steps)
    found["user_fault"] = float(episode.user_fault)
    found["mask_sample"] = 1.0 if episode.outcome is Outcome.INFRASTRUCTURE else 0.0
    return found
