"""Wishes about bills and payments."""

from decimal import Decimal

from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Output, Script, Situation, calculation, capital, long_date, usd
from tau_emotion_gym.world import money

from ..billing import CREDIT_PER_DAY, CREDIT_PER_YEAR, bills_of, credit_due, creditable_days, credited, overdue, owed
from ..records import Bill, Line, Payment
from ..rules import LEAST_INSTALLMENT, MOST_INSTALLMENTS, expired
from .grounding import Pointed, account_call, bills_call, pick_bill, point, point_bill, usable, wish


def _due(s: Situation) -> Bill | None:
    """The bill that a payment has to settle next: the oldest overdue one, or else an open one."""
    late = overdue(s.world, s.customer.id)
    return late[0] if late else pick_bill(s, lambda bill: bill.status == "open")


def _owing(bill: Bill) -> tuple[Call, ...]:
    """The arithmetic that a partly paid bill takes."""
    return (calculation(f"{bill.total} - {bill.paid}"),) if bill.paid else ()


def _pay(bill: Bill, payment: Payment) -> Call:
    return Call("pay_bill", {"bill_id": bill.id, "payment_id": payment.id, "amount": float(owed(bill))})


def _mine(payment: Payment, purpose: str) -> Fact:
    """A way to pay with its purpose, so that it is not taken for that of another wish."""
    return Fact("payment", payment.label, f"my {payment.label} for {purpose}")


@wish(Kind.FULFIL, weight=2)
def pay_overdue(s: Situation) -> Goal | None:
    """Pay the oldest overdue bill."""
    late = overdue(s.world, s.customer.id)
    if not late:
        return None
    bill, payment = late[0], s.draw.pick(usable(s.customer, s.world.base.today))
    which = point_bill(bill)
    amount = usd(owed(bill))
    return Goal(
        fill=which.fill,
        facts=(which.fact, _mine(payment, which.words)),
        calls=(bills_call(s), *_owing(bill), account_call(s), _pay(bill, payment)),
        outputs=(Output("money", str(owed(bill))),),
        script=Script(
            propose=f"I will charge {amount} to your {payment.label} to settle {which.yours} in full.",
            report=f"I have charged {amount} to your {payment.label}, and {which.yours} is paid in full.",
        ),
    )


@wish(Kind.FULFIL, follows=("pay_overdue",))
def restore_after_paying(s: Situation) -> Goal | None:
    """Restore the line that was cut off for the overdue bill."""
    cut = [line for line in s.world.where(Line, "account", s.customer.id) if line.status == "unpaid"]
    if not cut or overdue(s.world, s.customer.id):
        return None
    line = s.draw.pick(cut)
    who = point(s, line)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(Call("list_lines", {"account_id": s.customer.id}), Call("restore_line", {"line_id": line.id})),
        script=Script(
            propose=f"I will restore {who.yours} now that nothing is overdue.",
            report=f"{capital(who.yours)} has been restored. Calls and data work again from now on.",
        ),
    )


@wish(Kind.CONDITIONAL)
def pay_with_expired(s: Situation) -> Goal | None:
    """Pay a bill with a card that turns out to be expired, or else with another one."""
    today = s.world.base.today
    bill, stale = _due(s), [payment for payment in s.customer.payments if expired(payment, today)]
    if bill is None or not stale:
        return None
    which, first, second = point_bill(bill), s.draw.pick(stale), s.draw.pick(usable(s.customer, today))
    amount = usd(owed(bill))
    wanted, other = _mine(first, which.words), _mine(second, which.words)
    return Goal(
        fill={"payment": wanted.spoken, "other": other.spoken},
        facts=(which.fact, wanted, other),
        calls=(bills_call(s), *_owing(bill), account_call(s), _pay(bill, second)),
        outputs=(Output("money", str(owed(bill))),),
        script=Script(
            refuse=f"I can't use your {first.label}, because that card expired in {_month(first)}.",
            propose=f"I will charge {amount} to your {second.label} to settle {which.yours} in full.",
            report=f"I have charged {amount} to your {second.label}, and {which.yours} is paid in full.",
        ),
        insists=s.draw.below(2),
    )


def _month(payment: Payment) -> str:
    month, _, year = long_date(f"{payment.expires}-01").split()
    return f"{month} {year}"


@wish(Kind.FULFIL)
def autopay(s: Situation) -> Goal | None:
    """Have future bills paid automatically."""
    options = [p for p in usable(s.customer, s.world.base.today) if p.id != s.customer.autopay]
    if not options:
        return None
    payment = s.draw.pick(options)
    day = s.customer.next_bill
    return Goal(
        fill={"payment": f"my {payment.label}"},
        facts=(Fact("payment", payment.label, f"my {payment.label}"),),
        calls=(account_call(s), Call("set_autopay", {"account_id": s.customer.id, "payment_id": payment.id})),
        outputs=(Output("date", day),),
        script=Script(
            propose=f"I will set up autopay with your {payment.label}, starting with the bill of {long_date(day)}.",
            report=f"Autopay has been set up with your {payment.label}. It starts with the bill of {long_date(day)}.",
        ),
    )


def _arrangeable(s: Situation) -> list[Bill]:
    """The bills that can be split into installments."""
    bills = bills_of(s.world, s.customer.id)
    if any(bill.status == "arranged" for bill in bills):
        return []
    return [bill for bill in bills if bill.status in ("open", "overdue") and _most(bill) >= 2]


def _most(bill: Bill) -> int:
    """Into how many installments a bill can be split."""
    return min(int(owed(bill) / LEAST_INSTALLMENT), MOST_INSTALLMENTS)


@wish(Kind.FULFIL)
def installments(s: Situation) -> Goal | None:
    """Pay a bill in installments."""
    bills = _arrangeable(s)
    if not bills:
        return None
    bill = s.draw.pick(bills)
    number = s.draw.between(2, _most(bill))
    which, script = point_bill(bill), _split(bill, number, point_bill(bill))
    return Goal(
        fill={**which.fill, "installments": f"{number} installments"},
        facts=(which.fact, Fact("installments", str(number), f"{number} installments")),
        calls=(bills_call(s), *_parts(bill, number), _arrange(bill, number)),
        outputs=(Output("money", str(_part(bill, number))),),
        script=script,
    )


def _part(bill: Bill, number: int) -> Decimal:
    return money(owed(bill) / number)


def _parts(bill: Bill, number: int) -> tuple[Call, ...]:
    return (calculation(f"({bill.total} - {bill.paid}) / {number}"),)


def _arrange(bill: Bill, number: int) -> Call:
    return Call("arrange_payment", {"bill_id": bill.id, "installments": number})


def _split(bill: Bill, number: int, which: Pointed) -> Script:
    part = usd(_part(bill, number))
    first = long_date("2026-06-01")
    return Script(
        propose=f"I will arrange {number} installments of {part} each for {which.yours}, the first one due on {first}.",
        report=f"I have arranged {number} installments of {part} each for {which.yours}. The first one is due on "
        f"{first}.",
    )


@wish(Kind.CONDITIONAL)
def too_many_installments(s: Situation) -> Goal | None:
    """Pay a bill in more installments than allowed, or else in as many as possible."""
    bills = _arrangeable(s)
    if not bills:
        return None
    bill = s.draw.pick(bills)
    number, wanted = _most(bill), _most(bill) + s.draw.between(1, 2)
    which, script = point_bill(bill), _split(bill, number, point_bill(bill))
    return Goal(
        fill={
            **which.fill,
            "installments": f"{wanted} installments",
            "other": f"{number} installments",
        },
        facts=(
            which.fact,
            Fact("installments", str(wanted), f"{wanted} installments"),
            Fact("installments", str(number), f"{number} installments"),
        ),
        calls=(bills_call(s), *_parts(bill, number), _arrange(bill, number)),
        outputs=(Output("money", str(_part(bill, number))),),
        script=Script(
            propose=script.propose,
            report=script.report,
            refuse=f"I can't split {which.yours} into {wanted} installments, because {_why_not(bill, wanted)}.",
        ),
        insists=s.draw.below(2),
    )


def _why_not(bill: Bill, wanted: int) -> str:
    number = _most(bill)
    possible = usd(_part(bill, number))
    if number == MOST_INSTALLMENTS:
        return f"our limit is {number}, and those would be {possible} each"
    least = usd(LEAST_INSTALLMENT)
    return (
        f"each would come to {usd(_part(bill, wanted))} and the least is {least}, which leaves {number} of {possible}"
    )


@wish(Kind.FULFIL)
def outage_credit(s: Situation) -> Goal | None:
    """A goodwill credit for an outage, as much as the year's limit leaves."""
    account = s.customer
    amount = credit_due(s.world, account)
    if amount <= 0:
        return None
    days = creditable_days(s.world, account.zip)
    before = credited(s.world, account)
    capped = CREDIT_PER_DAY * days > CREDIT_PER_YEAR - before
    earned = f"{CREDIT_PER_YEAR} - {before}" if capped else f"{CREDIT_PER_DAY} * {days}"
    why = f" for the {days} days without service"
    if capped:
        why = ", which is what is left of your yearly limit" if before else ", which is the most in a year"
    return Goal(
        calls=(
            Call("check_outage", {"zip": account.zip}),
            account_call(s),
            calculation(earned),
            Call("apply_goodwill_credit", {"account_id": account.id, "amount": float(amount)}),
        ),
        script=Script(
            propose=f"I will apply a goodwill credit of {usd(amount)}{why}.",
            report=f"I have applied a goodwill credit of {usd(amount)}. It comes off your bill of "
            f"{long_date(account.next_bill)}.",
        ),
    )
