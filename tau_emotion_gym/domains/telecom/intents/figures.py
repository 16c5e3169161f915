"""Questions whose answer has to be worked out."""

from itertools import pairwise

from tau_emotion_gym.kit import Call, Goal, Kind, Output, Script, Situation, calculation, capital, plus, total, usd

from ..billing import bills_of
from ..catalogue import catalogue
from ..records import Bill, BillItem
from .grounding import PLANS_CALL, bills_call, pick_bill, pick_line, point, point_bill, wish

FEWEST_ITEMS = 2


def _bill_call(bill: Bill) -> Call:
    return Call("get_bill", {"bill_id": bill.id})


def roaming_on(bill: Bill) -> list[BillItem]:
    """What was used abroad without a pass."""
    return [item for item in bill.items if item.kind == "roaming"]


def untold(s: Situation, bill: Bill) -> bool:
    """Whether no earlier goal brings up the roaming on a bill."""
    told = [goal for goal in s.earlier if goal.intent.startswith("roaming")]
    return all(fact.value != bill.month for goal in told for fact in goal.facts)


@wish(Kind.INFORM, weight=2)
def roaming_total(s: Situation) -> Goal | None:
    """What roaming came to on a bill, all lines together."""
    bill = pick_bill(s, lambda bill: len(roaming_on(bill)) >= FEWEST_ITEMS and untold(s, bill))
    if bill is None:
        return None
    which, amounts = point_bill(bill), [item.amount for item in roaming_on(bill)]
    return Goal(
        fill=which.fill,
        facts=(which.fact,),
        calls=(bills_call(s), _bill_call(bill), calculation(plus(amounts))),
        outputs=(Output("money", str(total(amounts))),),
        script=Script(report=f"On {which.yours}, roaming comes to {usd(total(amounts))} for all lines together."),
    )


@wish(Kind.INFORM, weight=2)
def cost_of_line(s: Situation) -> Goal | None:
    """What one line came to on a bill."""
    line = pick_line(s, lambda line: True)
    if line is None:
        return None
    bill = pick_bill(s, lambda bill: sum(item.number == line.number for item in bill.items) >= FEWEST_ITEMS)
    if bill is None:
        return None
    which, who = point_bill(bill), point(s, line)
    amounts = [item.amount for item in bill.items if item.number == line.number]
    return Goal(
        fill={**which.fill, **who.fill},
        facts=(which.fact, who.fact),
        calls=(bills_call(s), _bill_call(bill), calculation(plus(amounts))),
        outputs=(Output("money", str(total(amounts))),),
        script=Script(report=f"On {which.yours}, {who.yours} comes to {usd(total(amounts))} in all."),
    )


@wish(Kind.INFORM)
def bill_difference(s: Situation) -> Goal | None:
    """How much two bills in a row differ."""
    bills = bills_of(s.world, s.customer.id)
    pairs = [(one, two) for one, two in pairwise(bills) if one.total != two.total]
    if not pairs:
        return None
    before, after = s.draw.pick(pairs)
    first, second = point_bill(before), point_bill(after)
    high, low = max(before.total, after.total), min(before.total, after.total)
    word = "higher" if after.total > before.total else "lower"
    return Goal(
        fill={"before": first.words, "before_capital": capital(first.words), "after": second.words},
        facts=(first.fact, second.fact),
        calls=(bills_call(s), calculation(f"{high} - {low}")),
        outputs=(Output("money", str(high - low)),),
        script=Script(
            report=f"{capital(second.yours)} is {usd(after.total)} and {first.yours} was {usd(before.total)}. "
            f"That makes it {usd(high - low)} {word}."
        ),
    )


@wish(Kind.INFORM)
def smallest_plan(s: Situation) -> Goal | None:
    """Which plan is the cheapest that covers what a line uses."""
    line = pick_line(s, lambda line: True)
    if line is None:
        return None
    who, most = point(s, line), max(line.data_used)
    plan = next(plan for plan in catalogue().plans if plan.data_gb >= most)
    names = tuple(plan.name for plan in catalogue().plans)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(Call("get_usage", {"line_id": line.id}), PLANS_CALL),
        outputs=(Output("choice", plan.name, options=names), Output("money", str(plan.price))),
        script=Script(
            report=f"In its busiest month, {who.yours} used {most} GB. {plan.name} is the cheapest one that covers "
            f"this at {usd(plan.price)} a month."
        ),
    )
