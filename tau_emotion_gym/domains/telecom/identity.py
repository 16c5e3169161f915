"""How a customer says who they are: by phone number and ZIP code, or by email address and last name."""

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Call, Fact

from .records import Account


def identify(account: Account, draw: Draw) -> tuple[tuple[Fact, ...], Call]:
    """What the customer knows to identify themselves, and the call that uses it."""
    if draw.chance(0.5):
        facts = (Fact("phone", account.phone), Fact("zip", account.zip))
        return facts, Call("find_account_by_phone", {"phone": account.phone, "zip": account.zip})
    facts = (Fact("email", account.email), Fact("name", f"{account.first_name} {account.last_name}"))
    return facts, Call("find_account_by_email", {"email": account.email, "last_name": account.last_name})
