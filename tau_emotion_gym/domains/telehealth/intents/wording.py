"""The decorator that joins samplers with their sentences in this folder."""

from pathlib import Path

from tau_emotion_gym.kit import Wishes

wish = Wishes(Path(__file__).parent)
