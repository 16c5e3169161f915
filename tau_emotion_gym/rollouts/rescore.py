"""New scores for a run, from its log alone: every episode is played again without agent and user."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.episode.scoring import check_reward
from tau_emotion_gym.errors import TauEmotionError, UnknownName
from tau_emotion_gym.rollouts.folder import RunFolder
from tau_emotion_gym.rollouts.record import Record, line_of, record_of
from tau_emotion_gym.rollouts.replay import ReplayError, replay

RESCORED = "episodes.rescored.jsonl"
"""The new log, beside the old one, which stays as it is."""

SCORED = (
    "outcome",
    "reward",
    "terms",
    "success",
    "strict_success",
    "state_match",
    "outputs_match",
    "differences",
    "missing",
    "violations",
    "user_fault",
)
"""The attributes of a record that rescoring is about."""


class Rescored(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a rescoring.

    Attributes:
        file: the new log.
        read: episodes in the old log.
        changed: episode → the attributes of its score that are others now.
        gained, lost: episodes that are a success now and were none, and the reverse.
        unplayable: episode → why it cannot be played again. These are not in the new log.
    """

    file: Path
    read: int
    changed: dict[str, tuple[str, ...]]
    gained: int
    lost: int
    unplayable: dict[str, str]


def rescore(path: str | Path, *, reward: Mapping[str, float] | None = None) -> Rescored:
    """Score the episodes of a run anew, by the rules and data of this version of the package.

    Args:
        path: the run's folder.
        reward: weights of reward terms that differ from the default; the run's own when None.

    Raises:
        DataError: no run is there, or its log is damaged.
        UnknownName: a reward term does not exist.
        TauEmotionError: the new log cannot be written.
    """
    folder = RunFolder.open(path)
    settings = folder.episode_settings
    if reward is not None:
        settings["reward"] = check_reward(reward)
    file = folder.path / RESCORED
    draft = file.with_suffix(".draft")
    read = gained = lost = 0
    changed: dict[str, tuple[str, ...]] = {}
    unplayable: dict[str, str] = {}
    try:
        with draft.open("wb") as stream:
            for old in folder.records():
                read += 1
                try:
                    new = rescored(old, settings)
                except (ReplayError, UnknownName) as error:
                    unplayable[old.place.key] = str(error)
                    continue
                stream.write(line_of(new))
                if found := tuple(name for name in SCORED if getattr(old, name) != getattr(new, name)):
                    changed[old.place.key] = found
                gained += new.success > old.success
                lost += new.success < old.success
        draft.replace(file)
    except OSError as error:
        raise TauEmotionError(f"{file} cannot be written: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)
    return Rescored(file=file, read=read, changed=changed, gained=gained, lost=lost, unplayable=unplayable)


def rescored(record: Record, settings: Mapping[str, Any]) -> Record:
    """The record of the same dialogue as it is scored now.

    Args:
        record: the record.
        settings: arguments of `Episode` under which it is played.

    Raises:
        UnknownName: its domain or task no longer exists.
        ReplayError: the dialogue runs otherwise than the record says.
    """
    return record_of(
        replay(record, **settings),
        record.place,
        record.signals,
        asides={int(number): text for number, text in record.asides.items()},
        agent_usage=record.agent_usage,
        user_usage=record.user_usage,
        seconds=record.seconds,
    )
