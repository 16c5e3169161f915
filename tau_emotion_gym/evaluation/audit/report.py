"""The audit of a run: what was found in which episode, and how often the simulator was at fault."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tau_emotion_gym.evaluation.audit.adherence import Fit, adherence
from tau_emotion_gym.evaluation.audit.faults import agent_faults
from tau_emotion_gym.evaluation.audit.findings import Finding, Kind
from tau_emotion_gym.evaluation.audit.judge import Judge
from tau_emotion_gym.evaluation.audit.rules import findings_of, unchecked
from tau_emotion_gym.evaluation.audit.talk import Talk, talk_of, text_talk
from tau_emotion_gym.evaluation.bootstrap import share
from tau_emotion_gym.rollouts.record import Record

JUDGED_AT_ONCE = 64
"""Conversations that a judging model is given together."""


class EpisodeAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The audit of one episode.

    Attributes:
        key: the episode's key.
        task: its domain and task.
        emotion: the path of its condition, or "neutral".
        outcome: why it ended.
        success: whether the customer was served.
        messages: how many messages the user wrote.
        findings: what is wrong with them.
        agent_faults: what the agent did wrong, where the episode failed.
        adherence: per dimension how far the user's wording fits its condition.
        unchecked: checks that could not be made, in words.
    """

    key: str
    task: tuple[str, str]
    emotion: str
    outcome: str
    success: bool
    messages: int
    findings: tuple[Finding, ...] = ()
    agent_faults: tuple[str, ...] = ()
    adherence: dict[str, Fit] = {}
    unchecked: tuple[str, ...] = ()

    @property
    def spoilt(self) -> bool:
        """Whether the simulator made a mistake in it, of whatever consequence."""
        return any(finding.fault for finding in self.findings)


class Rate(msgspec.Struct, frozen=True):
    """A share of episodes with its 95 % interval over tasks (see `evaluation.bootstrap.share`).

    Attributes:
        hits: how many of them.
        of: the episodes.
        value, low, high: share and interval; None where there is no episode.
    """

    hits: int
    of: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


class KindCount(msgspec.Struct, frozen=True):
    """How often a kind was found.

    Attributes:
        kind: the kind.
        findings: how many.
        episodes: in how many episodes.
        failed: in how many failed episodes.
    """

    kind: Kind
    findings: int
    episodes: int
    failed: int


class UserAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The audit of one user model; those of different models are never pooled.

    Attributes:
        user: name of the user model.
        episodes: the audited episodes.
        excluded: episodes that a server spoilt; they are not audited.
        messages: how many messages the user wrote.
        spoilt: episodes with a fault of the simulator.
        spoilt_failed: failed episodes with one.
        kinds: the kinds that were found, the most frequent first.
        agent_faults: category → failed episodes.
        adherence: per dimension how far the user's wording fits its condition.
        unchecked: check that could not be made → episodes.
        judge: what became of the judging model, in words; "" without one.
    """

    user: str
    episodes: tuple[EpisodeAudit, ...]
    excluded: int
    messages: int
    spoilt: Rate
    spoilt_failed: Rate
    kinds: tuple[KindCount, ...]
    agent_faults: dict[str, int]
    adherence: dict[str, Fit]
    unchecked: dict[str, int]
    judge: str = ""


def audit(
    records: Iterable[Record],
    *,
    user: str = "",
    settings: Mapping[str, Any] | None = None,
    told: Mapping[str, Sequence[str]] | None = None,
    judge: Judge | None = None,
) -> UserAudit:
    """Audit the episodes of one user model.

    Args:
        records: the episodes.
        user: the model's name, for the report.
        settings: arguments of `Episode` under which the run was played (`RunFolder.episode_settings`).
        told: for episodes from elsewhere: key → what the user was told.
        judge: a model that looks for more.
    """
    audits: list[EpisodeAudit] = []
    excluded = 0
    for batch in _batches(records, JUDGED_AT_ONCE):
        kept = [record for record in batch if not record.excluded]
        excluded += len(batch) - len(kept)
        talks = [_talk(record, settings or {}, told) for record in kept]
        judged = judge.findings_many(talks) if judge else [()] * len(talks)
        audits += [_audited(*row) for row in zip(kept, talks, judged, strict=True)]
    return summary(audits, user=user, excluded=excluded, judge=judge.state if judge else "")


def audit_record(record: Record, settings: Mapping[str, Any] | None = None) -> EpisodeAudit:
    """The audit of one episode by rule.

    Args:
        record: the episode.
        settings: arguments of `Episode` under which the run was played.
    """
    return _audited(record, _talk(record, settings or {}, None), ())


def _talk(record: Record, settings: Mapping[str, Any], told: Mapping[str, Sequence[str]] | None) -> Talk:
    key = record.place.key
    if told is None:
        return talk_of(record, **settings)
    return text_talk(
        key, record.transcript, outcome=record.outcome, signals=record.signals, knows=told.get(key) or None
    )


def _audited(record: Record, talk: Talk, judged: tuple[Finding, ...]) -> EpisodeAudit:
    found = findings_of(talk)
    seen = {(finding.kind, finding.turn) for finding in found}
    more = tuple(finding for finding in judged if (finding.kind, finding.turn) not in seen)
    return EpisodeAudit(
        key=record.place.key,
        task=(record.place.domain, record.place.task_id),
        emotion=record.place.emotion,
        outcome=record.outcome,
        success=record.success,
        messages=len(talk.user_lines),
        findings=tuple(sorted((*found, *more), key=lambda finding: finding.turn)),
        agent_faults=tuple(map(str, agent_faults(record, talk))),
        adherence=adherence(talk),
        unchecked=unchecked(talk),
    )


def summary(audits: Sequence[EpisodeAudit], *, user: str, excluded: int = 0, judge: str = "") -> UserAudit:
    """The figures of some audited episodes of one user model."""
    failed = [one for one in audits if not one.success]
    fits: dict[str, Fit] = defaultdict(Fit)
    for one in audits:
        for dimension, fit in one.adherence.items():
            fits[dimension] += fit
    return UserAudit(
        user=user,
        episodes=tuple(audits),
        excluded=excluded,
        messages=sum(one.messages for one in audits),
        spoilt=_rate(audits),
        spoilt_failed=_rate(failed),
        kinds=tuple(_kinds(audits)),
        agent_faults=dict(Counter(fault for one in failed for fault in one.agent_faults).most_common()),
        adherence=dict(fits),
        unchecked=dict(Counter(check for one in audits for check in one.unchecked).most_common()),
        judge=judge,
    )


def _rate(audits: Sequence[EpisodeAudit]) -> Rate:
    tasks: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in audits:
        tasks[one.task].append(one.spoilt)
    found = share([sum(some) for some in tasks.values()], [len(some) for some in tasks.values()], trials=len(audits))
    return Rate(sum(one.spoilt for one in audits), len(audits), found.value, found.low, found.high)


def _kinds(audits: Sequence[EpisodeAudit]) -> Iterator[KindCount]:
    findings = Counter(finding.kind for one in audits for finding in one.findings)
    for kind, count in findings.most_common():
        having = [one for one in audits if any(finding.kind is kind for finding in one.findings)]
        yield KindCount(kind, count, len(having), sum(not one.success for one in having))


def _batches(records: Iterable[Record], size: int) -> Iterator[list[Record]]:
    batch: list[Record] = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch
