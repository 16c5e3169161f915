"""What the agent may call."""

from tau_emotion_gym.domains.airline.tools.reads import READS
from tau_emotion_gym.domains.airline.tools.writes import WRITES

TOOLS = READS + WRITES
