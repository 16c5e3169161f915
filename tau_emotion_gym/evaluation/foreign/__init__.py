"""Result files of the τ-bench family: somebody else's runs, read as records for figures, audit and behaviour.

    results = read_results("gpt-retail.json")
    rows = results_of(results.records, agent=results.agent, user=results.user)

Three forms are read: a JSON list of `{"task_id", "trial", "reward", "info", "traj"}` (τ-bench and what is built
on it), an object with `simulations` (τ²-bench), and either one's entries as JSON Lines.
"""

from tau_emotion_gym.evaluation.foreign.ends import UNKNOWN
from tau_emotion_gym.evaluation.foreign.results import ForeignRecord, ForeignResults, is_results_file, read_results

__all__ = ["UNKNOWN", "ForeignRecord", "ForeignResults", "is_results_file", "read_results"]
