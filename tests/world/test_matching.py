"""When two changes are the same change."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shop_tables import KINDS, Line, Order, Payment, base, order

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.world import ChangeSet, World, canonical, differences, from_change_set, to_change_set

EMPTY = canonical(World(base()).changes())


def after(*records, removed=()):
    world = World(base())
    for record in records:
        world.put(record)
    for record in removed:
        world.remove(record)
    return canonical(world.changes())


def changed(**fields):
    return msgspec.structs.replace(base().tables[Order]["O1"], **fields)


def pay(key, order_key, amount="5.00"):
    return Payment(id=key, order=order_key, amount=msgspec.convert(amount, Payment.__annotations__["amount"]))


# --- created records ------------------------------------------------------------------------------


def test_neither_ids_nor_the_order_of_creation_matter():
    one = after(pay("A", "O1", "5.00"), pay("B", "O2", "6.00"))
    two = after(pay("X", "O2", "6.00"), pay("Y", "O1", "5.00"))
    assert one == two
    assert hash(one) == hash(two)
    assert differences(one, two) == []


def test_created_records_count_as_often_as_they_occur():
    assert after(pay("A", "O1"), pay("B", "O1")) != after(pay("A", "O1"))
    assert after(pay("A", "O1"), pay("B", "O1")) == after(pay("C", "O1"), pay("D", "O1"))


def test_links_between_created_records_matter():
    """Two orders, alike but for their totals, and their payments: crossed links are another change."""

    def bookings(first, second):
        return after(
            order("N1", total="1.00", payment=first),
            order("N2", total="2.00", payment=second),
            pay("Q1", "N1" if first == "Q1" else "N2", "7.00"),
            pay("Q2", "N2" if second == "Q2" else "N1", "8.00"),
        )

    straight, crossed = bookings("Q1", "Q2"), bookings("Q2", "Q1")
    assert straight != crossed
    renamed = after(
        pay("Z9", "M2", "8.00"),
        order("M2", total="2.00", payment="Z9"),
        order("M1", total="1.00", payment="Z1"),
        pay("Z1", "M1", "7.00"),
    )
    assert straight == renamed


def test_links_that_go_round_matter():
    """Identical records that differ only in which of them point at each other."""
    pairs = after(
        *(order(f"N{n}", payment=f"Q{n}") for n in range(4)),
        *(pay(f"Q{n}", f"N{n}") for n in range(4)),
    )
    astray = after(
        *(order(f"N{n}", payment=f"Q{n}") for n in range(4)),
        *(pay(f"Q{n}", "N0") for n in range(4)),
    )
    assert pairs != astray


def test_an_update_may_point_at_a_created_record():
    one = after(changed(payment="A"), pay("A", "O1", "5.00"), pay("B", "O1", "6.00"))
    two = after(changed(payment="D"), pay("C", "O1", "6.00"), pay("D", "O1", "5.00"))
    wrong = after(changed(payment="B"), pay("A", "O1", "5.00"), pay("B", "O1", "6.00"))
    assert one == two
    assert one != wrong


# --- fields ---------------------------------------------------------------------------------------


def test_free_text_and_ignored_fields_do_not_decide():
    assert after(changed(note="written by the agent", touched=9)) == EMPTY
    assert after(changed(note="x")).empty
    one = order("N", note="a", lines=[{"what": "cup", "price": 1, "note": "left"}])
    two = order("M", note="b", lines=[{"what": "cup", "price": 1, "note": "right"}], touched=3)
    assert after(one) == after(two)


def test_money_is_a_value_and_not_its_digits():
    assert after(changed(total=msgspec.convert("42.5", type(base().tables[Order]["O1"].total)))) == after(
        changed(total=msgspec.convert("42.50", type(base().tables[Order]["O1"].total)))
    )
    assert after(pay("A", "O1", "42.5")) == after(pay("B", "O1", "42.50"))
    assert after(pay("A", "O1", "42.5")) != after(pay("B", "O1", "42.51"))


@pytest.mark.parametrize(
    ("field", "one", "two", "same"),
    [
        ("cards", ("a", "b", "b"), ("b", "a", "b"), True),
        ("cards", ("a", "b", "b"), ("a", "a", "b"), False),
        ("tags", ("a", "b", "b"), ("b", "a"), True),
        ("tags", ("a", "b"), ("a", "c"), False),
        ("lines", (Line("a", 1), Line("b", 2)), (Line("b", 2), Line("a", 1)), False),
        ("lines", (Line("a", 1, "x"),), (Line("a", 1, "y"),), True),
        ("seats", {"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ("seats", {"a": 1}, {"a": 2}, False),
        ("sent", None, "2026-03-06", False),
        ("payment", None, "P0", False),
    ],
)
def test_each_field_says_how_it_compares(field, one, two, same):
    assert (after(changed(**{field: one})) == after(changed(**{field: two}))) is same
    created = (order("N").__class__, {"id": "N", "owner": "ann", "total": order("N").total})
    kind, plain = created
    assert (after(kind(**plain, **{field: one})) == after(kind(**plain, **{field: two}))) is same


def test_what_ends_as_it_began_is_no_change():
    world = World(base())
    world.put(changed(status="closed"))
    world.put(changed(status="open"))
    assert canonical(world.changes()).empty


def test_the_order_of_updates_does_not_matter():
    one = after(changed(status="closed"), order("O2", owner="cy", total="20.00"))
    two = after(order("O2", owner="cy", total="20.00"), changed(status="closed"))
    assert one == two


def test_removal_and_update_are_different():
    gone = after(removed=[base().tables[Order]["O1"]])
    assert gone != EMPTY
    assert not gone.empty
    assert gone != after(changed(status="closed"))


# --- differences ----------------------------------------------------------------------------------


def test_differences_name_the_field():
    reached, expected = after(changed(status="closed")), after(changed(owner="cy"))
    found = differences(reached, expected)
    assert {(d.table, d.record, d.field) for d in found} == {("orders", "O1", "status"), ("orders", "O1", "owner")}
    assert any("orders/O1 owner: expected cy, reached (unchanged)" in str(d) for d in found)


def test_differences_name_created_and_removed_records():
    reached = after(pay("A", "O1"), removed=[base().tables[Order]["O1"]])
    texts = [str(d) for d in differences(reached, EMPTY)]
    assert any("payments/(new)" in text for text in texts)
    assert "orders/O1 record: expected kept, reached removed" in texts
    assert len(differences(EMPTY, reached)) == 2


# --- as data --------------------------------------------------------------------------------------

MONEY = st.sampled_from(["1.00", "42.50", "42.5"])
CREATED = st.lists(
    st.builds(
        order,
        st.sampled_from(["N1", "N2", "N3"]),
        total=MONEY,
        tags=st.lists(st.sampled_from("abc"), max_size=2),
        payment=st.sampled_from([None, "P0", "Q1", "Q2"]),
        note=st.text(max_size=3),
        sent=st.sampled_from([None, "2026-03-05"]),
        lines=st.lists(st.fixed_dictionaries({"what": st.sampled_from("xy"), "price": MONEY}), max_size=2),
    ),
    max_size=3,
)
PAID = st.lists(st.builds(pay, st.sampled_from(["Q1", "Q2"]), st.sampled_from(["O1", "N1", "N2"]), MONEY), max_size=2)
UPDATED = st.lists(
    st.builds(
        order,
        st.sampled_from(["O0", "O1"]),
        total=MONEY,
        payment=st.sampled_from([None, "Q1", "Q2"]),
        cards=st.lists(st.sampled_from("ab"), max_size=3),
        note=st.text(max_size=3),
    ),
    max_size=2,
)


@given(CREATED, PAID, UPDATED, st.sampled_from([(), ("O2",), ("O2", "O3")]))
def test_changes_survive_storage(created, paid, updated, removed):
    world = World(base())
    for record in (*created, *paid, *updated, *created[:1]):
        world.put(record)
    for key in removed:
        world.remove(base().tables[Order][key])
    changes = world.changes()
    stored = msgspec.json.decode(msgspec.json.encode(to_change_set(changes)), type=ChangeSet)
    assert from_change_set(stored, KINDS) == canonical(changes)


@given(CREATED, PAID, st.randoms(use_true_random=False))
def test_names_of_created_records_never_matter(created, paid, random):
    rows = [*{record.id: record for record in (*created, *paid)}.values()]
    names = {record.id: f"R{n}" for n, record in enumerate(rows)}

    def renamed(record):
        if isinstance(record, Payment):
            return msgspec.structs.replace(record, id=names[record.id], order=names.get(record.order, record.order))
        return msgspec.structs.replace(record, id=names[record.id], payment=names.get(record.payment, record.payment))

    others = [renamed(record) for record in rows]
    random.shuffle(others)
    assert after(*rows) == after(*others)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"added": {"nope": [{}]}}, "nope"),
        ({"added": {"payments": [{"id": "A"}]}}, "order"),
        ({"updated": {"orders": {"O1": {"nope": 1}}}}, "nope"),
        ({"updated": {"orders": {"O1": {"total": "much"}}}}, "decimal"),
        ({"removed": {"nope": ["O1"]}}, "nope"),
    ],
)
def test_damaged_changes_are_refused(data, reason):
    with pytest.raises(DataError, match=reason):
        from_change_set(msgspec.convert(data, ChangeSet), KINDS)
