"""Replaying references: the state they reach, the rules they break, and where they fail."""

import pickle

import pytest

from tau_emotion_gym.kit import TRANSFER, Call, Domain
from tau_emotion_gym.tasks.expected import expected_sets, unexpected
from tau_emotion_gym.tasks.replay import ReplayError, identified, replay, replay_task
from tau_emotion_gym.world import Base, Changes, World, canonical


@pytest.fixture(scope="module")
def base(library: Domain) -> Base:
    return library.train_base(0)


@pytest.fixture(scope="module")
def member(library: Domain, base: Base):
    """A member with loans and with fees of ten dollars or more."""
    loans = base.index(library.records[2], "member")
    return next(m for m in base.tables[library.customer_kind].values() if m.id in loans and m.fees >= 10)


@pytest.fixture(scope="module")
def known(member) -> Call:
    return Call("find_member_by_email", {"email": member.email})


def pay(member, amount) -> Call:
    return Call("pay_fees", {"member_id": member.id, "amount": amount})


def test_calls_run_in_order(library, base, member, known):
    found = replay(library, base, [known, pay(member, str(member.fees))])
    assert [done.name for done in found.done] == ["find_member_by_email", "pay_fees"]
    assert found.done[0].value == member.id
    assert found.done[1].arguments == {"member_id": member.id, "amount": member.fees}
    assert found.world.get(library.customer_kind, member.id).fees == 0
    assert found.violations == []
    assert World(base).get(library.customer_kind, member.id).fees == member.fees


def test_broken_rules_are_listed_with_their_calls(library, base, member, known):
    part = pay(member, 1)
    assert replay(library, base, [part, known]).violations == [
        (0, "authentication"),
        (0, "one_customer"),
        (0, "paid_in_full"),
    ]
    book = next(iter(base.tables[library.records[1]].values()))
    hold = Call("place_hold", {"member_id": member.id, "book_id": book.id, "pickup": book.branch})
    assert replay(library, base, [known, hold]).violations == [(1, "fees_block_holds")]
    assert replay(library, base, [known, pay(member, float(member.fees)), hold]).violations == []


def test_serving_two_customers_is_seen(library, base, member, known):
    other = next(m for m in base.tables[library.customer_kind].values() if m.id != member.id)
    again = Call("find_member_by_email", {"email": other.email})
    calls = [known, again, Call("get_member", {"member_id": other.id})]
    assert replay(library, base, calls).violations == [(2, "one_customer")]
    assert replay(library, base, [known, known, Call("get_member", {"member_id": member.id})]).violations == []


def test_consent_rules_are_left_to_play(library, base, member, known):
    """A reference has no dialogue, so a rule about the user's yes cannot be broken by it."""
    rules = library.rules_of["pay_fees"]
    assert "confirmation" in [rule.id for rule in rules if rule.in_play]
    assert replay(library, base, [known, pay(member, str(member.fees))]).violations == []


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (Call("pay_fees", {"member_id": "M000000", "amount": 1}), "pay_fees: no member has the id M000000"),
        (Call("pay_fees", {"member_id": "M000000"}), "pay_fees: .*missing required field `amount`"),
        (Call("pay_fee", {}), "unknown tool 'pay_fee'"),
        (Call(TRANSFER, {"reason": "bored"}), "transfer_to_human: Invalid enum value 'bored'"),
    ],
)
def test_failures_name_the_task_the_call_and_the_reason(library, base, known, call, reason):
    with pytest.raises(ReplayError, match=rf"task t-7, call 1: {reason}") as caught:
        replay(library, base, [known, call], "t-7")
    assert (caught.value.task_id, caught.value.index) == ("t-7", 1)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_the_identified_customer_is_an_id_or_begins_with_it(member):
    assert identified("M1") == "M1"
    assert identified(member) == member.id


def test_every_shipped_reference_reaches_what_is_expected(each_domain: Domain):
    for task in each_domain.test_tasks.values():
        found = replay_task(each_domain, task)
        assert found.violations == [], task.id
        assert canonical(found.world.changes()) in expected_sets(each_domain, task), task.id


def test_what_was_right_once_stays_right_and_lets_nothing_else_through(each_domain: Domain):
    for task in list(each_domain.test_tasks.values())[:30]:
        right = replay_task(each_domain, task).world.changes()
        half = Changes(right.added[:-1], right.updated[:-1], right.removed)
        wrong = None if canonical(half) in expected_sets(each_domain, task) else canonical(half)
        for _ in range(2):
            assert unexpected(each_domain, task, right) is None
            assert unexpected(each_domain, task, replay_task(each_domain, task).world.changes()) is None
            assert unexpected(each_domain, task, half) == wrong


def test_a_replay_leaves_the_shipped_world_alone(each_domain: Domain):
    task = next(iter(each_domain.test_tasks.values()))
    first, second = replay_task(each_domain, task), replay_task(each_domain, task)
    assert canonical(first.world.changes()) == canonical(second.world.changes())
    assert canonical(World(each_domain.test_base).changes()).empty
