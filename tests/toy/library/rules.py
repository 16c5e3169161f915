"""The library's policy: each sentence that the agent reads, with its check."""

from decimal import Decimal
from typing import Any

from tau_emotion_gym.kit import TRANSFER, Context, authentication, confirmation, one_customer, rule
from tau_emotion_gym.world import World

from .records import Book, Loan, Member
from .tools import get_member, held, list_loans, pay_fees, place_hold, renew_loan

MOST_RENEWALS = 2
FEES_THAT_BLOCK = Decimal(10)


def _owner(world: World, arguments: Any) -> str | None:
    """The member whose record a call touches."""
    loan = world.get(Loan, getattr(arguments, "loan_id", ""))
    return loan.member if loan else getattr(arguments, "member_id", None)


identified = authentication(
    "Before anything else, find the member: by email address, or by full name and ZIP code.",
    get_member,
    list_loans,
    renew_loan,
    place_hold,
    pay_fees,
)

confirmed = confirmation(
    "Before you renew a loan, place a hold or charge fees, say exactly what you will do and wait for a yes.",
    renew_loan,
    place_hold,
    pay_fees,
)

one_member = one_customer(
    "Serve one member per conversation and touch nobody else's loans, holds or fees.",
    _owner,
    get_member,
    list_loans,
    renew_loan,
    place_hold,
    pay_fees,
)


@rule("A loan may be renewed twice at most.", renew_loan)
def renewal_limit(context: Context, arguments: Any) -> bool:
    loan = context.world.get(Loan, arguments.loan_id)
    return loan is None or loan.renewals < MOST_RENEWALS


@rule("A loan cannot be renewed while another member has a hold on the copy.", renew_loan)
def nobody_waits(context: Context, arguments: Any) -> bool:
    loan = context.world.get(Loan, arguments.loan_id)
    return loan is None or not held(context.world, loan.book)


@rule("Members who owe $10.00 or more cannot place holds until they have paid.", place_hold)
def fees_block_holds(context: Context, arguments: Any) -> bool:
    member = context.world.get(Member, arguments.member_id)
    return member is None or member.fees < FEES_THAT_BLOCK


@rule("Hold a copy that stands at the branch where the member collects it.", place_hold)
def held_where_collected(context: Context, arguments: Any) -> bool:
    book = context.world.get(Book, arguments.book_id)
    return book is None or book.branch == arguments.pickup


@rule("Fees are paid in full, never in part.", pay_fees)
def paid_in_full(context: Context, arguments: Any) -> bool:
    member = context.world.get(Member, arguments.member_id)
    return member is None or arguments.amount == member.fees


@rule(
    "When a member has lost an item that is on loan to them, hand over to a human with the reason "
    "lost_item; use that reason for nothing else.",
    TRANSFER,
)
def lost_items(context: Context, arguments: Any) -> bool:
    lent = context.customer is not None and context.world.where(Loan, "member", context.customer)
    return arguments.reason != "lost_item" or bool(lent)


@rule(
    "When somebody is in danger, hand over at once with the reason emergency, and ask for nothing first.",
    TRANSFER,
)
def danger_first(context: Context, arguments: Any) -> bool:
    changed = any(done.name in ("renew_loan", "place_hold", "pay_fees") for done in context.calls)
    return arguments.reason != "emergency" or not changed


RULES = (
    identified,
    confirmed,
    one_member,
    renewal_limit,
    nobody_waits,
    fees_block_holds,
    held_where_collected,
    paid_in_full,
    lost_items,
    danger_first,
)
