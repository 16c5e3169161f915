"""Evaluating: many episodes played and judged."""

from tau_emotion_gym.evaluation.coverage import leaf_grid, twenty_seven_conditions
from tau_emotion_gym.evaluation.difficulty import Difficulty, difficulties, traps
from tau_emotion_gym.evaluation.domain_check import CheckReport, Line, check
from tau_emotion_gym.evaluation.metrics import Figure, HolesError, avg_at_k, pass_at_k, pass_hat_k
from tau_emotion_gym.evaluation.paired import compare, paired
from tau_emotion_gym.evaluation.report import Report, Reports, report_on
from tau_emotion_gym.evaluation.report_tables import to_markdown
from tau_emotion_gym.evaluation.results import Result, results_of
from tau_emotion_gym.evaluation.trials import NEUTRAL, Batch, Trial, batches, run_batch, run_batches

__all__ = [
    "NEUTRAL",
    "Batch",
    "CheckReport",
    "Difficulty",
    "Figure",
    "HolesError",
    "Line",
    "Report",
    "Reports",
    "Result",
    "Trial",
    "avg_at_k",
    "batches",
    "check",
    "compare",
    "difficulties",
    "leaf_grid",
    "paired",
    "pass_at_k",
    "pass_hat_k",
    "report_on",
    "results_of",
    "run_batch",
    "run_batches",
    "to_markdown",
    "traps",
    "twenty_seven_conditions",
]
