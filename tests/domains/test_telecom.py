"""The phone company: its world, and the arithmetic of its tools."""

from collections import Counter
from decimal import Decimal
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telecom_shop import BASE, TODAY, account_of, first, records, run

from tau_emotion_gym.domains.telecom import DOMAIN
from tau_emotion_gym.domains.telecom.billing import (
    credit_due,
    credited,
    lines_of,
    owed,
)
from tau_emotion_gym.domains.telecom.catalogue import add_ons, catalogue, plans, suits
from tau_emotion_gym.domains.telecom.records import Account, Bill, Device, Line, Ticket
from tau_emotion_gym.domains.telecom.rules import expired, wrong_setting
from tau_emotion_gym.kit import ToolError
from tau_emotion_gym.world import World

PLANS = [plan.id for plan in catalogue().plans]


# --- the world --------------------------------------------------------------------------------------


def test_namesakes_live_in_the_same_town() -> None:
    people = Counter((account.first_name, account.zip[:3]) for account in records(Account))
    assert sum(count > 1 for count in people.values()) >= 20


def test_households_have_records_that_are_easily_mixed_up() -> None:
    world = World(BASE)
    children = tickets = cards = 0
    for account in records(Account):
        lines = lines_of(world, account.id)
        children += sum(line.user.startswith(("daughter", "son")) for line in lines) > 1
        topics = Counter(ticket.topic for ticket in world.where(Ticket, "account", account.id))
        tickets += max(topics.values()) > 1
        cards += max(Counter(p.label.split()[0] for p in account.payments).values()) > 1
        assert len({line.user for line in lines}) == len(lines)
        assert len({payment.label for payment in account.payments}) == len(account.payments)
    assert min(children, tickets, cards) >= 50


def test_a_bill_is_the_sum_of_its_items() -> None:
    for bill in records(Bill):
        assert sum((item.amount for item in bill.items), Decimal(0)) == bill.total
        assert bill.paid >= 0
        assert owed(bill) >= 0
        assert (bill.status == "paid") == (owed(bill) == 0)


def test_every_account_can_pay_and_has_one_device_a_line() -> None:
    assert all(any(not expired(p, TODAY) for p in account.payments) for account in records(Account))
    assert Counter(device.line for device in records(Device)) == Counter(line.id for line in records(Line))


def test_a_line_starts_with_add_ons_that_its_plan_allows_one_of_a_group() -> None:
    for line in records(Line):
        booked = [add_ons()[item.add_on] for item in line.add_ons]
        assert len({add_on.group for add_on in booked}) == len(booked)
        assert all(add_on.goes_with(plans()[line.plan]) for add_on in booked)


def test_a_pin_is_never_shown() -> None:
    account = records(Account)[0]
    for name in ("get_account", "list_lines", "list_bills", "list_tickets"):
        shown = msgspec.json.encode(run(World(BASE), name, account_id=account.id)).decode()
        assert f'"{account.pin}"' not in shown


# --- arithmetic -------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(records(Line)), st.lists(st.sampled_from(PLANS), min_size=1, max_size=5))
def test_prorated_differences_add_up_over_a_way_there_and_back(line: Line, way: list[str]) -> None:
    world = World(BASE)
    stops = [line.plan, *way, line.plan]
    changes = [run(world, "change_plan", line_id=line.id, plan_id=b) for a, b in pairwise(stops) if a != b]
    assert abs(sum((change.prorated for change in changes), Decimal(0))) <= Decimal("0.01") * len(changes)
    assert account_of(world, line).pending == sum((change.prorated for change in changes), Decimal(0))


def test_a_change_of_plan_is_billed_in_full_while_a_bill_is_overdue() -> None:
    bill = first(Bill, lambda bill: bill.status == "overdue")
    world = World(BASE)
    line = lines_of(world, bill.account)[0]
    other = next(plan for plan in catalogue().plans if plan.id != line.plan)
    change = run(world, "change_plan", line_id=line.id, plan_id=other.id)
    assert change.prorated == other.price - plans()[line.plan].price


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([b for b in records(Bill) if b.status in ("open", "overdue")]), st.lists(st.integers(1, 40000)))
def test_no_bill_is_ever_paid_twice(bill: Bill, cents: list[int]) -> None:
    world = World(BASE)
    payment = account_of(world, bill).payments[0].id
    for amount in (Decimal(number) / 100 for number in cents):
        before = world.get(Bill, bill.id)
        assert before is not None
        if amount > owed(before):
            with pytest.raises(ToolError):
                run(world, "pay_bill", bill_id=bill.id, payment_id=payment, amount=amount)
        else:
            after = run(world, "pay_bill", bill_id=bill.id, payment_id=payment, amount=amount)
            assert owed(after) == owed(before) - amount
            assert (after.status == "paid") == (owed(after) == 0)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(records(Account)), st.integers(1, 5000))
def test_a_credit_comes_off_the_next_bill_once(account: Account, cents: int) -> None:
    world, amount = World(BASE), Decimal(cents) / 100
    run(world, "apply_goodwill_credit", account_id=account.id, amount=amount)
    after = world.get(Account, account.id)
    assert after is not None
    assert after.pending == account.pending - amount
    assert credited(world, after) == credited(World(BASE), account) + amount


def test_the_credit_due_never_passes_the_limit_of_a_year() -> None:
    world = World(BASE)
    due = [(credit_due(world, account), credited(world, account)) for account in records(Account)]
    assert all(now >= 0 and now + before <= 25 for now, before in due if now)
    assert sum(now > 0 for now, _ in due) >= 40


def test_restoring_a_line_while_a_bill_is_overdue_costs_a_fee() -> None:
    line = first(Line, lambda line: line.status == "unpaid")
    world = World(BASE)
    run(world, "restore_line", line_id=line.id)
    assert account_of(world, line).pending == Decimal("10.00")


def test_an_add_on_that_does_not_suit_the_line_costs_a_fee() -> None:
    world = World(BASE)
    line = first(Line, lambda line: plans()[line.plan].tier == "basic")
    run(world, "add_add_on", line_id=line.id, add_on_id="music_stream")
    assert account_of(world, line).pending == Decimal("5.00")
    fitting = next(add_on for add_on in catalogue().add_ons if suits(line, add_on))
    run(world, "add_add_on", line_id=line.id, add_on_id=fitting.id)
    assert account_of(world, line).pending == Decimal("5.00")


def test_each_finding_is_cured_by_its_own_help() -> None:
    faults = {"apn": "apn_wrong", "mobile_data": "mobile_data_off", "network_mode": "network_mode_wrong"}
    for setting, finding in faults.items():
        device = first(Device, lambda device, setting=setting: wrong_setting(device) == setting)
        world = World(BASE)
        assert run(world, "run_diagnostics", line_id=device.line, check="settings").finding == finding
        run(world, "push_settings", line_id=device.line, setting=setting)
        assert run(world, "run_diagnostics", line_id=device.line, check="settings").finding == "ok"
    device = first(Device, lambda device: not device.sim_registered)
    world = World(BASE)
    run(world, "refresh_sim", line_id=device.line)
    assert run(world, "run_diagnostics", line_id=device.line, check="sim").finding == "ok"


@pytest.mark.parametrize("tool", [tool.name for tool in DOMAIN.own_tools if tool.name.startswith("find")])
def test_an_account_is_found_by_both_details_only(tool: str) -> None:
    account = records(Account)[3]
    right = {"phone": account.phone, "zip": account.zip, "email": account.email, "last_name": account.last_name}
    names = DOMAIN.tools[tool].arguments.__struct_fields__
    arguments = {name: right[name] for name in names}
    assert run(World(BASE), tool, **arguments).account_id == account.id
    for name in names:
        with pytest.raises(ToolError):
            run(World(BASE), tool, **{**arguments, name: "00000"})
