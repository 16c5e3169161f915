"""Adapters to trainers: one core (`core`, `rows`), and a thin file per trainer.

The core hands out messages, tool schemas and rewards, and never templated text. Nothing here is imported by the
rest of the package, and each trainer's own package only by its own file.
"""

from tau_emotion_gym.integrations.core import Desk, Result, Talk
from tau_emotion_gym.integrations.rows import Row, rows

__all__ = ["Desk", "Result", "Row", "Talk", "rows"]
