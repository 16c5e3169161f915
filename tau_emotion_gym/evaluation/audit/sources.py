"""Where episodes to audit come from: run folders, and result files from elsewhere."""

from collections.abc import Sequence
from pathlib import Path

from tau_emotion_gym.evaluation.audit.judge import Judge
from tau_emotion_gym.evaluation.audit.report import UserAudit, audit, summary
from tau_emotion_gym.evaluation.foreign import is_results_file, read_results
from tau_emotion_gym.evaluation.runs import label
from tau_emotion_gym.rollouts.folder import RunFolder


def audit_paths(paths: Sequence[str | Path], *, judge: Judge | None = None) -> list[UserAudit]:
    """Audit runs and result files, one report for each user model.

    Args:
        paths: run folders, and result files of the τ-bench family.
        judge: a model that looks for more.

    Raises:
        DataError: a path is neither.
    """
    found: dict[str, list[UserAudit]] = {}
    for path in paths:
        one = audit_path(path, judge=judge)
        found.setdefault(one.user, []).append(one)
    return [_together(audits) for audits in found.values()]


def audit_path(path: str | Path, *, judge: Judge | None = None) -> UserAudit:
    """Audit a run folder, or a result file of the τ-bench family as far as its text allows.

    Raises:
        DataError: the path is neither.
    """
    if is_results_file(path):
        results = read_results(path)
        told = {one.record.place.key: one.told or () for one in results.episodes}
        return audit(results.records, user=results.user or "unknown user", told=told, judge=judge)
    folder = RunFolder.open(path)
    return audit(folder.records(), user=label(folder.config.user), settings=folder.episode_settings, judge=judge)


def _together(audits: list[UserAudit]) -> UserAudit:
    if len(audits) == 1:
        return audits[0]
    return summary(
        [episode for one in audits for episode in one.episodes],
        user=audits[0].user,
        excluded=sum(one.excluded for one in audits),
        judge=audits[-1].judge,
    )
