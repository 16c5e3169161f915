"""How people ask for and give each detail: `slots.json`."""

from pathlib import Path

from tau_emotion_gym.kit import read_slots

SLOTS = read_slots(Path(__file__).parent)
