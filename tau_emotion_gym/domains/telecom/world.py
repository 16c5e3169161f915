"""Making a phone company: households with several lines, bills, faults and tickets, near-duplicates among them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from tau_emotion_gym.kit import Person, Place, Registry, days_after
from tau_emotion_gym.world import Base, Record

from .devices import make_device
from .households import make_account, make_lines
from .invoices import make_bills
from .records import Account, Bill, Device, Line, Outage, Ticket, Topic

NOW = datetime(2026, 5, 18, 9, 30)
TODAY = NOW.date().isoformat()
ACCOUNTS = 220
NAMESAKES = 8
"""Every so many accounts, the next one has the same first name and the same town."""
TOPICS: tuple[Topic, ...] = ("coverage", "device", "billing")


def build(registry: Registry, scale: int) -> Base:
    """A company with 220 accounts per unit of scale."""
    people = _people(registry, ACCOUNTS * scale)
    accounts: list[Account] = []
    lines: list[Line] = []
    bills: list[Bill] = []
    for person in people:
        account = make_account(registry, person, TODAY)
        own = make_lines(registry, account, TODAY)
        issued = make_bills(registry, account, own)
        if any(bill.status == "overdue" for bill in issued):
            own = _cut_off(registry, own)
        accounts.append(account)
        lines += own
        bills += issued
    tables: dict[type[Record], Sequence[Record]] = {
        Account: accounts,
        Line: lines,
        Device: [make_device(registry, line) for line in lines],
        Bill: bills,
        Outage: _outages(registry, accounts),
        Ticket: [ticket for account in accounts for ticket in _tickets(registry, account, lines)],
    }
    return Base(tables, NOW)


def _people(registry: Registry, count: int) -> list[Person]:
    people: list[Person] = []
    for number in range(count):
        twin = people[-1] if number % NAMESAKES == 1 else None
        place = Place(twin.city, twin.state, twin.zip[:3]) if twin else None
        people.append(registry.person(first=twin.first if twin else "", place=place))
    return people


def _cut_off(registry: Registry, lines: list[Line]) -> list[Line]:
    """The lines of an account with an overdue bill, often one of them suspended for it."""
    if not registry.draw.chance(0.7):
        return lines
    cut = registry.draw.pick(lines)
    change = msgspec.structs.replace(cut, status="unpaid", paused_until=None)
    return [change if line is cut else line for line in lines]


def _outages(registry: Registry, accounts: list[Account]) -> list[Outage]:
    """Outages in the ZIP codes of some accounts, at most one in each; about half of them are over."""
    draw = registry.draw
    found: dict[str, Outage] = {}
    for account in accounts:
        if account.zip in found or not draw.chance(0.5):
            continue
        lasted = draw.between(2, 6)
        over = draw.chance(0.45)
        since = days_after(TODAY, -lasted - (draw.between(2, 40) if over else 0))
        until = days_after(since, lasted) if over else days_after(TODAY, draw.between(1, 5))
        found[account.zip] = Outage(id=registry.digits("O", 6), zip=account.zip, since=since, until=until, over=over)
    return list(found.values())


def _tickets(registry: Registry, account: Account, lines: list[Line]) -> list[Ticket]:
    """One or two tickets, often about the same topic for different lines."""
    draw = registry.draw
    own = [line for line in lines if line.account == account.id]
    topic = draw.pick(TOPICS)
    chosen = draw.sample(own, min(len(own), draw.pick((1, 2, 2))))
    return [_ticket(registry, line, topic if draw.chance(0.7) else draw.pick(TOPICS)) for line in chosen]


def _ticket(registry: Registry, line: Line, topic: Topic) -> Ticket:
    draw = registry.draw
    return Ticket(
        id=registry.digits("T", 6),
        account=line.account,
        line=line.id,
        topic=topic,
        opened=days_after(TODAY, -draw.between(1, 16)),
        status="closed" if draw.chance(0.15) else "open",
        priority="normal",
        note="",
    )
