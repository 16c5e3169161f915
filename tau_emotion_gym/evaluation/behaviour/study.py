"""The interventional study: the same agent, tasks, seeds and users, with its questions capped, forced or bundled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from tau_emotion_gym.errors import TauEmotionError, unknown
from tau_emotion_gym.evaluation.behaviour.episodes import Behaviour, behaviours_of
from tau_emotion_gym.evaluation.paired import Difference, Pair, compare, differ
from tau_emotion_gym.evaluation.results import Result
from tau_emotion_gym.evaluation.runs import read_run
from tau_emotion_gym.rollouts import Knobs, Progress, RunConfig, RunFolder, run_sync
from tau_emotion_gym.rollouts.folder import exists

ORIGINAL = "original"

ARMS: Mapping[str, Mapping[str, Any]] = {"capped": {"questions": 3}, "forced": {}, "bundled": {}, "split": {}}
"""Interventions with their options (see `agents.interventions`)."""


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What one intervention does.

    Attributes:
        arm: its name.
        success: success under it less success of the original, over pairs of the same task, arm of emotion and trial.
        left: the same for episodes that the customer left.
        questions: things asked in an episode: (under it, original); None without a pair.
        tool_calls: calls in an episode: (under it, original); None without a pair.
    """

    arm: str
    success: Difference
    left: Difference
    questions: tuple[float, float] | None
    tool_calls: tuple[float, float] | None


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """An interventional study of one agent with one user.

    Attributes:
        agent, user: names.
        episodes: how many the original has.
        effects: one for each intervention.
    """

    agent: str
    user: str
    episodes: int
    effects: tuple[Effect, ...]


def arm_config(config: RunConfig, arm: str) -> RunConfig:
    """The configuration of a run with an intervention on its agent.

    Raises:
        UnknownName: no such intervention.
    """
    if arm not in ARMS:
        raise unknown("intervention", arm, ARMS)
    return msgspec.structs.replace(config, agent={"kind": arm, **ARMS[arm], "agent": config.agent})


def study(
    config: RunConfig,
    folder: str | Path,
    *,
    arms: Sequence[str] = tuple(ARMS),
    original: str | Path | None = None,
    knobs: Knobs | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Study:
    """Play a run as it is and under interventions, and compare. What was played before is not played again.

    Args:
        config: the run, with the agent as it is.
        folder: where the runs stand: a folder for each arm.
        arms: which interventions.
        original: the folder of the run as it is, where it has been played.
        knobs: throughput and limits.
        progress: called after every episode.

    Raises:
        UnknownName: no such intervention.
        TauEmotionError: `original` holds another run.
    """
    wanted = {arm: arm_config(config, arm) for arm in arms}
    plain = Path(original or Path(folder) / ORIGINAL)
    if original is not None:
        RunFolder.open(plain).check_same(config)
    else:
        _play(plain, config, knobs, progress)
    for arm, changed in wanted.items():
        _play(Path(folder) / arm, changed, knobs, progress)
    return compare_arms(plain, {arm: Path(folder) / arm for arm in arms})


def compare_arms(original: Path, arms: Mapping[str, Path]) -> Study:
    """The effects of interventions, from the folders of their runs.

    Raises:
        TauEmotionError: nothing was scored in the original.
    """
    run = read_run(original)
    before = behaviours_of(RunFolder.open(original).records())
    if not before:
        raise TauEmotionError(f"{original}: no episode to compare with")
    effects = tuple(_effect(arm, path, run.rows, before) for arm, path in arms.items())
    return Study(agent=run.agent, user=run.user, episodes=len(before), effects=effects)


def _effect(arm: str, path: Path, original: Sequence[Result], before: Sequence[Behaviour]) -> Effect:
    after = behaviours_of(RunFolder.open(path).records())
    pairs = list(_pairs(after, before))
    return Effect(
        arm=arm,
        success=compare(read_run(path).rows, original),
        left=differ(
            [Pair(one.task, float(one.left), float(other.left)) for one, other in pairs],
            left_out=len(after) + len(before) - 2 * len(pairs),
            observations=len(pairs),
        ),
        questions=_means(pairs, lambda one: one.questions),
        tool_calls=_means(pairs, lambda one: one.tool_calls),
    )


def _pairs(after: Sequence[Behaviour], before: Sequence[Behaviour]) -> Iterator[tuple[Behaviour, Behaviour]]:
    """The same episode in both runs."""
    known = {one.key: one for one in before}
    return ((one, known[one.key]) for one in after if one.key in known)


def _means(pairs: Sequence[tuple[Behaviour, Behaviour]], of: Callable[[Behaviour], int]) -> tuple[float, float] | None:
    if not pairs:
        return None
    return fmean(of(one) for one, _ in pairs), fmean(of(other) for _, other in pairs)


def _play(path: Path, config: RunConfig, knobs: Knobs | None, progress: Callable[[Progress], None] | None) -> None:
    run_sync(path, config, knobs, resume=exists(path), progress=progress)
