"""How a member says who they are: by email address, or by name and ZIP code."""

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Call, Fact

from .records import Member


def identify(member: Member, draw: Draw) -> tuple[tuple[Fact, ...], Call]:
    """What the member knows to identify themselves, and the call that uses it."""
    if draw.chance(0.5):
        return (Fact("email", member.email),), Call("find_member_by_email", {"email": member.email})
    facts = (Fact("name", f"{member.first_name} {member.last_name}"), Fact("zip", member.zip))
    call = Call(
        "find_member_by_name",
        {"first_name": member.first_name, "last_name": member.last_name, "zip": member.zip},
    )
    return facts, call
