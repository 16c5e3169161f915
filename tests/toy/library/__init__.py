"""A lending library: the smallest complete domain, and the example of the guide "Add a domain"."""

from tau_emotion_gym.kit import Domain

from .identity import identify
from .intents import INTENTS
from .records import Book, Hold, Loan, Member
from .rules import RULES
from .slots import SLOTS
from .tools import TOOLS
from .world import build

DOMAIN = Domain(
    name="library",
    title="Library",
    ordinal=10,
    summary="A town library with three branches: loans, holds and late fees.",
    file=__file__,
    records=(Member, Book, Loan, Hold),
    tools=TOOLS,
    rules=RULES,
    intents=INTENTS,
    slots=SLOTS,
    build=build,
    identify=identify,
    identify_tools=("find_member_by_email", "find_member_by_name"),
    identity_slots=("email", "name", "zip"),
    reasons=("lost_item", "emergency", "complaint", "outside_policy", "other"),
)
