"""What the samplers share: pointing at lines and bills, and the look-ups that find them."""

from collections.abc import Callable
from pathlib import Path

from tau_emotion_gym.kit import Call, Fact, Named, Situation, Wishes, capital, one_of, short_date, told
from tau_emotion_gym.world import Money

from ..billing import bills_of, lines_of, overdue
from ..catalogue import AddOn, Plan, add_ons, catalogue, plans, suits
from ..households import OWN
from ..records import Account, Bill, Device, Line, Payment
from ..rules import expired

wish = Wishes(Path(__file__).parent)
"""Decorator: an intent with its sentences in `intents.json`."""


class Pointed(Named):
    """A record in the customer's words and in the agent's, with the fact that the words convey."""

    __slots__ = ()

    @property
    def fill(self) -> dict[str, str]:
        """The placeholders of the sentences: the customer's words within a sentence and at its start."""
        slot = self.fact.slot
        return {slot: self.words, f"{slot}_capital": capital(self.words)}


def naming(add_on: AddOn) -> dict[str, str]:
    """The placeholders for an add-on."""
    return {"add_on": add_on.spoken, "add_on_capital": add_on.leading}


def point(s: Situation, line: Line) -> Pointed:
    """The line, by whose it is or by its number."""
    if line.user == OWN and s.draw.chance(0.7):
        return Pointed("my own line", Fact("line", OWN, "my own line"))
    if line.user == OWN or s.draw.chance(0.3):
        words = f"the line {line.number}"
        return Pointed(words, Fact("line", line.number, words))
    words = f"my {line.user}'s line"
    return Pointed(words, Fact("line", line.user, words))


def lines(s: Situation) -> list[Line]:
    """The customer's lines."""
    return lines_of(s.world, s.customer.id)


def pick_line(s: Situation, fits: Callable[[Line], object]) -> Line | None:
    """One of the customer's lines that fit and that no earlier goal is about, or None."""
    spoken = told(s, "line")
    return one_of(s, [line for line in lines(s) if not spoken & {line.user, line.number} and fits(line)])


def pick_active(s: Situation) -> Line | None:
    """One of the customer's active lines, or None."""
    return pick_line(s, lambda line: line.status == "active")


def device_of(s: Situation, line: Line) -> Device:
    """The phone on a line."""
    (device,) = s.world.where(Device, "line", line.id)
    return device


def lines_call(s: Situation) -> Call:
    """The look-up of the account's lines."""
    return Call("list_lines", {"account_id": s.customer.id})


def bills_call(s: Situation) -> Call:
    """The look-up of the account's bills."""
    return Call("list_bills", {"account_id": s.customer.id})


def account_call(s: Situation) -> Call:
    """The look-up of the account."""
    return Call("get_account", {"account_id": s.customer.id})


PLANS_CALL = Call("list_plans", {})
ADD_ONS_CALL = Call("list_add_ons", {})


def plan_of(line: Line) -> Plan:
    """The plan that a line is on."""
    return plans()[line.plan]


def owes_nothing_late(s: Situation) -> bool:
    """Whether no bill of the customer is overdue."""
    return not overdue(s.world, s.customer.id)


def point_bill(bill: Bill) -> Pointed:
    """The bill by its month."""
    month = short_date(f"{bill.month}-01").split()[0]
    return Pointed(f"my {month} bill", Fact("bill", bill.month, f"my {month} bill"))


def pick_bill(s: Situation, fits: Callable[[Bill], object]) -> Bill | None:
    """One of the customer's bills that fit, or None."""
    return one_of(s, [bill for bill in bills_of(s.world, s.customer.id) if fits(bill)])


def usable(account: Account, today: str) -> list[Payment]:
    """The ways to pay that can be charged."""
    return [payment for payment in account.payments if not expired(payment, today)]


def offers(line: Line) -> list[AddOn]:
    """The add-ons that a line can have."""
    return [add_on for add_on in catalogue().add_ons if suits(line, add_on)]


def monthly(line: Line) -> list[Money]:
    """The prices of a line's plan and add-ons."""
    return [plan_of(line).price, *(add_ons()[booked.add_on].price for booked in line.add_ons)]
