"""Evaluating: many episodes played and judged."""

from tau_emotion_gym.evaluation.coverage import leaf_grid, twenty_seven_conditions
from tau_emotion_gym.evaluation.domain_check import CheckReport, Line, check
from tau_emotion_gym.evaluation.trials import NEUTRAL, Batch, Trial, batches, run_batch, run_batches

__all__ = [
    "NEUTRAL",
    "Batch",
    "CheckReport",
    "Line",
    "Trial",
    "batches",
    "check",
    "leaf_grid",
    "run_batch",
    "run_batches",
    "twenty_seven_conditions",
]
