"""What every environment's page says in the same words: `shared.md`, with its tables made from the code."""

import inspect
import re
from functools import cache
from importlib.resources import files
from string import Template

from tau_emotion_gym.evaluation.pages.markdown import code, grid
from tau_emotion_gym.evaluation.pages.tables import outcomes_table, reward_table

HEADINGS = (
    "Description",
    "Policy",
    "Tools",
    "Action Space",
    "Observation Space",
    "Rewards",
    "Starting State",
    "Episode End",
    "Arguments",
    "Version History",
)
"""The headings of an environment's page, in order."""

_HEADING = re.compile(r"^## (.+)$", re.M)


@cache
def shared_sections() -> dict[str, str]:
    """Heading → text for all environments."""
    text = files(__package__).joinpath("shared.md").read_text(encoding="utf-8")
    tables = {"reward": reward_table(), "outcomes": outcomes_table(), "arguments": _arguments()}
    parts = _HEADING.split(Template(text).substitute(tables))
    return {heading: body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


def _arguments() -> str:
    """The keyword arguments of the environment's class, from its signature and docstring."""
    from tau_emotion_gym.envs.env import TauEmotionEnv
    from tau_emotion_gym.kit.schema import parse_docstring

    _, notes = parse_docstring(TauEmotionEnv)
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(TauEmotionEnv).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    rows = ((code(name), code(repr(default)), notes[name]) for name, default in defaults.items())
    return grid(("argument", "default", "meaning"), rows)
