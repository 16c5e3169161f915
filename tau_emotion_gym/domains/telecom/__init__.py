"""A mobile phone company: lines, plans, bills, faults and the people who depend on them."""

from pathlib import Path

from tau_emotion_gym.kit import Domain, read_slots

from .identity import identify
from .intents import INTENTS
from .records import Account, Bill, Device, Line, Outage, Ticket
from .rules import RULES
from .tools import TOOLS
from .world import build

DOMAIN = Domain(
    name="telecom",
    title="Telecom",
    ordinal=2,
    summary="A mobile phone company: plans and add-ons, bills, suspended lines, SIM cards, faults and tickets.",
    file=__file__,
    records=(Account, Line, Device, Bill, Outage, Ticket),
    tools=TOOLS,
    rules=RULES,
    intents=INTENTS,
    slots=read_slots(Path(__file__).parent),
    build=build,
    identify=identify,
    identify_tools=("find_account_by_phone", "find_account_by_email"),
    identity_slots=("phone", "zip", "email", "name"),
    reasons=("fraud", "port_out", "bereavement", "complaint", "other"),
)
