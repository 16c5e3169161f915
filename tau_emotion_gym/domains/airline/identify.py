"""How customers say who they are."""

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.airline.records import Customer
from tau_emotion_gym.kit import Call, Fact, long_date


def identify(customer: Customer, draw: Draw) -> tuple[tuple[Fact, ...], Call]:
    """By email address, or by full name and date of birth."""
    if draw.chance(0.5):
        email = Fact("email", customer.email)
        return (email,), Call("find_customer_by_email", {"email": customer.email})
    name = f"{customer.first_name} {customer.last_name}"
    born = Fact("birth_date", customer.birth_date, long_date(customer.birth_date))
    arguments = {
        "first_name": customer.first_name,
        "last_name": customer.last_name,
        "birth_date": customer.birth_date,
    }
    return (Fact("name", name), born), Call("find_customer_by_name_birth_date", arguments)
