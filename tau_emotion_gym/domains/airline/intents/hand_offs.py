"""Wishes that a human colleague must take over."""

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.grounding import point_at, trips_of
from tau_emotion_gym.domains.airline.intents.wording import wish
from tau_emotion_gym.domains.airline.network import cities, network
from tau_emotion_gym.domains.airline.rules import GROUP, NOT_FLOWN
from tau_emotion_gym.kit import Fact, Goal, Kind, Script, Situation, hand_over, one_of, short_date

NUMBERS = ("six", "seven", "eight", "nine", "ten", "eleven", "twelve")
CHILDREN = ("nephew", "niece", "godson", "goddaughter", "grandson", "granddaughter")


@wish(Kind.HAND_OFF)
def partly_flown(s: Situation) -> Goal | None:
    """The way back of a trip whose way out has been flown."""
    today = s.world.now.date().isoformat()
    trips = [
        trip
        for trip in trips_of(s)
        if trip.status == "active" and trip.legs[-1].date > today and terms.flown(s.world, trip)
    ]
    trip = one_of(s, trips)
    if trip is None:
        return None
    pointer = point_at(s, trip)
    return Goal(
        fill={"trip": pointer.words},
        facts=pointer.facts,
        calls=(
            *pointer.calls,
            hand_over(NOT_FLOWN, f"Reservation {trip.id}: the way out has been flown, the way back is to go."),
        ),
        script=Script(
            report="I am handing you over to a human colleague now, because a flight of this reservation has departed."
        ),
    )


@wish(Kind.HAND_OFF)
def lost_bag(s: Situation) -> Goal | None:
    """A checked bag that did not arrive."""
    today = s.world.now.date().isoformat()
    trips = [
        trip
        for trip in trips_of(s)
        if trip.bags and trip.legs[0].date < today and terms.days(s.world, trip)[0].status == "landed"
    ]
    trip = one_of(s, trips)
    if trip is None:
        return None
    pointer = point_at(s, trip)
    return Goal(
        fill={"trip": pointer.words},
        facts=pointer.facts,
        calls=(*pointer.calls, hand_over("lost_baggage", f"A bag of reservation {trip.id} did not arrive.")),
        script=Script(report="I am handing you over to a human colleague now, who takes care of missing bags."),
    )


@wish(Kind.HAND_OFF)
def group_trip(s: Situation) -> Goal | None:
    """A booking for more people than a reservation takes."""
    start, end = s.draw.pick(network().routes).ends
    number = s.draw.pick(NUMBERS)
    people = f"{number} people"
    there = Fact("destination", end, cities()[end])
    home = Fact("origin", start, cities()[start])
    day = s.world.now.date().replace(day=s.draw.between(17, 27)).isoformat()
    when = Fact("date", day, short_date(day))
    return Goal(
        fill={"origin": home.say, "destination": there.say, "when": when.say, "people": people},
        facts=(home, there, when, Fact("passengers", number, people)),
        calls=(hand_over(GROUP, f"A booking from {home.say} to {there.say} for {people}."),),
        script=Script(report="I am handing you over to a human colleague now, who looks after groups."),
    )


@wish(Kind.HAND_OFF, emergency=True)
def child_missing(s: Situation) -> Goal | None:
    """A child who flew alone and did not come out at the arrival."""
    today = s.world.now.date().isoformat()
    if not any(trip.legs[0].date < today for trip in trips_of(s)):
        return None
    city = cities()[s.draw.pick(network().airports).code]
    child = s.draw.pick(CHILDREN)
    return Goal(
        fill={"child": child, "city": city},
        calls=(hand_over("safety", f"A {child} who flew alone did not come out at the arrival in {city}."),),
        script=Script(report="I am handing you over to a human colleague at once."),
    )
