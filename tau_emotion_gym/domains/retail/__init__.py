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

CLOSING = ("cancel_order", "return_items", "exchange_items")
CHANGES = (
    *CLOSING, "change_order_address", "change_order_payment", "change_order_items", "apply_voucher",
)  # fmt: skip
EDGES_CUT = (
    *((closed, change) for closed in CLOSING for change in CHANGES if change != closed),
    *((shown, "find_customer_by_email") for shown in ("find_customer_by_name_zip", "get_customer")),
    ("change_default_address", "find_customer_by_email"),
    ("get_product", "return_items"),
    ("search_variants", "return_items"),
)
"""A closed order takes no more changes, a known customer is not looked for, and a catalogue returns nothing."""


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
    identity_slots=("email", "name", "zip"),
    reasons=REASONS,
    edges_cut=EDGES_CUT,
)
