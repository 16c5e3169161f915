"""Rows for tests of the evaluation, without playing."""

from collections.abc import Mapping, Sequence

from tau_emotion_gym.evaluation.results import Result, emotion_of
from tau_emotion_gym.rollouts import Place

FEAR = "fear/anxiety/cold/high/skeptical"


def row(task="t0", trial=0, success=True, *, domain="shop", arm="task", emotion=FEAR, seed="1", **fields) -> Result:
    """A finished episode; `success=None` for one that is still to be played, "excluded" for one that a server lost."""
    place = Place(domain, task, arm, trial, seed, emotion)
    if success is None:
        return Result(place=place, emotion=emotion_of(emotion))
    excluded = success == "excluded"
    fields = {"outcome": "infrastructure" if excluded else "satisfied", **fields}
    won = success is True
    return Result(
        place=place,
        emotion=emotion_of(emotion),
        finished=True,
        excluded=excluded,
        success=won,
        strict_success=won and not fields.get("violations"),
        **fields,
    )


def rows(table: Mapping[str, Sequence], **fields) -> list[Result]:
    """A row for each trial of each task: {"t0": [True, False, None], …}."""
    return [
        row(task, trial, success, **fields) for task, trials in table.items() for trial, success in enumerate(trials)
    ]
