"""Many `info` dicts as one dict of columns, in the layout of Gymnasium's vector environments."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tau_emotion_gym.episode import INFO_KEYS

Columns = dict[str, Any]
"""Key → array of length num_envs (float64, or objects for texts), and `_key` → boolean mask of who has it."""


def columns(infos: Sequence[dict[str, Any]], at: Sequence[int], num_envs: int) -> Columns:
    """The columns of the infos of some environments; the others have 0.0 or None, and False in the masks.

    Args:
        infos: complete infos, one per environment in `at`.
        at: indices of these environments.
        num_envs: length of the columns.
    """
    found: Columns = {}
    everyone = len(at) == num_envs
    places: slice | list[int] = slice(None) if everyone else list(at)
    mask = np.zeros(num_envs, dtype=np.bool_)
    mask[places] = True
    rows = zip(*(info.values() for info in infos), strict=True)
    for (key, kind), values in zip(INFO_KEYS.items(), rows, strict=True):
        column: NDArray[Any] = (
            np.full(num_envs, None, dtype=object) if kind is str else np.zeros(num_envs, dtype=np.float64)
        )
        column[places] = values
        found[key] = column
        found[f"_{key}"] = mask.copy()
    return found


def add_final(
    found: Columns, observations: Sequence[Any], infos: Sequence[dict[str, Any]], at: Sequence[int], num_envs: int
) -> None:
    """Add the last observations and infos of episodes that ended in this step, as `final_obs` and `final_info`."""
    final = np.full(num_envs, None, dtype=object)
    mask = np.zeros(num_envs, dtype=np.bool_)
    for place, observation in zip(at, observations, strict=True):
        final[place] = observation
        mask[place] = True
    found["final_obs"] = final
    found["_final_obs"] = mask
    found["final_info"] = columns(infos, at, num_envs)
    found["_final_info"] = mask.copy()
