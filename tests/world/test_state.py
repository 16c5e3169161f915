"""The overlay behaves like a plain dict, rolls back, and forks without leaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shop_tables import NOW, Order, Payment, base, order

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.world import Base, World, cents, encode

KEYS = [f"O{n}" for n in range(7)]
RECORDS = st.builds(
    order, st.sampled_from(KEYS), owner=st.sampled_from(["ann", "bob", "cy"]), total=st.sampled_from(["1.00", "2.50"])
)
STEPS = st.lists(st.one_of(RECORDS, st.sampled_from(KEYS)), max_size=12)
"""An order is put; a key is removed."""


def apply(world: World, model: dict[str, Order], steps) -> None:
    for step in steps:
        if isinstance(step, Order):
            world.put(step)
            model[step.id] = step
        elif (found := world.get(Order, step)) is not None:
            world.remove(found)
            del model[step]


def check_equal(world: World, model: dict[str, Order]) -> None:
    assert {record.id: record for record in world.all(Order)} == model
    assert len(list(world.all(Order))) == len(model)
    for key in KEYS:
        assert world.get(Order, key) == model.get(key)
    for owner in ("ann", "bob", "cy"):
        found = world.where(Order, "owner", owner)
        assert sorted(found, key=lambda r: r.id) == sorted(
            (r for r in model.values() if r.owner == owner), key=lambda r: r.id
        )


@given(STEPS)
def test_overlay_is_a_dict(steps):
    start = base()
    world, model = World(start), dict(start.tables[Order])
    apply(world, model, steps)
    check_equal(world, model)


@given(STEPS)
def test_the_text_of_a_record_is_that_of_its_state(steps):
    """Texts are kept for the base's records only: neither a change nor a change back may show another's text."""
    start = base()
    first = {key: World(start).text(record) for key, record in start.tables[Order].items()}
    world, model = World(start), dict(start.tables[Order])
    apply(world, model, steps)
    for key, record in model.items():
        assert world.text(world.get(Order, key)) == world.text(record) == encode(record)
    for value in (None, "plain", cents(250), (), list(model.values()), NOW):
        assert world.text(value) == encode(value)
    assert {key: World(start).text(record) for key, record in start.tables[Order].items()} == first


@given(STEPS, STEPS)
def test_rollback_undoes_exactly_what_came_after(before, after):
    start = base()
    world, model = World(start), dict(start.tables[Order])
    apply(world, model, before)
    mark, changes = world.savepoint(), world.changes()
    apply(world, dict(model), after)
    world.rollback(mark)
    check_equal(world, model)
    assert world.changes() == changes


@given(STEPS, STEPS, STEPS)
def test_forks_do_not_see_each_other(before, left, right):
    start = base()
    one, model = World(start), dict(start.tables[Order])
    apply(one, model, before)
    two, other = one.fork(), dict(model)
    apply(one, model, left)
    apply(two, other, right)
    check_equal(one, model)
    check_equal(two, other)
    two.rollback(0)
    check_equal(one, model)


@given(STEPS)
def test_changes_say_what_differs_from_the_base(steps):
    start = base()
    world, model = World(start), dict(start.tables[Order])
    apply(world, model, steps)
    added, updated, removed = world.changes()
    rebuilt = dict(start.tables[Order])
    for record in removed:
        assert rebuilt.pop(record.id) is record
    for was, now in updated:
        assert rebuilt[was.id] is was
        rebuilt[now.id] = now
    for record in added:
        assert record.id not in rebuilt
        rebuilt[record.id] = record
    assert rebuilt == model


def test_the_base_never_changes():
    start = base()
    tables = {kind: dict(rows) for kind, rows in start.tables.items()}
    world = World(start)
    world.put(order("O1", owner="cy"))
    world.remove(start.tables[Payment]["P0"])
    assert start.tables == tables
    assert World(start).where(Order, "owner", "cy") == []
    assert World(start).changes() == ((), (), ())


def test_a_record_created_and_removed_leaves_nothing():
    world = World(base())
    world.put(order("O9"))
    world.remove(order("O9"))
    assert world.changes() == ((), (), ())
    assert world.where(Order, "owner", "ann") == [base().tables[Order][key] for key in ("O1", "O3")]


def test_an_id_is_used_once_in_a_base():
    with pytest.raises(DataError, match=r"orders.*'O1' occurs twice"):
        Base({Order: [order("O1"), order("O1")]}, NOW)


def test_new_ids_come_from_content_and_are_free():
    world = World(base())
    first = world.new_id(Payment, "P", "O1", 5)
    assert first == World(base()).new_id(Payment, "P", "O1", 5)
    assert first.startswith("P")
    assert len(first) == 7
    world.put(Payment(id=first, order="O1", amount=cents(500)))
    second = world.new_id(Payment, "P", "O1", 5)
    assert second != first
    assert world.get(Payment, second) is None
    assert world.new_id(Payment, "P", "O2", 5) == World(base()).new_id(Payment, "P", "O2", 5)
