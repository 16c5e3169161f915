"""Wishes that the policy forbids."""

from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    calculation,
    capital,
    days_after,
    days_between,
    long_date,
    plus,
    total,
    usd,
)

from ..billing import bills_of, credit_due, creditable_days, credited
from ..catalogue import add_ons, catalogue
from ..records import Line
from ..rules import DAYS_UNTIL_URGENT, MINIMUM_TERM, SIM_INTERVAL
from .figures import roaming_on, untold
from .grounding import (
    PLANS_CALL,
    account_call,
    bills_call,
    lines_call,
    naming,
    pick_bill,
    pick_line,
    plan_of,
    point,
    point_bill,
    wish,
)
from .mending import open_tickets

OWED_YET = ("open", "overdue")


@wish(Kind.DENY)
def downgrade_in_contract(s: Situation) -> Goal | None:
    """Move a line under contract to a cheaper plan."""
    today, cheapest = s.world.base.today, catalogue().plans[0]
    line = pick_line(s, lambda line: line.contract_until >= today and line.plan != cheapest.id)
    if line is None:
        return None
    who, now = point(s, line), plan_of(line)
    new = s.draw.pick([plan for plan in catalogue().plans if plan.price < now.price])
    return Goal(
        fill={**who.fill, "plan": new.name},
        facts=(who.fact, Fact("plan", new.name)),
        calls=(lines_call(s), PLANS_CALL),
        outputs=(Output("date", line.contract_until),),
        script=Script(
            refuse=f"I can't move {who.yours} to {new.name}, because it costs less than {now.name} and the contract "
            f"of the line runs to {long_date(line.contract_until)}."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def sim_again(s: Situation) -> Goal | None:
    """Swap a SIM that was swapped a few days ago."""
    today = s.world.base.today
    line = pick_line(s, lambda line: line.status == "active" and days_between(line.sim_since, today) < SIM_INTERVAL)
    if line is None:
        return None
    who, free = point(s, line), days_after(line.sim_since, SIM_INTERVAL)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(lines_call(s),),
        outputs=(Output("date", line.sim_since),),
        script=Script(
            refuse=f"I can't give {who.yours} another SIM now, because the last one was put in on "
            f"{long_date(line.sim_since)} and we allow one in {SIM_INTERVAL} days. You can ask again from "
            f"{long_date(free)} on."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def drop_too_soon(s: Situation) -> Goal | None:
    """Drop an add-on in its first month."""
    today = s.world.base.today
    line = pick_line(s, lambda line: any(days_between(b.since, today) < MINIMUM_TERM for b in line.add_ons))
    if line is None:
        return None
    booked = s.draw.pick([b for b in line.add_ons if days_between(b.since, today) < MINIMUM_TERM])
    who, add_on = point(s, line), add_ons()[booked.add_on]
    free = days_after(booked.since, MINIMUM_TERM)
    return Goal(
        fill={**who.fill, **naming(add_on)},
        facts=(who.fact, Fact("add_on", add_on.name, add_on.spoken)),
        calls=(lines_call(s),),
        outputs=(Output("date", free),),
        script=Script(
            refuse=f"I can't take {add_on.spoken} off {who.yours} now, because it was booked on "
            f"{long_date(booked.since)} and stays for {MINIMUM_TERM} days. It can go from {long_date(free)} on."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def more_credit(s: Situation) -> Goal | None:
    """A goodwill credit when the year's limit is used up."""
    account = s.customer
    if any(goal.intent == "outage_credit" for goal in s.earlier):
        return None
    if not creditable_days(s.world, account.zip) or credit_due(s.world, account) or not credited(s.world, account):
        return None
    last = max(account.credits, key=lambda credit: credit.day)
    return Goal(
        calls=(Call("check_outage", {"zip": account.zip}), account_call(s)),
        outputs=(Output("date", last.day),),
        script=Script(
            refuse=f"I can't give you another credit for the outage, because you have had "
            f"{usd(credited(s.world, account))} within a year, the last part on {long_date(last.day)}, "
            f"and that is our limit."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def second_arrangement(s: Situation) -> Goal | None:
    """Split another bill while one is still being paid in installments."""
    bills = bills_of(s.world, s.customer.id)
    running = next((bill for bill in bills if bill.arrangement is not None and bill.status == "arranged"), None)
    waiting = [bill for bill in bills if bill.status in OWED_YET]
    if running is None or running.arrangement is None or not waiting:
        return None
    which, other, last = point_bill(s.draw.pick(waiting)), point_bill(running), running.arrangement.last_due
    return Goal(
        fill=which.fill,
        facts=(which.fact,),
        calls=(bills_call(s),),
        outputs=(Output("date", last),),
        script=Script(
            refuse=f"I can't split {which.yours}, because {other.yours} is still being paid in installments. "
            f"The last of them is due on {long_date(last)}."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def roaming_back(s: Situation) -> Goal | None:
    """Have roaming without a pass taken off a bill."""
    bill = pick_bill(s, lambda bill: roaming_on(bill) and untold(s, bill))
    if bill is None:
        return None
    which, amounts = point_bill(bill), [item.amount for item in roaming_on(bill)]
    used = Call("get_bill", {"bill_id": bill.id})
    return Goal(
        fill=which.fill,
        facts=(which.fact,),
        calls=(bills_call(s), used, *((calculation(plus(amounts)),) if len(amounts) > 1 else ())),
        outputs=(Output("money", str(total(amounts))),),
        script=Script(
            refuse=f"I can't take the roaming off {which.yours}, because no pass was booked, and the "
            f"{usd(total(amounts))} for it can't be given back."
        ),
        insists=s.draw.below(3),
    )


@wish(Kind.DENY)
def escalate_early(s: Situation) -> Goal | None:
    """Have a young ticket treated as urgent."""
    today = s.world.base.today
    found = [t for t in open_tickets(s) if days_between(t.opened, today) <= DAYS_UNTIL_URGENT]
    if not found:
        return None
    ticket = s.draw.pick(found)
    line = s.world.get(Line, ticket.line)
    if line is None:
        return None
    who, free = point(s, line), days_after(ticket.opened, DAYS_UNTIL_URGENT + 1)
    words = f"my {ticket.topic} ticket"
    return Goal(
        fill={**who.fill, "ticket": words, "ticket_capital": capital(words)},
        facts=(who.fact, Fact("topic", ticket.topic, words)),
        calls=(Call("list_tickets", {"account_id": s.customer.id}),),
        outputs=(Output("date", free),),
        script=Script(
            refuse=f"I can't make your {ticket.topic} ticket for {who.yours} urgent now, because it was opened on "
            f"{long_date(ticket.opened)} and we wait {DAYS_UNTIL_URGENT} days first. You can ask again from "
            f"{long_date(free)} on."
        ),
        insists=s.draw.below(3),
    )
