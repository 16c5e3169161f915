"""Wishes about suspended lines and SIM cards."""

from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    capital,
    days_after,
    days_between,
    long_date,
    short_date,
)

from ..records import Line
from ..rules import LONGEST_PAUSE, SIM_INTERVAL
from .grounding import lines_call, pick_active, pick_line, point, wish


def pin_facts(s: Situation) -> tuple[Fact, Call]:
    """The account PIN, and the call that checks it."""
    pin = s.customer.pin
    return Fact("pin", pin), Call("verify_pin", {"account_id": s.customer.id, "pin": pin})


@wish(Kind.FULFIL)
def report_lost(s: Situation) -> Goal | None:
    """Suspend the line of a lost or stolen phone."""
    line = pick_active(s)
    if line is None:
        return None
    who = point(s, line)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(lines_call(s), Call("suspend_line", {"line_id": line.id, "reason": "lost_or_stolen"})),
        script=Script(
            propose=f"I will suspend {who.yours} as lost or stolen, so that nobody can use it.",
            report=f"{capital(who.yours)} has been suspended as lost or stolen.",
        ),
    )


@wish(Kind.FULFIL)
def pause(s: Situation) -> Goal | None:
    """Pause a line while its user is away."""
    line = pick_active(s)
    return _pause(s, line, s.draw.between(10, LONGEST_PAUSE)) if line else None


def _pause(s: Situation, line: Line, days: int) -> Goal:
    who, until = point(s, line), days_after(s.world.base.today, days)
    return Goal(
        fill={**who.fill, "until": short_date(until)},
        facts=(who.fact, Fact("until", until, short_date(until))),
        calls=(lines_call(s), _away(line, until)),
        script=Script(
            propose=f"I will pause {who.yours} until {long_date(until)}.",
            report=f"{capital(who.yours)} has been paused until {long_date(until)}.",
        ),
    )


def _away(line: Line, until: str) -> Call:
    return Call("suspend_line", {"line_id": line.id, "reason": "away", "until": until})


@wish(Kind.CONDITIONAL)
def pause_too_long(s: Situation) -> Goal | None:
    """Pause a line for longer than allowed, or else for as long as possible."""
    line = pick_active(s)
    if line is None:
        return None
    who, today = point(s, line), s.world.base.today
    wanted, last = days_after(today, LONGEST_PAUSE + s.draw.between(5, 60)), days_after(today, LONGEST_PAUSE)
    return Goal(
        fill={**who.fill, "until": short_date(wanted), "other": short_date(last)},
        facts=(
            who.fact,
            Fact("until", wanted, short_date(wanted)),
            Fact("until", last, short_date(last)),
        ),
        calls=(lines_call(s), _away(line, last)),
        script=Script(
            refuse=f"I can't pause {who.yours} for that long, because {long_date(wanted)} is "
            f"{days_between(today, wanted)} days away and {LONGEST_PAUSE} days is the longest we allow. "
            f"{long_date(last)} is the latest day I can set.",
            propose=f"I will pause {who.yours} until {long_date(last)}.",
            report=f"{capital(who.yours)} has been paused until {long_date(last)}.",
        ),
        insists=s.draw.below(2),
    )


@wish(Kind.FULFIL)
def resume(s: Situation) -> Goal | None:
    """Restore a paused line."""
    line = pick_line(s, lambda line: line.status == "paused")
    if line is None:
        return None
    who = point(s, line)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(lines_call(s), Call("restore_line", {"line_id": line.id})),
        outputs=(Output("date", line.paused_until or ""),),
        script=Script(
            propose=f"I will restore {who.yours} today instead of on {long_date(line.paused_until or '')}.",
            report=f"{capital(who.yours)} has been restored today instead of on {long_date(line.paused_until or '')}.",
        ),
    )


@wish(Kind.FULFIL)
def found_again(s: Situation) -> Goal | None:
    """Restore the line of a phone that was found again."""
    line = pick_line(s, lambda line: line.status == "lost_or_stolen")
    if line is None:
        return None
    who, (pin, check) = point(s, line), pin_facts(s)
    return Goal(
        fill=who.fill,
        facts=(who.fact, pin),
        calls=(lines_call(s), check, Call("restore_line", {"line_id": line.id})),
        script=Script(
            propose=f"I will restore {who.yours} now that the phone is back.",
            report=f"{capital(who.yours)} has been restored. Calls and data work again.",
        ),
    )


@wish(Kind.FULFIL)
def new_sim(s: Situation) -> Goal | None:
    """Move a line to a new SIM."""
    today = s.world.base.today
    line = pick_line(s, lambda line: line.status == "active" and days_between(line.sim_since, today) >= SIM_INTERVAL)
    if line is None:
        return None
    who, (pin, check) = point(s, line), pin_facts(s)
    sim = f"8901{s.draw.between(10**8, 10**9 - 1)}"
    return Goal(
        fill=who.fill,
        facts=(who.fact, Fact("sim", sim), pin),
        calls=(lines_call(s), check, Call("swap_sim", {"line_id": line.id, "sim": sim})),
        script=Script(
            propose=f"I will swap {who.yours} to the SIM {sim}. The old SIM stops working at once.",
            report=f"I have swapped {who.yours} to the new SIM, so you can put it into the phone now.",
        ),
    )
