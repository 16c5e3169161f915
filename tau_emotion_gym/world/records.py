"""Records: frozen typed structs, one class per table."""

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any, ClassVar, get_type_hints

import msgspec

CENT = Decimal("0.01")


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a table. The first field is its id; `table` names the table."""

    table: ClassVar[str] = ""


def record_id(record: Record) -> str:
    """The value of the record's first field."""
    return getattr(record, record.__struct_fields__[0])  # type: ignore[no-any-return]


@cache
def field_types(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Field name → declared type with its `Annotated` extras, class variables left out."""
    hints = get_type_hints(struct, include_extras=True)
    return {name: hints[name] for name in struct.__struct_fields__}


def money(amount: Decimal | int | str) -> Decimal:
    """An amount rounded half up to cents."""
    return Decimal(amount).quantize(CENT, ROUND_HALF_UP)


def cents(amount: int) -> Decimal:
    """An exact amount from integer cents."""
    return Decimal(amount).scaleb(-2)


_encoder = msgspec.json.Encoder(decimal_format="number")


def encode(value: Any) -> str:
    """A tool's result as the JSON text that the agent reads; a plain string stays as it is."""
    if type(value) is str:
        return value
    return _encoder.encode(value).decode()
