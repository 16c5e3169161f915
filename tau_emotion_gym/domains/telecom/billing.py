"""The arithmetic of the policy: what is owed, overdue, prorated and creditable."""

from decimal import Decimal
from operator import attrgetter

from tau_emotion_gym.kit import days_after, days_between
from tau_emotion_gym.world import Money, World, money

from .catalogue import Plan
from .records import Account, Bill, Line, Outage

DAYS_IN_MONTH = 30
CREDIT_PER_DAY = Decimal("5.00")
CREDIT_PER_YEAR = Decimal("25.00")
DAYS_IN_YEAR = 365
OUTAGE_WINDOW = 30
BY_MONTH = attrgetter("month")


def owed(bill: Bill) -> Money:
    """What is still to pay on a bill."""
    return money(bill.total - bill.paid)


def bills_of(world: World, account: str) -> list[Bill]:
    """An account's bills, the oldest first."""
    return sorted(world.where(Bill, "account", account), key=BY_MONTH)


def overdue(world: World, account: str) -> list[Bill]:
    """An account's overdue bills, the oldest first."""
    return [bill for bill in bills_of(world, account) if bill.status == "overdue"]


def lines_of(world: World, account: str) -> list[Line]:
    """An account's lines."""
    return world.where(Line, "account", account)


def prorated(world: World, account: Account, old: Plan, new: Plan) -> Money:
    """What a change of plan today puts onto the next bill; negative when the new plan is cheaper."""
    days = days_between(world.base.today, account.next_bill)
    return money((new.price - old.price) * days / DAYS_IN_MONTH)


def credited(world: World, account: Account) -> Money:
    """Goodwill credits of the last 365 days."""
    since = days_after(world.base.today, -DAYS_IN_YEAR)
    return money(sum((credit.amount for credit in account.credits if credit.day > since), Decimal(0)))


def outage_days(world: World, outage: Outage) -> int:
    """Full days that an outage has lasted so far."""
    return days_between(outage.since, outage.until if outage.over else world.base.today)


def creditable_days(world: World, zip_code: str) -> int:
    """Full days of the longest outage in a ZIP code that still counts for a credit; 0 for none."""
    since = days_after(world.base.today, -OUTAGE_WINDOW)
    found = [outage_days(world, o) for o in world.where(Outage, "zip", zip_code) if not o.over or o.until >= since]
    return max(found, default=0)


def credit_due(world: World, account: Account) -> Money:
    """The goodwill credit that an outage earns an account now; 0 for none."""
    room = CREDIT_PER_YEAR - credited(world, account)
    return money(max(min(CREDIT_PER_DAY * creditable_days(world, account.zip), room), Decimal(0)))
