"""Evaluating: many episodes played and judged."""

from tau_emotion_gym.evaluation.coverage import leaf_grid, twenty_seven_conditions
from tau_emotion_gym.evaluation.difficulty import Difficulty, difficulties, traps
from tau_emotion_gym.evaluation.domain_check import CheckReport, Line, check
from tau_emotion_gym.evaluation.trials import NEUTRAL, Batch, Trial, batches, run_batch, run_batches

__all__ = [
    "NEUTRAL",
    "Batch",
    "CheckReport",
    "Difficulty",
    "Line",
    "Trial",
    "batches",
    "check",
    "difficulties",
    "leaf_grid",
    "run_batch",
    "run_batches",
    "traps",
    "twenty_seven_conditions",
]
