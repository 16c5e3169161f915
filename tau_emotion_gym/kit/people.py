"""Invented people and codes for building worlds; training and test worlds never share one."""

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from tau_emotion_gym._draw import Draw

TEST_DIGITS = "02468"
TRAIN_DIGITS = "13579"
MAIL_HOSTS = ("mailbox.example", "post.example", "inbox.example")
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


class Place(msgspec.Struct, frozen=True):
    """A town with its state and the first three digits of its ZIP codes."""

    city: str
    state: str
    zip: str


class Names(msgspec.Struct, frozen=True):
    """The lists that people are drawn from."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    streets: tuple[str, ...]
    places: tuple[Place, ...]


class Person(NamedTuple):
    """An invented person."""

    first: str
    last: str
    email: str
    phone: str
    birth_date: str
    street: str
    city: str
    state: str
    zip: str

    @property
    def handle(self) -> str:
        """The lower-case first and last name with an underscore, for making ids."""
        return _slug(self.first, "_", self.last)


def _slug(first: str, joint: str, last: str) -> str:
    """A name in lower case, fit for an id or an address."""
    return f"{first}{joint}{last}".lower().replace("'", "").replace(" ", "")


@cache
def names() -> Names:
    """The shipped lists."""
    data = files("tau_emotion_gym.kit").joinpath("people.json").read_bytes()
    return msgspec.json.decode(data, type=Names)


class Registry:
    """Draws people and unique codes for one world.

    Codes end in an even digit in test worlds and in an odd one in training worlds, and last names come
    from two disjoint halves of the list, so that the two kinds of world share no customer and no id.
    """

    def __init__(self, draw: Draw, *, train: bool) -> None:
        self.draw = draw
        self._last_digits = TRAIN_DIGITS if train else TEST_DIGITS
        self._last_names = names().last[1 if train else 0 :: 2]
        self._taken: set[str] = set()

    def digits(self, prefix: str, length: int) -> str:
        """A fresh code: the prefix and `length` digits, the first not 0."""
        while True:
            middle = 10 ** (length - 2) + self.draw.below(9 * 10 ** (length - 2))
            code = f"{prefix}{middle}{self.draw.pick(self._last_digits)}"
            if code not in self._taken:
                self._taken.add(code)
                return code

    def letters(self, prefix: str, length: int) -> str:
        """A fresh code: the prefix, `length` - 1 capital letters and one digit."""
        while True:
            body = "".join(self.draw.pick(LETTERS) for _ in range(length - 1))
            code = prefix + body + self.draw.pick(self._last_digits)
            if code not in self._taken:
                self._taken.add(code)
                return code

    def person(self, *, first: str = "", place: Place | None = None) -> Person:
        """A fresh person; a given first name or place makes a near-duplicate of another."""
        draw, lists = self.draw, names()
        first = first or draw.pick(lists.first)
        last = draw.pick(self._last_names)
        place = place or draw.pick(lists.places)
        year, month, day = draw.between(1945, 2004), draw.between(1, 12), draw.between(1, 28)
        return Person(
            first=first,
            last=last,
            email=f"{self.digits(_slug(first, '.', last), 3)}@{draw.pick(MAIL_HOSTS)}",
            phone=self.digits("555-", 7),
            birth_date=f"{year:04}-{month:02}-{day:02}",
            street=f"{draw.between(10, 989)} {draw.pick(lists.streets)}",
            city=place.city,
            state=place.state,
            zip=place.zip + f"{draw.below(100):02}",
        )
