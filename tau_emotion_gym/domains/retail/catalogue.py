"""What the shop sells, as data: `catalogue.json`."""

from functools import cache
from importlib.resources import files

import msgspec


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


@cache
def catalogue() -> Catalogue:
    """The shipped catalogue."""
    data = files(__package__).joinpath("catalogue.json").read_bytes()
    return msgspec.json.decode(data, type=Catalogue)
