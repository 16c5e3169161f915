"""Wishes whose outcome depends on the one before."""

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.changes import more_bags, upgrade
from tau_emotion_gym.domains.airline.intents.grounding import amount_output, gift_card_of, open_account
from tau_emotion_gym.domains.airline.intents.inform import credit
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.records import Reservation
from tau_emotion_gym.kit import Goal, Kind, Pointer, Script, Situation, usd


def _same_trip(s: Situation) -> Reservation | None:
    """The reservation that the goal before changed."""
    key = s.earlier[-1].calls[-1].arguments.get("reservation_id", "")
    trip = s.world.get(Reservation, key)
    return trip if trip is not None and trip.status == "active" else None


def _before(s: Situation, trip: Reservation) -> Reservation:
    """The reservation as it was before the conversation."""
    found = s.world.base.tables[Reservation][trip.id]
    assert isinstance(found, Reservation)
    return found


SAME = Pointer("that same trip", (), ())


@wish(Kind.FULFIL, follows=("upgrade_cabin", "move_basic_or_upgrade"))
def bags_after_upgrade(s: Situation) -> Goal | None:
    """Bags on the upgraded trip, of which the new cabin takes more free of charge."""
    trip = _same_trip(s)
    if trip is None:
        return None
    added = s.draw.between(1, 4)
    count, bags = len(trip.passengers), trip.bags + added
    tier = s.customer.tier
    before = terms.extra_bags(tier, _before(s, trip).cabin, count, bags)
    if before == terms.extra_bags(tier, trip.cabin, count, bags):
        return None
    return more_bags(s, trip, SAME, added)


@wish(Kind.FULFIL, follows=("move_flights", "full_flight"))
def upgrade_moved_trip(s: Situation) -> Goal | None:
    """A higher cabin on the new flights."""
    trip = _same_trip(s)
    if trip is None or trip.cabin == "business":
        return None
    return upgrade(s, trip, SAME)


@wish(Kind.INFORM, follows=("delay_compensation",))
def credit_after_certificate(s: Situation) -> Goal | None:
    """All credit, the new certificate included."""
    return credit(s)


@wish(
    Kind.INFORM,
    follows=(
        "upgrade_cabin",
        "move_flights",
        "add_bags",
        "add_insurance",
        "book_trip",
        "book_connection",
        "cancel_trip",
    ),
)
def gift_card_left(s: Situation) -> Goal | None:
    """The gift card's balance after it paid or received something."""
    gift = gift_card_of(s.customer)
    before = gift_card_of(s.world.base.tables[type(s.customer)][s.customer.id])  # type: ignore[arg-type]
    if gift is None or before is None or gift.balance is None or gift.balance == before.balance:
        return None
    return Goal(
        calls=(open_account(s),),
        outputs=amount_output(gift.balance),
        script=Script(report=f"Your gift card now has a balance of {usd(gift.balance)}."),
    )
