"""The world: an immutable base shared by all episodes, and the overlay of one episode."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.world.changes import Changes
from tau_emotion_gym.world.records import Record, encode, record_id

R = TypeVar("R", bound=Record)

_ID_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


class Base:
    """The immutable start of a world: one table per record class, and the domain's fixed clock.

    Nothing changes it after construction; indexes and texts are memos of it, made on first use.
    """

    def __init__(self, records: Mapping[type[Record], Iterable[Record]], now: datetime) -> None:
        self.now = now
        self.today = now.date().isoformat()
        self.tables: dict[type[Record], dict[str, Record]] = {}
        for kind, rows in records.items():
            table: dict[str, Record] = {}
            for row in rows:
                key = record_id(row)
                if key in table:
                    raise DataError(f"table {kind.table!r}: the id {key!r} occurs twice")
                table[key] = row
            self.tables[kind] = table
        self._indexes: dict[tuple[type[Record], str], dict[Any, tuple[Record, ...]]] = {}
        self._texts: dict[type[Record], dict[str, str]] = {kind: {} for kind in self.tables}

    def index(self, kind: type[R], field: str) -> Mapping[Any, tuple[R, ...]]:
        """Value of `field` → the base records that have it, in table order."""
        found = self._indexes.get((kind, field))
        if found is None:
            groups: dict[Any, list[Record]] = {}
            for record in self.tables[kind].values():
                groups.setdefault(getattr(record, field), []).append(record)
            found = {value: tuple(rows) for value, rows in groups.items()}
            self._indexes[kind, field] = found
        return found  # type: ignore[return-value]

    def to_json(self) -> bytes:
        """The tables as JSON, one record a line, stable byte for byte."""
        encoder = msgspec.json.Encoder(decimal_format="string", order="deterministic")
        lines = [b'{"now":' + encoder.encode(self.now)]
        for kind, table in self.tables.items():
            rows = b",\n".join(encoder.encode(row) for row in table.values())
            lines.append(encoder.encode(kind.table) + b":[\n" + rows + b"\n]")
        return b",\n".join(lines) + b"\n}\n"

    @classmethod
    def from_json(
        cls, data: bytes, kinds: Sequence[type[Record]], *, source: str, checksum: str | None = None
    ) -> "Base":
        """Read what `to_json` wrote.

        Raises:
            DataError: the file is damaged; the message has `source`, the place and the reason.
        """
        try:
            raw: dict[str, msgspec.Raw] = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
            now = msgspec.json.decode(raw.pop("now"), type=datetime)
            tables = {kind: _rows(data, kind, raw.pop(kind.table), source) for kind in kinds}
        except KeyError as missing:
            raise DataError(f"{source}: the table {missing} is missing") from None
        except msgspec.ValidationError as error:
            raise DataError(f"{source}, line 1: {error}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"{source}, line {_line(data, error)}: {error}") from None
        if raw:
            raise DataError(f"{source}: unknown tables {sorted(raw)}")
        if checksum is not None and (found := digest(data)) != checksum:
            raise DataError(f"{source}: checksum {found} is not the recorded {checksum}")
        return cls(tables, now)


def _rows(data: bytes, kind: type[R], raw: msgspec.Raw, source: str) -> list[R]:
    """The records of one table; an error names the line, since a record has a line of its own."""
    try:
        return msgspec.json.decode(raw, type=list[kind])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        row = re.search(r"\$\[(\d+)\]", str(error))
        before = data.count(b"\n", 0, data.index(b'"%s":[' % kind.table.encode()))
        line = before + (int(row[1]) + 2 if row else 1)
        raise DataError(f"{source}, line {line}: table {kind.table!r}: {error}") from None


def _line(data: bytes, error: Exception) -> int:
    """The line at which decoding stopped: the last one when the file ends too early."""
    at = re.search(r"\(byte (\d+)\)", str(error))
    return data.count(b"\n", 0, int(at[1]) if at else len(data)) + 1


def digest(data: bytes) -> str:
    """The checksum that stands beside a data file (16 hex digits of BLAKE2b)."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


class World:
    """A base plus one episode's changes. Making one costs O(1), a fork O(changes)."""

    __slots__ = ("_journal", "_overlay", "base")

    def __init__(self, base: Base) -> None:
        self.base = base
        self._overlay: dict[type[Record], dict[str, Record | None]] = {}
        self._journal: list[tuple[type[Record], str, Record | None, bool]] = []

    @property
    def now(self) -> datetime:
        """The domain's fixed clock."""
        return self.base.now

    def get(self, kind: type[R], key: str) -> R | None:
        """The record with this id, or None."""
        overlay = self._overlay.get(kind)
        if overlay is not None and key in overlay:
            return overlay[key]  # type: ignore[return-value]
        return self.base.tables[kind].get(key)  # type: ignore[return-value]

    def all(self, kind: type[R]) -> Iterator[R]:
        """Every record of a table: the base's in order, then the created ones. O(table)."""
        overlay = self._overlay.get(kind) or {}
        base = self.base.tables[kind]
        for key, record in base.items():
            current = overlay.get(key, record)
            if current is not None:
                yield current  # type: ignore[misc]
        for key, created in overlay.items():
            if created is not None and key not in base:
                yield created  # type: ignore[misc]

    def where(self, kind: type[R], field: str, value: Any) -> list[R]:
        """The records whose `field` equals `value`. O(matches + changes)."""
        overlay = self._overlay.get(kind)
        index = self.base._indexes.get((kind, field)) or self.base.index(kind, field)
        rows: tuple[R, ...] = index.get(value, ())  # type: ignore[assignment]
        if not overlay:
            return list(rows)
        found = [row for row in rows if record_id(row) not in overlay]
        found += [row for row in overlay.values() if row is not None and getattr(row, field) == value]  # type: ignore[misc]
        return found

    def text(self, value: Any) -> str:
        """`encode(value)`; the text of a record that is as in the base is made once for all episodes."""
        kind = type(value)
        texts = self.base._texts.get(kind)
        if texts is None or self.base.tables[kind].get(key := record_id(value)) is not value:
            return encode(value)
        if key not in texts:
            texts[key] = encode(value)
        return texts[key]

    def put(self, record: Record) -> None:
        """Add a record, or replace the one with its id."""
        self._set(type(record), record_id(record), record)

    def remove(self, record: Record) -> None:
        """Take a record away."""
        self._set(type(record), record_id(record), None)

    def _set(self, kind: type[Record], key: str, record: Record | None) -> None:
        overlay = self._overlay.setdefault(kind, {})
        self._journal.append((kind, key, overlay.get(key), key in overlay))
        overlay[key] = record

    def new_id(self, kind: type[Record], prefix: str, *content: object, length: int = 6) -> str:
        """An id for a record about to be created, made from its content and unused so far.

        The same content gives the same id in every run, whatever else was created before it.
        """
        text = "|".join(map(str, content))
        attempt = 0
        while True:
            raw = hashlib.blake2b(f"{kind.table}|{attempt}|{text}".encode(), digest_size=length).digest()
            key = prefix + "".join(_ID_ALPHABET[byte & 31] for byte in raw)
            if self.get(kind, key) is None:
                return key
            attempt += 1

    def savepoint(self) -> int:
        """A mark to which `rollback` returns."""
        return len(self._journal)

    def rollback(self, mark: int) -> None:
        """Undo every change made since `mark`."""
        while len(self._journal) > mark:
            kind, key, before, present = self._journal.pop()
            if present:
                self._overlay[kind][key] = before
            else:
                del self._overlay[kind][key]

    def fork(self) -> "World":
        """An independent world with the same state."""
        return World.over(self.base, self._overlay)

    def overlay(self) -> dict[type[Record], dict[str, Record | None]]:
        """A copy of this episode's own rows (None: removed), without the shared base; see `over`."""
        return {kind: dict(rows) for kind, rows in self._overlay.items()}

    @classmethod
    def over(cls, base: Base, overlay: Mapping[type[Record], Mapping[str, Record | None]]) -> "World":
        """A world with these rows laid over a base: what `overlay` gave, possibly in another process."""
        world = cls(base)
        world._overlay = {kind: dict(rows) for kind, rows in overlay.items()}
        return world

    def changes(self) -> Changes:
        """The net difference from the base; records that ended as they began are left out."""
        added: list[Record] = []
        updated: list[tuple[Record, Record]] = []
        removed: list[Record] = []
        for kind, rows in self._overlay.items():
            base = self.base.tables[kind]
            for key, record in rows.items():
                before = base.get(key)
                if before is record:
                    continue
                if before is None:
                    added.append(record)  # type: ignore[arg-type]
                elif record is None:
                    removed.append(before)
                else:
                    updated.append((before, record))
        return Changes(tuple(added), tuple(updated), tuple(removed))
