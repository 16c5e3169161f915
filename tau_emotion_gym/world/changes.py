"""Net changes, their canonical form, and the differences between two of them.

Two states match when their canonical forms are equal. A created record is known by its content: its
generated id is left out, and a reference to another created record stands for that record's content,
refined until the classes are stable (colour refinement). So neither generated ids nor the order of
creation matter, while links between created records do.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.world.fields import Compare, bare, compare_of, ref_of
from tau_emotion_gym.world.records import Record, field_types, record_id

R = TypeVar("R", bound=Record)
Refs = Mapping[str, str]
"""Id of a created record → the colour that stands for it."""
Canon = Callable[[Any, Refs], Hashable]


class Changes(NamedTuple):
    """What differs from the base: records added, (before, after) pairs, records removed."""

    added: tuple[Record, ...] = ()
    updated: tuple[tuple[Record, Record], ...] = ()
    removed: tuple[Record, ...] = ()


class Canonical(NamedTuple):
    """Changes in a form in which equality means "the same change"."""

    added: frozenset[tuple[tuple[str, Hashable], int]]
    updated: frozenset[tuple[str, str, str, Hashable]]
    removed: frozenset[tuple[str, str]]

    @property
    def empty(self) -> bool:
        """True when nothing that decides has changed."""
        return not (self.added or self.updated or self.removed)


class ChangeSet(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Changes as data: table → rows; table → id → field → new value; table → ids."""

    added: dict[str, list[dict[str, Any]]] = {}
    updated: dict[str, dict[str, dict[str, Any]]] = {}
    removed: dict[str, list[str]] = {}


class Difference(NamedTuple):
    """One place where the reached state is not the expected one; `None` means absent."""

    table: str
    record: str
    field: str
    expected: object
    reached: object

    def __str__(self) -> str:
        return (
            f"{self.table}/{self.record} {self.field}: expected {_shown(self.expected)}, reached {_shown(self.reached)}"
        )


def _shown(value: object) -> str:
    """A canonical value for people; like `_stable`, it does not depend on hash order."""
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(_shown, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_shown, value)) + ")"
    return f"{value:.2f}" if isinstance(value, Decimal) else str(value)


# --- canonical values -------------------------------------------------------------------------------


def _same(value: Any, refs: Refs) -> Hashable:
    same: Hashable = value
    return same


def _decimal(value: Any, refs: Refs) -> Hashable:
    same: Hashable = value.normalize() if isinstance(value, Decimal) else value
    return same


def _reference(value: Any, refs: Refs) -> Hashable:
    same: Hashable = refs.get(value, value)
    return same


def _sequence(item: Canon, compare: Compare) -> Canon:
    if compare is Compare.SET:
        return lambda value, refs: frozenset(item(v, refs) for v in value)
    if compare is Compare.MULTISET:
        return lambda value, refs: (
            frozenset(Counter([item(v, refs) for v in value]).items())
            if len(value) > 1
            else frozenset([(item(v, refs), 1) for v in value])
        )
    return lambda value, refs: tuple([item(v, refs) for v in value])


def _mapping(key: Canon, item: Canon) -> Canon:
    return lambda value, refs: frozenset((key(k, refs), item(v, refs)) for k, v in value.items())


def _struct(kind: type[msgspec.Struct]) -> Canon:
    parts = deciding_fields(kind)
    return lambda value, refs: tuple([canon(getattr(value, name), refs) for name, canon in parts])


@cache
def canon_for(hint: Any) -> Canon:
    """The function that makes values of this type canonical."""
    kind, compare = bare(hint), compare_of(hint)
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        inner = [canon_for(arg) for arg in args if arg is not type(None)]
        if len(inner) != 1:
            raise TypeError(f"a field may be optional, but not a union of several types: {hint}")
        only = inner[0] if ref_of(hint) is None else _reference
        return lambda value, refs: None if value is None else only(value, refs)
    if origin in (tuple, list, frozenset, set):
        order = Compare.SET if origin in (frozenset, set) else compare
        return _sequence(canon_for(args[0]), order)
    if origin is dict:
        return _mapping(canon_for(args[0]), canon_for(args[1]))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind)
    if kind is Decimal:
        return _decimal
    return _reference if ref_of(hint) is not None else _same


@cache
def deciding_fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, Canon], ...]:
    """(name, canonical form) of each field that counts in matching."""
    return tuple(
        (name, canon_for(hint))
        for name, hint in field_types(kind).items()
        if compare_of(hint) not in (Compare.FREE_TEXT, Compare.IGNORED)
    )


# --- canonical changes ------------------------------------------------------------------------------


def _content(record: Record, refs: Refs) -> tuple[Hashable, ...]:
    """The record's deciding content without its own id."""
    own = record.__struct_fields__[0]
    return tuple(canon(getattr(record, name), refs) for name, canon in deciding_fields(type(record)) if name != own)


def _colour(table: str, content: Hashable) -> str:
    return "new:" + hashlib.blake2b(f"{table}|{_stable(content)}".encode(), digest_size=12).hexdigest()


def _stable(value: Hashable) -> str:
    """A text of a canonical value that does not depend on hash order."""
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted(map(_stable, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(map(_stable, value)) + ")"
    return repr(value)


class _Met(dict[str, str]):
    """References that note which of them were looked up."""

    def __init__(self, refs: Refs) -> None:
        super().__init__(refs)
        self.met: list[str] = []

    def get(self, key: Any, default: Any = None) -> Any:
        if key in self:
            self.met.append(key)
        return super().get(key, default)


def _referrers(added: Sequence[Record], refs: Refs) -> dict[str, list[str]]:
    """Id of each created record → ids of the created records that refer to it."""
    found: dict[str, list[str]] = {}
    for record in added:
        seen = _Met(refs)
        _content(record, seen)
        for key in seen.met:
            found.setdefault(key, []).append(record_id(record))
    return found


def _colours(added: Sequence[Record]) -> dict[str, str]:
    """Id of each created record → the colour of its content, refined until stable.

    References count in both directions, so that two payments of one order are not two paid orders.
    """
    colours = {record_id(record): f"new:{record.table}" for record in added}
    if len(added) == 1:
        return colours
    referrers = _referrers(added, colours)
    classes = len(set(colours.values()))
    while True:
        colours = {
            key: _colour(r.table, (_content(r, colours), *sorted(colours[n] for n in referrers.get(key, ()))))
            for r in added
            for key in (record_id(r),)
        }
        refined = len(set(colours.values()))
        if refined <= classes:
            return colours
        classes = refined


def canonical(changes: Changes) -> Canonical:
    """The form of `changes` in which equality means the same net change."""
    added, updated, removed = changes
    refs: Refs = _colours(added) if added else {}
    rows = Counter((record.table, _content(record, refs)) for record in added)
    fields = [
        (after.table, record_id(after), name, reached)
        for before, after in updated
        for name, canon in deciding_fields(type(after))
        if (value := getattr(after, name)) is not (old := getattr(before, name))
        and value != old
        and (reached := canon(value, refs)) != canon(old, refs)
    ]
    return Canonical(
        frozenset(rows.items()),
        frozenset(fields),
        frozenset((record.table, record_id(record)) for record in removed),
    )


def differences(reached: Canonical, expected: Canonical) -> list[Difference]:
    """Where two changes differ, field by field; empty exactly when they match."""
    found = [
        Difference(table, key, name, want, have)
        for (table, key, name), (want, have) in _paired(reached.updated, expected.updated).items()
    ]
    have_rows, want_rows = Counter(dict(reached.added)), Counter(dict(expected.added))
    found += [Difference(t, "(new)", "record", row, None) for t, row in (want_rows - have_rows).elements()]
    found += [Difference(t, "(new)", "record", None, row) for t, row in (have_rows - want_rows).elements()]
    found += [Difference(t, k, "record", "removed", "kept") for t, k in expected.removed - reached.removed]
    found += [Difference(t, k, "record", "kept", "removed") for t, k in reached.removed - expected.removed]
    return sorted(found, key=str)


def _paired(
    reached: frozenset[tuple[str, str, str, Hashable]], expected: frozenset[tuple[str, str, str, Hashable]]
) -> dict[tuple[str, str, str], tuple[object, object]]:
    pairs: dict[tuple[str, str, str], tuple[object, object]] = {}
    for table, key, name, value in expected - reached:
        pairs[table, key, name] = (value, "(unchanged)")
    for table, key, name, value in reached - expected:
        want = pairs.get((table, key, name), ("(unchanged)", None))[0]
        pairs[table, key, name] = (want, value)
    return pairs


# --- changes as data --------------------------------------------------------------------------------


def to_change_set(changes: Changes) -> ChangeSet:
    """Changes as JSON-able data, deciding fields of updates only."""
    added: dict[str, list[dict[str, Any]]] = {}
    for record in changes.added:
        added.setdefault(record.table, []).append(msgspec.to_builtins(record))
    updated: dict[str, dict[str, dict[str, Any]]] = {}
    for before, after in changes.updated:
        fields = {
            name: msgspec.to_builtins(getattr(after, name))
            for name, canon in deciding_fields(type(after))
            if getattr(after, name) is not getattr(before, name)
            and canon(getattr(after, name), {}) != canon(getattr(before, name), {})
        }
        if fields:
            updated.setdefault(after.table, {})[record_id(after)] = fields
    removed: dict[str, list[str]] = {}
    for record in changes.removed:
        removed.setdefault(record.table, []).append(record_id(record))
    return ChangeSet(added, updated, removed)


def from_change_set(data: ChangeSet, kinds: Sequence[type[Record]]) -> Canonical:
    """The canonical form of changes that were stored as data.

    Raises:
        DataError: an unknown table or field, or a value of the wrong type.
    """
    by_table = {kind.table: kind for kind in kinds}
    try:
        added = [msgspec.convert(row, by_table[table]) for table, rows in data.added.items() for row in rows]
        refs: Refs = _colours(added) if added else {}
        fields = [
            (table, key, name, _stored(by_table[table], name, value, refs))
            for table, records in data.updated.items()
            for key, values in records.items()
            for name, value in values.items()
        ]
        removed = [(by_table[table].table, key) for table, keys in data.removed.items() for key in keys]
    except KeyError as error:
        raise DataError(f"expected changes: unknown table or field {error}") from None
    except msgspec.ValidationError as error:
        raise DataError(f"expected changes: {error}") from None
    rows = Counter((record.table, _content(record, refs)) for record in added)
    return Canonical(frozenset(rows.items()), frozenset(fields), frozenset(removed))


def _stored(kind: type[Record], name: str, value: Any, refs: Refs) -> Hashable:
    hint = field_types(kind)[name]
    return canon_for(hint)(msgspec.convert(value, hint), refs)
