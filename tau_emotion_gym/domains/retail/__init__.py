"""Retail: the customer service of an online shop."""

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.retail.intents import INTENTS
from tau_emotion_gym.domains.retail.intents.handovers import REASONS
from tau_emotion_gym.domains.retail.records import RECORDS, Customer
from tau_emotion_gym.domains.retail.rules import RULES
from tau_emotion_gym.domains.retail.slots import SLOTS
from tau_emotion_gym.domains.retail.tools import TOOLS
from tau_emotion_gym.domains.retail.world import build
from tau_emotion_gym.kit import Call, Domain, Fact


def identify(customer: Customer, draw: Draw) -> tuple[tuple[Fact, ...], Call]:
    """By email address, or by full name and ZIP code."""
    if draw.chance(0.5):
        return (Fact("email", customer.email),), Call("find_customer_by_email", {"email": customer.email})
    return (
        (Fact("name", customer.name), Fact("zip", customer.zip)),
        Call("find_customer_by_name_zip", {"name": customer.name, "zip": customer.zip}),
    )


DOMAIN = Domain(
    name="retail",
    title="Retail",
    ordinal=0,
    summary="The customer service of an online shop: orders, returns, exchanges, payments and vouchers.",
    file=__file__,
    records=RECORDS,
    tools=TOOLS,
    rules=RULES,
    intents=INTENTS,
    slots=SLOTS,
    build=build,
    identify=identify,
    identify_tools=("find_customer_by_email", "find_customer_by_name_zip"),
    reasons=REASONS,
)
