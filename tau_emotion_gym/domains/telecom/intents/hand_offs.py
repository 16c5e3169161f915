"""What a person has to take over."""

from tau_emotion_gym.kit import Call, Goal, Kind, Script, Situation, hand_over

from .grounding import pick_active, point, wish


@wish(Kind.HAND_OFF)
def number_taken_over(s: Situation) -> Goal | None:
    """Somebody else uses the number: stop it, then hand over."""
    line = pick_active(s)
    if line is None:
        return None
    who = point(s, line)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(
            Call("suspend_line", {"line_id": line.id, "reason": "lost_or_stolen"}),
            hand_over("fraud", f"Somebody else uses the number {line.number}. The line is suspended."),
        ),
        script=Script(
            propose=f"I will suspend {who.yours} as lost or stolen at once, so that nobody can do more harm with it.",
            report=f"I have suspended {who.yours}. I am handing you over to a colleague from our fraud team now.",
        ),
    )


@wish(Kind.HAND_OFF)
def leave(s: Situation) -> Goal | None:
    """Take a number to another company."""
    line = pick_active(s)
    if line is None:
        return None
    who = point(s, line)
    return Goal(
        fill=who.fill,
        facts=(who.fact,),
        calls=(hand_over("port_out", f"The customer wants to take the number {line.number} to another company."),),
        script=Script(report=f"I am handing you over to a colleague, who will arrange the move of {who.yours}."),
    )


@wish(Kind.HAND_OFF)
def holder_died(s: Situation) -> Goal | None:
    """The account holder of another account has died."""
    return Goal(
        calls=(hand_over("bereavement", "A relative with an account of their own has died."),),
        script=Script(
            report="I am sorry for your loss. I am handing you over to a colleague, who will settle everything about "
            "that account with you."
        ),
    )
