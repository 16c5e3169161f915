"""Faults: the right help depends on what the checks find."""

from functools import partial
from typing import NamedTuple

from tau_emotion_gym.kit import Call, Fact, Goal, Kind, Output, Script, Situation, capital, days_between, long_date, usd

from ..catalogue import add_ons, suits
from ..households import OWN
from ..records import Line, Outage, Ticket
from ..roaming import PASS_OF, covers
from ..rules import DAYS_UNTIL_URGENT, current_outage, wrong_setting
from .grounding import (
    ADD_ONS_CALL,
    Pointed,
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


class Help(NamedTuple):
    """What a line needs after the checks have found its first fault, in the agent's sentences.

    Attributes:
        calls: the checks up to the one that finds the fault, then the cure.
        cause: what was found.
        cure: what the agent will do.
        report: what the agent has done.
        no_sim: why a new SIM is no cure; empty where nobody would think of one.
        second: the cure in the customer's words.
        outputs: what has to be told.
    """

    calls: tuple[Call, ...]
    cause: str
    cure: str
    report: str
    no_sim: str = ""
    second: str = ""
    outputs: tuple[Output, ...] = ()


def _help(s: Situation, line: Line, who: Pointed) -> Help:
    """The help that a line without a connection at home needs."""
    device = device_of(s, line)
    look = Call("check_outage", {"zip": s.customer.zip})
    outage = current_outage(s.world, s.customer.zip)
    if outage is not None:
        return _wait_for(outage, (look, _ticket(line, "outage")), who)
    checks: tuple[Call, ...] = (look, _check(line, "sim"))
    if not device.sim_registered:
        return Help(
            calls=(*checks, Call("refresh_sim", {"line_id": line.id})),
            cause=f"The SIM of {who.yours} has lost its registration.",
            cure=f"I will register the SIM of {who.yours} with the network again.",
            report=f"I have registered the SIM of {who.yours} again. Please restart the phone once.",
            no_sim="the card is sound and has only lost its registration. I could register the old SIM again",
            second="register the old one again",
        )
    checks = (*checks, _check(line, "settings"))
    setting = wrong_setting(device)
    if setting:
        name = SETTINGS[setting]
        return Help(
            calls=(*checks, Call("push_settings", {"line_id": line.id, "setting": setting})),
            cause=f"The {name} of {who.yours} is wrong.",
            cure="I will update this setting from here.",
            report=f"I have updated the {name} of {who.yours}. Data should work within a minute.",
        )
    return Help(
        calls=(*checks, _ticket(line, "device")),
        cause=f"The network, the SIM and the settings are all fine, so the {device.model} itself needs a look.",
        cure=f"I will open a device ticket for {who.yours}.",
        report=f"I have opened a device ticket for {who.yours}. The engineers take it from here.",
    )


def _wait_for(outage: Outage, calls: tuple[Call, ...], who: Pointed) -> Help:
    return Help(
        calls=calls,
        cause="There is an outage in your area, which explains it.",
        cure=f"I will open an outage ticket for {who.yours}.",
        report=f"I have opened an outage ticket for {who.yours}. The engineers expect to be done by "
        f"{long_date(outage.until)}.",
        no_sim="there is an outage in your area. I could open an outage ticket",
        second="report the outage",
        outputs=(Output("date", outage.until),),
    )


@wish(Kind.FULFIL, weight=3)
def no_data(s: Situation) -> Goal | None:
    """Data fails at home: an outage, the SIM, a setting, or something that only engineers find."""
    line = pick_active(s)
    if line is None:
        return None
    who = point(s, line)
    found = _help(s, line, who)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=found.calls,
        outputs=found.outputs,
        script=Script(propose=f"{found.cause} {found.cure}", report=found.report),
    )


@wish(Kind.CONDITIONAL, weight=2)
def new_sim_for_a_fault(s: Situation) -> Goal | None:
    """A new SIM against a fault that a new SIM does not cure."""
    down = current_outage(s.world, s.customer.zip) is not None
    line = pick_line(s, lambda n: n.status == "active" and (down or not device_of(s, n).sim_registered))
    if line is None:
        return None
    who = point(s, line)
    found = _help(s, line, who)
    return Goal(
        fill={**who.fill, "second": found.second},
        facts=(who.fact,),
        calls=found.calls,
        outputs=found.outputs,
        script=Script(
            refuse=f"I can't swap the SIM of {who.yours}, because {found.no_sim}.",
            propose=found.cure,
            report=found.report,
        ),
        insists=s.draw.below(2),
    )


@wish(Kind.FULFIL, weight=2)
def no_data_abroad(s: Situation) -> Goal | None:
    """Data fails for a relative who is abroad: a pass is missing, or the roaming switch is off."""
    for country in s.draw.shuffled(list(PASS_OF)):
        line = pick_line(s, partial(_curable, s, country))
        if line is not None:
            return _abroad(s, line, country)
    return None


def _abroad(s: Situation, line: Line, country: str) -> Goal:
    who = point(s, line)
    fill, facts = {**who.fill, "country": country}, (who.fact, Fact("country", country))
    if any(covers(booked.add_on, country) for booked in line.add_ons):
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


def _curable(s: Situation, country: str, line: Line) -> bool:
    """Whether it is a relative's line that lacks exactly one thing: the pass, or the switch."""
    if line.user == OWN or line.status != "active":
        return False
    on = device_of(s, line).roaming_on
    if any(covers(booked.add_on, country) for booked in line.add_ons):
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
