"""Juniper Air: flights, reservations, bags, certificates."""

from tau_emotion_gym.domains.airline.identify import identify
from tau_emotion_gym.domains.airline.intents import INTENTS
from tau_emotion_gym.domains.airline.records import RECORDS
from tau_emotion_gym.domains.airline.rules import REASONS, RULES
from tau_emotion_gym.domains.airline.slots import SLOTS
from tau_emotion_gym.domains.airline.tools import TOOLS
from tau_emotion_gym.domains.airline.world import build
from tau_emotion_gym.kit import Domain

DOMAIN = Domain(
    name="airline",
    title="Airline",
    ordinal=1,
    summary="An airline's service desk: book, change and cancel trips, bags, insurance, compensation.",
    file=__file__,
    records=RECORDS,
    tools=TOOLS,
    rules=RULES,
    intents=INTENTS,
    slots=SLOTS,
    build=build,
    identify=identify,
    identify_tools=("find_customer_by_email", "find_customer_by_name_birth_date"),
    identity_slots=("email", "name", "birth_date"),
    reasons=REASONS,
)
