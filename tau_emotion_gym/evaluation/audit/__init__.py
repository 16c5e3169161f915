"""The audit of simulated users: what is wrong with their messages, and whose fault a failure is.

report = audit_path("runs/my-run")
report.spoilt_failed                  # the share of failed episodes with a fault of the simulator
[finding for episode in report.episodes for finding in episode.findings]
"""

from tau_emotion_gym.evaluation.audit.adherence import Fit, adherence
from tau_emotion_gym.evaluation.audit.faults import AgentFault, agent_faults
from tau_emotion_gym.evaluation.audit.findings import FAULTS, Finding, Kind
from tau_emotion_gym.evaluation.audit.judge import Judge
from tau_emotion_gym.evaluation.audit.report import EpisodeAudit, KindCount, Rate, UserAudit, audit, audit_record
from tau_emotion_gym.evaluation.audit.rules import findings_of
from tau_emotion_gym.evaluation.audit.sources import audit_path, audit_paths
from tau_emotion_gym.evaluation.audit.talk import Line, Talk, talk_of, text_talk

__all__ = [
    "FAULTS",
    "AgentFault",
    "EpisodeAudit",
    "Finding",
    "Fit",
    "Judge",
    "Kind",
    "KindCount",
    "Line",
    "Rate",
    "Talk",
    "UserAudit",
    "adherence",
    "agent_faults",
    "audit",
    "audit_path",
    "audit_paths",
    "audit_record",
    "findings_of",
    "talk_of",
    "text_talk",
]
