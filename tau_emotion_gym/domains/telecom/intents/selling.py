"""Wishes about plans and add-ons."""

from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    calculation,
    days_between,
    long_date,
    plus,
    total,
    usd,
    yours,
)

from ..billing import prorated
from ..catalogue import AddOn, Plan, add_ons, catalogue, plans, suits
from ..records import Line
from ..rules import MINIMUM_TERM
from .grounding import (
    ADD_ONS_CALL,
    PLANS_CALL,
    lines_call,
    monthly,
    naming,
    offers,
    owes_nothing_late,
    pick_line,
    plan_of,
    point,
    wish,
)


@wish(Kind.FULFIL, weight=2)
def switch_plan(s: Situation) -> Goal | None:
    """Change the plan of a line."""
    if not owes_nothing_late(s):
        return None
    line = pick_line(s, lambda line: line.status == "active")
    return _switch(s, line, s.draw.pick(allowed_plans(s, line))) if line else None


@wish(Kind.FULFIL, follows=("pay_overdue", "installments"))
def switch_after_paying(s: Situation) -> Goal | None:
    """Change a plan, which the overdue bill forbade before."""
    return switch_plan.sample(s)


def allowed_plans(s: Situation, line: Line) -> list[Plan]:
    """The other plans that the contract allows."""
    now = plan_of(line)
    free = line.contract_until < s.world.base.today
    return [plan for plan in catalogue().plans if plan.id != now.id and (free or plan.price > now.price)]


def _switch(s: Situation, line: Line, new: Plan) -> Goal:
    old, who = plan_of(line), point(s, line)
    more = new.price > old.price
    amount = abs(prorated(s.world, s.customer, old, new))
    days = days_between(s.world.base.today, s.customer.next_bill)
    high, low = (new.price, old.price) if more else (old.price, new.price)
    effect = f"{usd(amount)} {'more' if more else 'less'} on your next bill, {long_date(s.customer.next_bill)}"
    return Goal(
        fill={**who.fill, "plan": new.name},
        facts=(who.fact, Fact("plan", new.name)),
        calls=(
            lines_call(s),
            PLANS_CALL,
            calculation(f"({high} - {low}) * {days} / 30"),
            Call("change_plan", {"line_id": line.id, "plan_id": new.id}),
        ),
        outputs=(Output("money", str(amount)),),
        script=Script(
            propose=f"I will change {who.yours} from the {old.name} plan to the {new.name} plan today, "
            f"which makes {effect}.",
            report=f"I have changed {who.yours} to the {new.name} plan, which makes {effect}.",
        ),
    )


@wish(Kind.FULFIL, weight=2)
def book_add_on(s: Situation) -> Goal | None:
    """Add an add-on to a line."""
    if not owes_nothing_late(s):
        return None
    line = pick_line(s, lambda line: line.status == "active" and offers(line))
    return _book(s, line, s.draw.pick(offers(line))) if line else None


def _book(s: Situation, line: Line, add_on: AddOn) -> Goal:
    who = point(s, line)
    return Goal(
        fill={**who.fill, **naming(add_on)},
        facts=(who.fact, Fact("add_on", add_on.name, add_on.spoken)),
        calls=(
            lines_call(s),
            ADD_ONS_CALL,
            Call("add_add_on", {"line_id": line.id, "add_on_id": add_on.id}),
        ),
        outputs=(Output("money", str(add_on.price)),),
        script=Script(
            propose=f"I will add {add_on.spoken} to {who.yours} for {usd(add_on.price)} a month.",
            report=f"{add_on.leading} has been added to {who.yours}, and your bill of "
            f"{long_date(s.customer.next_bill)} will show {usd(add_on.price)} for it.",
        ),
    )


@wish(Kind.FULFIL, follows=("switch_plan",))
def add_on_after_upgrade(s: Situation) -> Goal | None:
    """Add an add-on that the line's old plan was too small for."""
    for line in s.world.where(Line, "account", s.customer.id):
        before = s.world.base.tables[Line][line.id]
        if before.plan != line.plan:  # type: ignore[attr-defined]
            old = plans()[before.plan]  # type: ignore[attr-defined]
            found = [add_on for add_on in offers(line) if not add_on.goes_with(old)]
            return _with_total(s, line, s.draw.pick(found)) if found else None
    return None


def _with_total(s: Situation, line: Line, add_on: AddOn) -> Goal:
    """An add-on, where the customer wants to know what the line then costs a month."""
    earlier = s.earlier[-1]
    who = next(fact for fact in earlier.facts if fact.slot == "line")
    words = yours(who.spoken)
    prices = [*monthly(line), add_on.price]
    cost = total(prices)
    return Goal(
        fill={"line": who.spoken, **naming(add_on)},
        facts=(who, Fact("add_on", add_on.name, add_on.spoken)),
        calls=(
            lines_call(s),
            ADD_ONS_CALL,
            calculation(plus(prices)),
            Call("add_add_on", {"line_id": line.id, "add_on_id": add_on.id}),
        ),
        outputs=(Output("money", str(cost)),),
        script=Script(
            propose=f"I will add {add_on.spoken} to {words} for {usd(add_on.price)} a month.",
            report=f"{add_on.leading} has been added to {words}, which now costs {usd(cost)} a month with "
            f"everything on it.",
        ),
    )


@wish(Kind.FULFIL, weight=2)
def drop_extra(s: Situation) -> Goal | None:
    """Drop an add-on from a line."""
    today = s.world.base.today
    line = pick_line(s, lambda line: any(days_between(b.since, today) >= MINIMUM_TERM for b in line.add_ons))
    if line is None:
        return None
    booked = s.draw.pick([b for b in line.add_ons if days_between(b.since, today) >= MINIMUM_TERM])
    add_on, who = add_ons()[booked.add_on], point(s, line)
    return Goal(
        fill={**who.fill, **naming(add_on)},
        facts=(who.fact, Fact("add_on", add_on.name, add_on.spoken)),
        calls=(lines_call(s), ADD_ONS_CALL, Call("drop_add_on", {"line_id": line.id, "add_on_id": add_on.id})),
        outputs=(Output("money", str(add_on.price)),),
        script=Script(
            propose=f"I will drop {add_on.spoken} from {who.yours} as of today.",
            report=f"{add_on.leading} has been dropped from {who.yours}, which saves you {usd(add_on.price)} a month.",
        ),
    )


@wish(Kind.FULFIL, follows=("drop_extra",))
def replace_dropped(s: Situation) -> Goal | None:
    """Add another add-on of the group that the dropped one blocked."""
    if not owes_nothing_late(s):
        return None
    for line in s.world.where(Line, "account", s.customer.id):
        before = s.world.base.tables[Line][line.id]
        gone = set(before.add_ons) - set(line.add_ons)  # type: ignore[attr-defined]
        for booked in gone:
            old = add_ons()[booked.add_on]
            found = [a for a in catalogue().add_ons if a.group == old.group and a.id != old.id and suits(line, a)]
            return _with_total(s, line, s.draw.pick(found)) if found else None
    return None


@wish(Kind.CONDITIONAL)
def add_on_or_other(s: Situation) -> Goal | None:
    """Add an add-on, or another one when the line's plan is too small for it."""
    if not owes_nothing_late(s):
        return None
    line = pick_line(s, lambda line: line.status == "active" and offers(line) and _too_big(line))
    if line is None:
        return None
    wanted, other = s.draw.pick(_too_big(line)), s.draw.pick(offers(line))
    who, plan = point(s, line), plan_of(line)
    return Goal(
        fill={**who.fill, **naming(wanted), "other": other.spoken},
        facts=(who.fact, Fact("add_on", wanted.name, wanted.spoken), Fact("add_on", other.name, other.spoken)),
        calls=(lines_call(s), ADD_ONS_CALL, Call("add_add_on", {"line_id": line.id, "add_on_id": other.id})),
        outputs=(Output("money", str(other.price)),),
        script=Script(
            refuse=f"I can't put {wanted.spoken} on {who.yours}, because it needs a {wanted.tier} plan and "
            f"{plan.name} is a {plan.tier} one.",
            propose=f"I will add {other.spoken} to {who.yours} for {usd(other.price)} a month.",
            report=f"{other.leading} has been added to {who.yours} for {usd(other.price)} a month.",
        ),
        insists=s.draw.below(2),
    )


def _too_big(line: Line) -> list[AddOn]:
    """The add-ons that a line's plan is too small for."""
    return [add_on for add_on in catalogue().add_ons if not add_on.goes_with(plan_of(line))]
