"""What the shop sells, as data: `catalogue.json`."""

from functools import cache
from pathlib import Path

import msgspec

from tau_emotion_gym.kit import read_data


class Article(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A product with its middle price in cents and its options; the first option leads its titles."""

    name: str
    category: str
    price: int
    options: dict[str, tuple[str, ...]]


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The products, and the words around them.

    Attributes:
        option_words: option → how one speaks of a value of it ("in {value}").
        brands: of credit cards.
        address_labels: label of a saved address → how its owner speaks of it.
        products: what is sold.
    """

    option_words: dict[str, str]
    brands: tuple[str, ...]
    address_labels: dict[str, str]
    products: tuple[Article, ...]


def spoken(option: str, value: str) -> str:
    """How one speaks of an option's value: "in sky blue", "with the steel strap", "with the on-ear fit"."""
    template = catalogue().option_words[option]
    return template.format(value=value.replace("-", " ") if template.endswith("{value}") else value)


@cache
def catalogue() -> Catalogue:
    """The shipped catalogue.

    Raises:
        DataError: the file is damaged.
    """
    return read_data(Path(__file__).with_name("catalogue.json"), Catalogue)
