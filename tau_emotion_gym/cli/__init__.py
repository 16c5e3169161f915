"""`tau-emotion`: the command line."""

from tau_emotion_gym.cli.app import app, main

__all__ = ["app", "main"]
