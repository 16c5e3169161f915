"""The details that conversations with the clinic need."""

from pathlib import Path

from tau_emotion_gym.kit import read_slots

SLOTS = read_slots(Path(__file__).parent)
