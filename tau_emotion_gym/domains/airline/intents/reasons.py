"""Reasons for cancelling, in the customer's words and the agent's."""

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.records import Reservation
from tau_emotion_gym.kit import Fact, Situation

REASON_WORDS = {
    "change_of_plans": "your change of plans",
    "airline_cancelled": "the flight that the airline called off",
    "illness": "illness",
    "bereavement": "a death in the family",
    "severe_weather": "severe weather",
}
"""What stands behind "because of" in the agent's mouth."""

_SAID = {
    "change_of_plans": ("my plans have changed", "I no longer need to make the trip", "the occasion has been moved"),
    "airline_cancelled": ("you cancelled the flight yourselves", "the airline called the flight off"),
    "illness": ("I have fallen ill", "my doctor has told me not to fly", "I have come down with pneumonia"),
    "bereavement": ("there has been a death in the family", "my uncle has died", "my grandfather has passed away"),
    "severe_weather": ("a severe storm is forecast there", "there is a hurricane warning for that day"),
}
_FREE = ("change_of_plans", "illness", "bereavement", "severe_weather")
_COVERED = ("illness", "bereavement", "severe_weather")


def said_reason(s: Situation, reason: str) -> Fact:
    """The reason as a detail that the customer knows."""
    return Fact("reason", reason, s.draw.pick(_SAID[reason]))


def reason_fact(s: Situation, trip: Reservation) -> Fact:
    """A reason for which the policy lets this trip be cancelled."""
    if terms.airline_cancelled(s.world, trip):
        return said_reason(s, "airline_cancelled")
    free = terms.recent(s.world, trip) or trip.cabin == "business"
    return said_reason(s, s.draw.pick(_FREE if free else _COVERED))
