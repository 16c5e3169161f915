"""Faults: the right help depends on what the checks find."""

from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Output, Script, Situation, long_date, usd

from ..billing import days_between
from ..catalogue import add_ons, suits
from ..households import OWN
from ..records import Device, Line, Ticket
from ..roaming import PASS_OF, covers
from ..rules import DAYS_UNTIL_URGENT, current_outage, wrong_setting
from .grounding import (
    ADD_ONS_CALL,
    Pointed,
    capital,
    device_of,
    lines_call,
    owes_nothing_late,
    pick_active,
    pick_line,
    point,
    wish,
)

SETTINGS = {"apn": "APN setting", "mobile_data": "mobile data setting", "network_mode": "network mode setting"}


def _check(line: Line, check: str) -> Call:
    return Call("run_diagnostics", {"line_id": line.id, "check": check})


def _ticket(line: Line, topic: str) -> Call:
    return Call("open_ticket", {"line_id": line.id, "topic": topic})


@wish(Kind.FULFIL, weight=3)
def no_data(s: Situation) -> Goal | None:
    """Data fails at home: an outage, the SIM, a setting, or something that only engineers find."""
    line = pick_active(s)
    if line is None:
        return None
    who, device = point(s, line), device_of(s, line)
    look = Call("check_outage", {"zip": s.customer.zip})
    base = Goal(fill=who.fill, facts=(who.fact,))
    if current_outage(s.world, s.customer.zip):
        return _outage(s, line, who, (look,))
    if not device.sim_registered:
        return _goal(base, (look, _check(line, "sim"), Call("refresh_sim", {"line_id": line.id})), _sim(who))
    checks = (look, _check(line, "sim"), _check(line, "settings"))
    setting = wrong_setting(device)
    if setting:
        push = Call("push_settings", {"line_id": line.id, "setting": setting})
        return _goal(base, (*checks, push), _pushed(who, setting))
    return _goal(base, (*checks, _ticket(line, "device")), _device(who, device))


def _goal(base: Goal, calls: tuple[Call, ...], script: Script) -> Goal:
    return Goal(fill=base.fill, facts=base.facts, calls=calls, script=script)


def _outage(s: Situation, line: Line, who: Pointed, reads: tuple[Call, ...]) -> Goal:
    outage = current_outage(s.world, s.customer.zip)
    until = outage.until if outage else ""
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(*reads, _ticket(line, "outage")),
        outputs=(Output("date", until),),
        script=Script(
            propose=f"There is an outage in your area, which explains it. "
            f"I will open an outage ticket for {who.yours}.",
            report=f"I have opened an outage ticket for {who.yours}. The engineers expect to be done by "
            f"{long_date(until)}.",
        ),
    )


def _sim(who: Pointed) -> Script:
    return Script(
        propose=f"The SIM of {who.yours} has lost its registration. I will register the SIM with the network again.",
        report=f"I have registered the SIM of {who.yours} again. Please restart the phone once.",
    )


def _pushed(who: Pointed, setting: str) -> Script:
    name = SETTINGS[setting]
    return Script(
        propose=f"The {name} of {who.yours} is wrong. I will update this setting from here.",
        report=f"I have updated the {name} of {who.yours}. Data should work within a minute.",
    )


def _device(who: Pointed, device: Device) -> Script:
    return Script(
        propose=f"The network, the SIM and the settings are all fine, so the {device.model} itself needs a look. "
        f"I will open a device ticket for {who.yours}.",
        report=f"I have opened a device ticket for {who.yours}. The engineers take it from here.",
    )


@wish(Kind.CONDITIONAL, weight=2)
def new_sim_for_a_fault(s: Situation) -> Goal | None:
    """A new SIM against a fault that a new SIM does not cure."""
    line = pick_active(s)
    if line is None:
        return None
    who, device = point(s, line), device_of(s, line)
    look = Call("check_outage", {"zip": s.customer.zip})
    if current_outage(s.world, s.customer.zip):
        goal = _outage(s, line, who, (look,))
        why, instead = "there is an outage in your area", "open an outage ticket"
        second = "report the outage"
    elif not device.sim_registered:
        base = Goal(fill=who.fill, facts=(who.fact,))
        goal = _goal(base, (look, _check(line, "sim"), Call("refresh_sim", {"line_id": line.id})), _sim(who))
        why, instead = "the card is sound and has only lost its registration", "register the old SIM again"
        second = "register the old one again"
    else:
        return None
    return _second_best(s, goal, f"I can't swap the SIM of {who.yours}, because {why}. I could {instead}.", second)


def _second_best(s: Situation, goal: Goal, refuse: str, second: str) -> Goal:
    propose = goal.script.propose.split(". ")[-1]
    script = Script(propose=propose, report=goal.script.report, refuse=refuse)
    return Goal(
        fill={**goal.fill, "second": second},
        facts=goal.facts,
        calls=goal.calls,
        outputs=goal.outputs,
        script=script,
        insists=s.draw.below(2),
    )


@wish(Kind.FULFIL, weight=2)
def no_data_abroad(s: Situation) -> Goal | None:
    """Data fails for a relative who is abroad: a pass is missing, or the roaming switch is off."""
    country = s.draw.pick(tuple(PASS_OF))
    line = pick_line(s, lambda line: line.user != OWN and line.status == "active" and _curable(s, line, country))
    if line is None:
        return None
    who = point(s, line)
    fill, facts = {**who.fill, "country": country}, (who.fact, Fact("country", country))
    if any(covers_it(booked.add_on, country) for booked in line.add_ons):
        push = Call("push_settings", {"line_id": line.id, "setting": "roaming"})
        return Goal(
            fill=fill,
            facts=facts,
            calls=(lines_call(s), _check(line, "roaming"), push),
            script=Script(
                propose=f"{capital(who.yours)} has a pass for {country}, but roaming is off. I will update the roaming "
                f"setting from here.",
                report=f"I have updated the roaming setting of {who.yours}. Data in {country} should work within a "
                f"minute.",
            ),
        )
    add_on = add_ons()[PASS_OF[country]]
    return Goal(
        fill=fill,
        facts=facts,
        calls=(lines_call(s), ADD_ONS_CALL, Call("add_add_on", {"line_id": line.id, "add_on_id": add_on.id})),
        outputs=(Output("money", str(add_on.price)),),
        script=Script(
            propose=f"{capital(who.yours)} has no pass for {country}. I will add the {add_on.name} for "
            f"{usd(add_on.price)} a month.",
            report=f"The {add_on.name} has been added to {who.yours} for {usd(add_on.price)} a month, so data in "
            f"{country} should work now.",
        ),
    )


def covers_it(add_on: str, country: str) -> bool:
    """Whether an add-on is a pass for a country."""
    return add_on.startswith("roaming") and covers(add_on, country)


def _curable(s: Situation, line: Line, country: str) -> bool:
    """Whether exactly one thing is missing: the pass, or the switch."""
    on = device_of(s, line).roaming_on
    if any(covers_it(booked.add_on, country) for booked in line.add_ons):
        return not on
    return on and owes_nothing_late(s) and suits(line, add_ons()[PASS_OF[country]])


def open_tickets(s: Situation) -> list[Ticket]:
    """The customer's open tickets."""
    return [ticket for ticket in s.world.where(Ticket, "account", s.customer.id) if ticket.status == "open"]


@wish(Kind.FULFIL)
def escalate(s: Situation) -> Goal | None:
    """Have an old ticket treated as urgent."""
    today = s.world.base.today
    found = [t for t in open_tickets(s) if days_between(t.opened, today) > DAYS_UNTIL_URGENT]
    if not found:
        return None
    ticket = s.draw.pick(found)
    line = s.world.get(Line, ticket.line)
    if line is None:
        return None
    who, words = point(s, line), f"my {ticket.topic} ticket"
    return Goal(
        fill={**who.fill, "ticket": words, "ticket_capital": capital(words)},
        facts=(who.fact, Fact("topic", ticket.topic, words)),
        calls=(
            Call("list_tickets", {"account_id": s.customer.id}),
            Call("update_ticket", {"ticket_id": ticket.id, "priority": "urgent"}),
        ),
        outputs=(Output("date", ticket.opened),),
        script=Script(
            propose=f"Your {ticket.topic} ticket for {who.yours} has been open since {long_date(ticket.opened)}. "
            f"I will escalate it to urgent.",
            report=f"I have escalated your {ticket.topic} ticket for {who.yours} to urgent. It was opened on "
            f"{long_date(ticket.opened)}.",
        ),
    )
