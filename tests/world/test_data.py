"""Worlds as files: the same bytes, and refusals that name the place."""

from decimal import Decimal

import pytest
from shop_tables import KINDS, Order, Payment, base

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.world import Base, cents, encode, money
from tau_emotion_gym.world.state import digest

DATA = base().to_json()


def read(data: bytes, **more) -> Base:
    return Base.from_json(data, KINDS, source="world.json", **more)


def test_a_world_survives_its_file():
    found = read(DATA, checksum=digest(DATA))
    assert found.tables == base().tables
    assert found.now == base().now
    assert found.to_json() == DATA


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (DATA[:-20], r"world.json, line \d+: "),
        (DATA.replace(b'"owner":"ann"', b'"owner":7', 1), r"world.json, line 4: table 'orders': .*str.*int"),
        (DATA.replace(b'"order":"O0"', b'"ordre":"O0"'), r"world.json, line 9: table 'payments': .*order"),
        (DATA.replace(b'"0.50"', b'"0.50'), r"world.json, line 9: "),
        (DATA.replace(b"payments", b"payment"), r"world.json: the table 'payments' is missing"),
        (DATA.replace(b'"payments":', b'"more":[],"payments":'), r"world.json: unknown tables \['more'\]"),
        (DATA.replace(b"2026-03-05T", b"2026-33-05T", 1), r"world.json, line 1: "),
        (DATA.replace(b'"O2"', b'"O1"'), r"'O1' occurs twice"),
        (b"\xff" + DATA, r"world.json, line 1: "),
        (b"", r"world.json, line 1: "),
    ],
)
def test_damage_is_named(data, reason):
    assert data != DATA
    with pytest.raises(DataError, match=reason):
        read(data)


def test_a_changed_world_is_refused_by_its_checksum():
    changed = DATA.replace(b'"owner":"ann"', b'"owner":"eve"', 1)
    assert read(changed)
    with pytest.raises(DataError, match=r"world.json: checksum \w{16} is not the recorded \w{16}"):
        read(changed, checksum=digest(DATA))


def test_money_is_exact():
    assert money("42.5") == Decimal("42.50")
    assert str(money("0.125")) == "0.13"
    assert str(money(3)) == "3.00"
    assert str(cents(4250)) == "42.50"


def test_results_are_json_with_numbers():
    assert encode(base().tables[Payment]["P0"]) == '{"id":"P0","order":"O0","amount":0.50}'
    assert encode("as it is") == "as it is"
    assert encode((cents(5), None, True)) == "[0.05,null,true]"


def test_an_index_is_in_table_order():
    assert [row.id for row in base().index(Order, "owner")["bob"]] == ["O0", "O2"]
