"""Making accounts and the lines on them."""

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Person, Registry, days_after
from tau_emotion_gym.world import Date, cents

from .catalogue import add_ons, catalogue, plans
from .records import Account, Booked, Credit, Line, LineStatus, Payment

GIRLS = ("Ada", "Mia", "Nora", "Lucia", "Hana", "Freya", "Zara", "Ivy", "Leila", "Rosa", "Tessa", "Noemi")
BOYS = ("Ben", "Elias", "Omar", "Hugo", "Ivan", "Leo", "Jonas", "Rafael", "Milo", "Theo", "Viktor", "Samir")
CHILDREN = {"daughter": GIRLS, "son": BOYS}
ELDERS = ("partner", "mother", "father")
OWN = "account holder"
CARDS = ("Visa", "Mastercard")


def make_account(registry: Registry, person: Person, today: Date) -> Account:
    """An account with two or three ways to pay, one of them often an expired card."""
    draw = registry.draw
    payments = _payments(registry)
    valid = [payment.id for payment in payments if payment.expires is None or payment.expires >= today[:7]]
    return Account(
        id=registry.digits("A", 7),
        first_name=person.first,
        last_name=person.last,
        email=person.email,
        phone=person.phone,
        zip=person.zip,
        pin=f"{draw.between(1000, 9999)}",
        next_bill=days_after(today, draw.between(4, 26)),
        pending=cents(0),
        payments=payments,
        autopay=draw.pick(valid) if draw.chance(0.35) else None,
        credits=_credits(draw, today),
    )


def _payments(registry: Registry) -> tuple[Payment, ...]:
    draw = registry.draw
    endings = draw.sample(range(1000, 9999), 3)
    brand = draw.pick(CARDS)
    other = brand if draw.chance(0.6) else draw.pick(CARDS)
    expired = draw.chance(0.6)
    cards = [
        Payment(id=registry.digits("P", 6), label=f"{brand} ending in {endings[0]}", expires=_month(draw, expired)),
        Payment(id=registry.digits("P", 6), label=f"{other} ending in {endings[1]}", expires=_month(draw, False)),
    ]
    if draw.chance(0.5):
        cards.append(Payment(id=registry.digits("P", 6), label=f"checking account ending in {endings[2]}"))
    return tuple(draw.shuffled(cards))


def _month(draw: Draw, expired: bool) -> str:
    year = 2026 if expired else draw.between(2027, 2030)
    return f"{year}-{draw.between(1, 4) if expired else draw.between(1, 12):02}"


def _credits(draw: Draw, today: Date) -> tuple[Credit, ...]:
    """Nothing, one recent credit, the whole year's worth in two parts, or only an old one."""
    kind = draw.below(20)
    recent = days_after(today, -draw.between(20, 150))
    earlier = days_after(today, -draw.between(160, 340))
    old = days_after(today, -draw.between(380, 700))
    if kind < 6:
        return ()
    if kind < 8:
        return (_credit(old, 2500),)
    if kind < 13:
        return (_credit(recent, draw.pick((1000, 1250, 1500))),)
    first = draw.pick((1000, 1500))
    return (_credit(earlier, first), _credit(recent, 2500 - first))


def _credit(day: Date, amount: int) -> Credit:
    return Credit(day=day, amount=cents(amount))


def make_lines(registry: Registry, account: Account, today: Date) -> list[Line]:
    """The account holder's own line and up to three more, in no particular order."""
    draw = registry.draw
    numbers = [account.phone, *(registry.digits("555-", 7) for _ in range(draw.pick((1, 2, 2, 3))))]
    users = [OWN, *_family(draw, len(numbers) - 1)]
    pairs = zip(numbers, users, strict=True)
    return draw.shuffled([_line(registry, account, number, user, today) for number, user in pairs])


def _family(draw: Draw, count: int) -> list[str]:
    """So many relatives, often two children of the same kind."""
    kind = draw.pick(tuple(CHILDREN))
    children = [f"{kind} {name}" for name in draw.sample(CHILDREN[kind], 2)]
    elders = draw.sample(ELDERS, 2)
    family = [children[0], children[1] if draw.chance(0.6) else elders[0], elders[1]]
    return family[:count]


def _line(registry: Registry, account: Account, number: str, user: str, today: Date) -> Line:
    draw = registry.draw
    plan = draw.pick(catalogue().plans[:-1])
    status: LineStatus = draw.weighted(("active", "paused", "lost_or_stolen"), (74, 15, 11))
    most = plans()[plan.id].data_gb
    return Line(
        id=registry.digits("L", 7),
        account=account.id,
        number=number,
        user=user,
        plan=plan.id,
        add_ons=_booked(draw, plan.id, today),
        status=status,
        paused_until=days_after(today, draw.between(5, 60)) if status == "paused" else None,
        contract_until=days_after(today, draw.between(20, 500) if draw.chance(0.5) else -draw.between(20, 900)),
        sim=registry.digits("8901", 9),
        sim_since=days_after(today, -(draw.between(3, 28) if draw.chance(0.3) else draw.between(40, 1200))),
        data_used=tuple(draw.between(max(1, most // 3), most + most // 4) for _ in range(3)),  # type: ignore[arg-type]
    )


def _booked(draw: Draw, plan: str, today: Date) -> tuple[Booked, ...]:
    """Up to three add-ons that go with the plan, at most one of each group."""
    offered = [add_on for add_on in add_ons().values() if add_on.goes_with(plans()[plan])]
    chosen = {add_on.group: add_on.id for add_on in draw.sample(offered, draw.pick((1, 2, 3)))}
    return tuple(Booked(add_on=add_on, since=days_after(today, -_age(draw))) for add_on in chosen.values())


def _age(draw: Draw) -> int:
    """Days since an add-on was booked; a third are younger than a month."""
    return draw.between(3, 28) if draw.chance(0.33) else draw.between(35, 600)
