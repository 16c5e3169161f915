"""The phone company's rules: each is kept by one call and broken by another."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from telecom_shop import BASE, TODAY, account_of, first, records, run

from tau_emotion_gym.domains.telecom import DOMAIN
from tau_emotion_gym.domains.telecom.billing import (
    credit_due,
    days_after,
    days_between,
    lines_of,
    overdue,
    owed,
)
from tau_emotion_gym.domains.telecom.records import Account, Bill, Device, Line, Outage, Ticket
from tau_emotion_gym.domains.telecom.rules import current_outage, expired, wrong_setting
from tau_emotion_gym.kit import Context, Done
from tau_emotion_gym.world import World

RULES = {rule.id: rule for rule in DOMAIN.rules}


def kept(
    rule: str, name: str, arguments: dict[str, Any], calls: Sequence[Done] = (), world: World | None = None
) -> bool:
    """Whether a call keeps a rule, for the customer whose record it touches."""
    context = Context(world or World(BASE), calls=calls)
    bound = DOMAIN.tools[name].bind(arguments)
    assert name in RULES[rule].tools
    return RULES[rule].check(context, bound)


def done(name: str, **arguments: Any) -> Done:
    return Done(name, arguments, True, None)


def test_nothing_is_touched_before_the_customer_is_known_and_nothing_of_others() -> None:
    mine, other = records(Account)[:2]
    world, arguments = World(BASE), DOMAIN.tools["get_account"].bind({"account_id": mine.id})
    assert not RULES["authentication"].check(Context(world), arguments)
    assert RULES["authentication"].check(Context(world, customers=(mine.id,)), arguments)
    assert RULES["one_customer"].check(Context(world, customers=(mine.id,)), arguments)
    assert not RULES["one_customer"].check(Context(world, customers=(other.id,)), arguments)
    line = DOMAIN.tools["restore_line"].bind({"line_id": lines_of(world, other.id)[0].id})
    assert not RULES["one_customer"].check(Context(world, customers=(mine.id,)), line)


def test_a_write_needs_a_yes() -> None:
    account = records(Account)[0]
    arguments = DOMAIN.tools["set_autopay"].bind({"account_id": account.id, "payment_id": account.payments[0].id})
    assert not RULES["confirmation"].check(Context(World(BASE)), arguments)
    assert RULES["confirmation"].check(Context(World(BASE), consents=("set_autopay",)), arguments)


def late(line: Line) -> bool:
    return bool(overdue(World(BASE), line.account))


def free(line: Line) -> bool:
    return line.contract_until < TODAY


def dear(line: Line) -> bool:
    return line.plan == "max_80"


def booked(line: Line, days: int) -> bool:
    return bool(line.add_ons) and days_between(line.add_ons[0].since, TODAY) == days


def unpaid(bill: Bill) -> bool:
    return bill.status == "overdue" and overdue(World(BASE), bill.account)[0].id == bill.id


def splits(bill: Bill) -> bool:
    return bill.status in ("open", "overdue") and owed(bill) >= 100


PLAN = {"plan_id": "infinite"}
CHEAP = {"plan_id": "starter_3"}


@pytest.mark.parametrize(
    ("rule", "tool", "kind", "fits", "arguments", "verdict"),
    [
        ("nothing_overdue", "change_plan", Line, lambda n: not late(n), PLAN, True),
        ("nothing_overdue", "change_plan", Line, late, PLAN, False),
        ("contract_kept", "change_plan", Line, lambda n: dear(n) and free(n), CHEAP, True),
        ("contract_kept", "change_plan", Line, lambda n: dear(n) and not free(n), CHEAP, False),
        ("contract_kept", "change_plan", Line, lambda n: dear(n) and not free(n), PLAN, True),
        ("add_on_fits_plan", "add_add_on", Line, dear, {"add_on_id": "music_stream"}, True),
        ("add_on_fits_plan", "add_add_on", Line, lambda n: n.plan == "flex_12", {"add_on_id": "hotspot"}, False),
        ("installment_limits", "arrange_payment", Bill, splits, {"installments": 4}, True),
        ("installment_limits", "arrange_payment", Bill, splits, {"installments": 5}, False),
        ("installment_limits", "arrange_payment", Bill, lambda b: owed(b) == 0, {"installments": 2}, False),
        ("pause_limit", "suspend_line", Line, bool, {"reason": "away", "until": days_after(TODAY, 90)}, True),
        ("pause_limit", "suspend_line", Line, bool, {"reason": "away", "until": days_after(TODAY, 91)}, False),
        ("pause_limit", "suspend_line", Line, bool, {"reason": "away"}, False),
        ("pause_limit", "suspend_line", Line, bool, {"reason": "lost_or_stolen"}, True),
        ("paid_before_restored", "restore_line", Line, lambda n: n.status == "paused", {}, True),
        ("paid_before_restored", "restore_line", Line, lambda n: n.status == "unpaid", {}, False),
    ],
)
def test_rules_of_lines_and_bills(
    rule: str, tool: str, kind: type, fits: Any, arguments: dict[str, Any], verdict: bool
) -> None:
    key = "line_id" if kind is Line else "bill_id"
    assert kept(rule, tool, {key: first(kind, fits).id, **arguments}) is verdict


def test_one_add_on_of_a_group() -> None:
    line = first(Line, lambda line: any(item.add_on == "roaming_europe" for item in line.add_ons))
    assert not kept("one_of_a_group", "add_add_on", {"line_id": line.id, "add_on_id": "roaming_asia"})
    world = World(BASE)
    run(world, "drop_add_on", line_id=line.id, add_on_id="roaming_europe")
    assert kept("one_of_a_group", "add_add_on", {"line_id": line.id, "add_on_id": "roaming_asia"}, world=world)


def test_an_add_on_stays_for_thirty_days() -> None:
    line = first(Line, lambda line: bool(line.add_ons))
    for days, verdict in ((29, False), (30, True)):
        world = World(BASE)
        item = msgspec.structs.replace(line.add_ons[0], since=days_after(TODAY, -days))
        world.put(msgspec.structs.replace(line, add_ons=(item,)))
        assert (
            kept("minimum_term", "drop_add_on", {"line_id": line.id, "add_on_id": item.add_on}, world=world) is verdict
        )


def test_the_oldest_bill_is_paid_in_full_with_a_valid_card() -> None:
    bill = first(Bill, unpaid)
    account = account_of(World(BASE), bill)
    call = {"bill_id": bill.id, "payment_id": account.payments[0].id, "amount": owed(bill)}
    assert kept("oldest_in_full", "pay_bill", call)
    assert not kept("oldest_in_full", "pay_bill", {**call, "amount": owed(bill) - 1})
    newer = first(Bill, lambda bill: bill.status == "overdue" and not unpaid(bill))
    call = {"bill_id": newer.id, "payment_id": "P1", "amount": owed(newer)}
    assert not kept("oldest_in_full", "pay_bill", call)


def test_an_expired_card_is_never_used() -> None:
    account = first(Account, lambda account: any(expired(p, TODAY) for p in account.payments))
    for payment in account.payments:
        call = {"account_id": account.id, "payment_id": payment.id}
        assert kept("no_expired_card", "set_autopay", call) is not expired(payment, TODAY)


def test_one_arrangement_at_a_time() -> None:
    running = first(Bill, lambda bill: bill.status == "arranged")
    waiting = first(Bill, lambda bill: bill.account == running.account and bill.status in ("open", "overdue"))
    assert not kept("one_arrangement", "arrange_payment", {"bill_id": waiting.id, "installments": 2})
    alone = first(
        Bill,
        lambda bill: splits(bill) and all(b.status != "arranged" for b in records(Bill) if b.account == bill.account),
    )
    assert kept("one_arrangement", "arrange_payment", {"bill_id": alone.id, "installments": 2})


def test_the_pin_comes_before_a_new_sim_and_before_a_found_phone() -> None:
    line = first(Line, lambda line: line.status == "lost_or_stolen")
    checked = [done("verify_pin", account_id=line.account, pin="1234")]
    for tool, more in (("swap_sim", {"sim": "8901123456789"}), ("restore_line", {})):
        assert not kept("pin_first", tool, {"line_id": line.id, **more})
        assert kept("pin_first", tool, {"line_id": line.id, **more}, checked)
    assert kept("pin_first", "restore_line", {"line_id": first(Line, lambda n: n.status == "paused").id})


def test_a_sim_is_swapped_once_in_thirty_days() -> None:
    line = records(Line)[0]
    for days, verdict in ((29, False), (30, True)):
        world = World(BASE)
        world.put(msgspec.structs.replace(line, sim_since=days_after(TODAY, -days)))
        call = {"line_id": line.id, "sim": "8901123456789"}
        assert kept("sim_interval", "swap_sim", call, world=world) is verdict


def test_the_first_fault_is_mended_and_no_other() -> None:
    world = World(BASE)
    device = first(
        Device,
        lambda d: (
            d.sim_registered and wrong_setting(d) and not current_outage(world, account_of(world, line_of(d)).zip)
        ),
    )
    line = line_of(device)
    call = {"line_id": line.id, "setting": wrong_setting(device)}
    look = done("check_outage", zip=account_of(world, line).zip)
    sim = done("run_diagnostics", line_id=line.id, check="sim")
    settings_ = done("run_diagnostics", line_id=line.id, check="settings")
    assert kept("first_fault", "push_settings", call, [look, sim, settings_])
    for calls in ([], [look], [look, sim], [sim, settings_]):
        assert not kept("first_fault", "push_settings", call, calls)
    assert not kept("first_fault", "refresh_sim", {"line_id": line.id}, [look, sim, settings_])
    assert not kept("first_fault", "open_ticket", {"line_id": line.id, "topic": "device"}, [look, sim, settings_])


def line_of(device: Device) -> Line:
    line = World(BASE).get(Line, device.line)
    assert line is not None
    return line


def test_an_outage_comes_before_every_other_fault() -> None:
    outage = first(Outage, lambda outage: not outage.over)
    account = first(Account, lambda account: account.zip == outage.zip)
    line = lines_of(World(BASE), account.id)[0]
    calls = [done("check_outage", zip=account.zip)]
    assert kept("first_fault", "open_ticket", {"line_id": line.id, "topic": "outage"}, calls)
    assert not kept("first_fault", "refresh_sim", {"line_id": line.id}, calls)


@pytest.mark.parametrize(("days", "verdict"), [(7, False), (8, True)])
def test_a_ticket_waits_a_week(days: int, verdict: bool) -> None:
    world, ticket = World(BASE), first(Ticket, lambda ticket: ticket.status == "open")
    world.put(msgspec.structs.replace(ticket, opened=days_after(TODAY, -days)))
    call = {"ticket_id": ticket.id, "priority": "urgent"}
    assert kept("urgent_after_a_week", "update_ticket", call, world=world) is verdict


def test_a_goodwill_credit_is_exactly_what_is_due() -> None:
    world = World(BASE)
    account = first(Account, lambda account: credit_due(world, account) > 0)
    due = credit_due(world, account)
    assert kept("goodwill_limit", "apply_goodwill_credit", {"account_id": account.id, "amount": due})
    assert not kept("goodwill_limit", "apply_goodwill_credit", {"account_id": account.id, "amount": due + 5})


def test_fraud_is_stopped_before_it_is_handed_over() -> None:
    call = {"reason": "fraud", "summary": ""}
    stopped = [done("suspend_line", line_id="L1", reason="lost_or_stolen")]
    assert not kept("fraud_is_stopped_first", "transfer_to_human", call)
    assert kept("fraud_is_stopped_first", "transfer_to_human", call, stopped)
