"""Why a foreign episode ended, as far as its file tells."""

from collections.abc import Mapping
from typing import Any

from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.evaluation.foreign.turns import Dialogue

UNKNOWN = "unknown"
"""The outcome of an episode whose file does not tell why it ended."""

_MARKS = {
    "STOP": str(Outcome.SATISFIED),
    "UNSATISFIED": str(Outcome.DISSATISFIED),
    "DISSATISFIED": str(Outcome.DISSATISFIED),
    "TRANSFER": str(Outcome.HANDED_OFF),
}

_REASONS = {
    "max_steps": str(Outcome.STEP_LIMIT),
    "timeout": str(Outcome.STEP_LIMIT),
    "context_window_exceeded": str(Outcome.CONTEXT_LIMIT),
    "infrastructure_error": str(Outcome.INFRASTRUCTURE),
    "unexpected_error": str(Outcome.INFRASTRUCTURE),
    "user_error": str(Outcome.INFRASTRUCTURE),
}
"""Termination reasons of τ²-bench that say it all; "user_stop" and "agent_stop" leave it to the dialogue. What
the agent did wrong ("agent_error", "too_many_errors") is no outcome of ours and stays unknown."""


def problem(entry: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    """What broke an episode that was never finished; "" for a finished one."""
    for source in (info, entry):
        for key in ("error", "traceback"):
            if isinstance(source.get(key), str) and source[key].strip():
                return str(source[key]).strip()
    return ""


def outcome(entry: Mapping[str, Any], info: Mapping[str, Any], talk: Dialogue, reward: float) -> str:
    """An `Outcome`, or `UNKNOWN`: by what the file says, else by how the dialogue ends.

    An episode that the customer did not end and that was not handed over ended at the harness's limit of steps,
    if anything was said in it.
    """
    reason = entry.get("termination_reason")
    if reason in _REASONS:
        return _REASONS[reason]
    if _abandoned(info) or reward < 0:
        return str(Outcome.DISSATISFIED)
    mark = talk.marks[-1] if talk.marks else ""
    if mark:
        return _MARKS.get(mark, UNKNOWN)
    if any(call.name.startswith("transfer_to_human") for call in talk.calls[-1:]):
        return str(Outcome.HANDED_OFF)
    if reason == "user_stop":
        return str(Outcome.SATISFIED)
    if reason or not talk.turns:
        return UNKNOWN
    return str(Outcome.STEP_LIMIT)


def _abandoned(info: Mapping[str, Any]) -> bool:
    """Whether the file says that the customer gave up: scoring was skipped for that reason."""
    reward_info = info.get("reward_info")
    details = reward_info.get("info") if isinstance(reward_info, dict) else None
    return isinstance(details, dict) and details.get("reason") == "user_abandoned"
