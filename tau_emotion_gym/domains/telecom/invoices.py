"""Making the bills of an account."""

from decimal import Decimal

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Registry
from tau_emotion_gym.world import Money, cents, money

from .catalogue import add_ons, plans
from .records import Account, Arrangement, Bill, BillItem, BillStatus, Line

MONTHS = ("2026-02", "2026-03", "2026-04")
HISTORIES: tuple[tuple[BillStatus, BillStatus, BillStatus], ...] = (
    ("paid", "paid", "paid"),
    ("paid", "paid", "open"),
    ("paid", "paid", "overdue"),
    ("paid", "overdue", "overdue"),
    ("paid", "arranged", "open"),
    ("arranged", "paid", "overdue"),
)
"""How the bills of the three months stand."""
HISTORY_WEIGHTS = (10, 22, 30, 10, 16, 12)
LATE_FEE = 750
COUNTRIES = ("Spain", "Mexico", "Japan", "Italy", "Canada", "Thailand")


def make_bills(registry: Registry, account: Account, lines: list[Line]) -> list[Bill]:
    """Three bills: the latest two may be overdue, and one of them may be paid in installments."""
    draw = registry.draw
    statuses = draw.weighted(HISTORIES, HISTORY_WEIGHTS)
    return [_bill(registry, account, lines, *pair) for pair in zip(MONTHS, statuses, strict=True)]


def _bill(registry: Registry, account: Account, lines: list[Line], month: str, status: BillStatus) -> Bill:
    draw = registry.draw
    items = _items(draw, lines, month)
    total = money(sum((item.amount for item in items), Decimal(0)))
    year, number = int(month[:4]), int(month[5:])
    return Bill(
        id=registry.digits("B", 8),
        account=account.id,
        month=month,
        due=f"{year}-{number + 1:02}-{draw.between(22, 28) if status == 'open' else draw.between(5, 16):02}",
        total=total,
        paid=_paid(draw, total, status),
        status=status,
        paid_with=draw.pick(account.payments).id if status == "paid" else None,
        arrangement=_arrangement(draw) if status == "arranged" else None,
        items=tuple(items),
    )


def _paid(draw: Draw, total: Money, status: BillStatus) -> Money:
    """What was paid so far; a third of the overdue bills were paid in part."""
    if status == "paid":
        return total
    if status == "overdue" and draw.chance(0.35):
        return cents(draw.pick((1000, 1500, 2000)))
    return cents(0)


def _arrangement(draw: Draw) -> Arrangement:
    day = f"2026-{draw.between(6, 9):02}-{draw.between(1, 28):02}"
    return Arrangement(installments=draw.between(2, 4), last_due=day)


def _items(draw: Draw, lines: list[Line], month: str) -> list[BillItem]:
    items: list[BillItem] = []
    for line in lines:
        plan = plans()[line.plan]
        items.append(BillItem(kind="plan", label=plan.name, number=line.number, amount=plan.price))
        items += [_add_on(line.number, booked.add_on) for booked in line.add_ons if booked.since[:7] <= month]
    abroad = draw.sample(lines, draw.pick((0, 1, 2, 2)) if len(lines) > 1 else draw.pick((0, 1)))
    items += [_roaming(draw, line.number) for line in abroad]
    if draw.chance(0.25):
        items.append(BillItem(kind="late_fee", label="Late fee", amount=cents(LATE_FEE)))
    return items


def _add_on(number: str, key: str) -> BillItem:
    add_on = add_ons()[key]
    return BillItem(kind="add_on", label=add_on.name, number=number, amount=add_on.price)


def _roaming(draw: Draw, number: str) -> BillItem:
    label = f"Data in {draw.pick(COUNTRIES)} without a pass"
    return BillItem(kind="roaming", label=label, number=number, amount=cents(draw.between(1100, 19800)))
