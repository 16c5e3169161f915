"""The decorator that makes an intent of a sampler, with the sentences from the data beside it."""

from pathlib import Path

from tau_emotion_gym.kit import Wishes

wish = Wishes(Path(__file__).parent)
