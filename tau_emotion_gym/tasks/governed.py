"""Whether policy governs what it must: customers' records behind identification, every change behind a yes."""

from collections.abc import Iterator

from tau_emotion_gym.kit import TRANSFER, Domain
from tau_emotion_gym.kit.schema import kinds_in
from tau_emotion_gym.tasks.graph import COMMON
from tau_emotion_gym.world import Record
from tau_emotion_gym.world.fields import ref_of
from tau_emotion_gym.world.records import field_types

AUTHENTICATION = "authentication"
CONFIRMATION = "confirmation"
"""Ids of the rules that `kit.authentication` and `kit.confirmation` make."""


def ungoverned(domain: Domain) -> Iterator[str]:
    """The tools that lack a rule of authentication or of confirmation, as sentences."""
    bound = customer_kinds(domain)
    for name, tool in domain.tools.items():
        rules = {rule.id for rule in domain.rules_of[name]}
        own = name not in COMMON and name not in domain.identify_tools
        if own and AUTHENTICATION not in rules and bound & (tool.requires | tool.produces):
            yield f"{name} touches customers' records, and no rule of authentication governs it"
        if tool.writes and name != TRANSFER and CONFIRMATION not in rules:
            yield f"{name} is a write, and no rule of confirmation governs it"


def customer_kinds(domain: Domain) -> frozenset[str]:
    """The kinds of ids that lead to one customer: the customer's own, and those of records that refer to it."""
    customer = _own_kind(domain.customer_kind)
    kinds = {kind: own for kind in domain.records if (own := _own_kind(kind)) is not None}
    return frozenset(own for record, own in kinds.items() if customer in _kinds(record))


def _own_kind(record: type[Record]) -> str | None:
    """The kind of a record's id, which is its first field."""
    return ref_of(next(iter(field_types(record).values())))


def _kinds(record: type[Record]) -> frozenset[str]:
    return frozenset().union(*map(kinds_in, field_types(record).values()))
