"""How agents behave: calls and questions by kind, how they go together with success, and what questions cause.

report_behaviour(behaviours_of(records("runs/mine")))
study(config, "runs/mine-interventions")
"""

from tau_emotion_gym.evaluation.behaviour.episodes import Behaviour, behaviour_of, behaviours_of
from tau_emotion_gym.evaluation.behaviour.relation import (
    MEASURES,
    BehaviourReport,
    Interval,
    Relation,
    relation,
    report_behaviour,
    spearman,
)
from tau_emotion_gym.evaluation.behaviour.study import ARMS, Effect, Study, arm_config, compare_arms, study

__all__ = [
    "ARMS",
    "MEASURES",
    "Behaviour",
    "BehaviourReport",
    "Effect",
    "Interval",
    "Relation",
    "Study",
    "arm_config",
    "behaviour_of",
    "behaviours_of",
    "compare_arms",
    "relation",
    "report_behaviour",
    "spearman",
    "study",
]
