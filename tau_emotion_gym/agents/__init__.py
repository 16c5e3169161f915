"""Who acts: the reference agent and the baselines. Each sees observations and gives actions."""

from tau_emotion_gym.agents.base import Agent, agent_names, make_agent
from tau_emotion_gym.agents.baselines import NullAgent, RefuseAllAgent, TransferOnlyAgent
from tau_emotion_gym.agents.friction import FrictionAgent
from tau_emotion_gym.agents.play import play
from tau_emotion_gym.agents.reference import ReferenceAgent

__all__ = [
    "Agent",
    "FrictionAgent",
    "NullAgent",
    "ReferenceAgent",
    "RefuseAllAgent",
    "TransferOnlyAgent",
    "agent_names",
    "make_agent",
    "play",
]
