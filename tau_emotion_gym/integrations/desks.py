"""One desk for all conversations of a process that have the same settings, where a trainer makes an object for each."""

import json
from functools import cache
from typing import Any

from tau_emotion_gym.integrations.core import Desk


def desk_settings(**settings: Any) -> str:
    """Arguments of `Desk` as JSON, in one order.

    Raises:
        TypeError: one has no form in JSON, such as a live object.
    """
    return json.dumps(settings, sort_keys=True)


@cache
def desk_of(settings: str) -> Desk:
    """The desk of such arguments, with its user and its clients.

    Raises:
        UnknownName, TypeError, ValueError: as `Desk`.
    """
    return Desk(**json.loads(settings))
