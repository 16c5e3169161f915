"""What every shipped domain has: size, people who are easily confused, and tasks that are hard in the right way."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Call, Domain, Goal, Kind, Task
from tau_emotion_gym.tasks.check import is_chained
from tau_emotion_gym.tasks.replay import Replayer, ReplayError
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.world import Base, World, canonical
from tau_emotion_gym.world.changes import Canonical

LARGEST_WORLD = 1_500_000
LEAST_FIT = 0.1


def customers_of(domain: Domain, base: Base) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(customer) for customer in base.tables[domain.customer_kind].values()]


def full_names(domain: Domain, base: Base) -> set[str]:
    return {one.get("name") or f"{one['first_name']} {one['last_name']}" for one in customers_of(domain, base)}


class End(NamedTuple):
    """Where goals lead: the net change, what each goal's calls gave (None for a failure), the rules broken."""

    state: Canonical
    given: dict[str, list[object]]
    broken: set[str]


def end_of(domain: Domain, identify: Call, goals: Sequence[Goal]) -> End:
    runner = Replayer(domain, domain.test_base)
    runner.run(identify)
    given = {goal.intent: [tried(runner, call) for call in goal.calls] for goal in goals}
    return End(canonical(runner.world.changes()), given, {rule for _, rule in runner.violations})


def tried(runner: Replayer, call: Call) -> object:
    try:
        return runner.run(call)
    except ReplayError:
        return None


def follower(domain: Domain, task: Task) -> int:
    """Where the goal stands that depends on the one before it."""
    return next(at for at, goal in enumerate(task.goals) if domain.intents[goal.intent].follows)


# --- size -------------------------------------------------------------------------------------------


def test_there_is_enough_to_do(domain: Domain) -> None:
    writes = sum(tool.writes for tool in domain.own_tools)
    assert len(domain.own_tools) >= 12
    assert abs(2 * writes - len(domain.own_tools)) <= 2
    assert 12 <= len(domain.rules) <= 20
    assert len(domain.intents) >= 12
    assert {intent.kind for intent in domain.intents.values()} == set(Kind)
    assert sum(bool(intent.follows) for intent in domain.intents.values()) >= 2


def test_the_world_is_large_and_its_file_is_not(domain: Domain) -> None:
    assert len(domain.test_base.tables[domain.customer_kind]) >= 200
    assert (domain.folder / "world.json").stat().st_size <= LARGEST_WORLD


def test_scale_multiplies_the_customers(domain: Domain) -> None:
    one, two = (domain.make_base(1, scale=scale, train=False) for scale in (1, 2))
    assert len(two.tables[domain.customer_kind]) == 2 * len(one.tables[domain.customer_kind])


def test_worlds_repeat_and_invent_other_people_for_training(domain: Domain) -> None:
    first, again = (domain.make_base(7, train=True) for _ in range(2))
    assert first.to_json() == again.to_json()
    trained, tested = (full_names(domain, base) for base in (first, domain.test_base))
    assert not trained & tested


# --- people -----------------------------------------------------------------------------------------


def test_many_customers_share_their_first_name(domain: Domain) -> None:
    customers = customers_of(domain, domain.test_base)
    first = Counter(one.get("first_name") or one["name"].split()[0] for one in customers)
    assert sum(count for count in first.values() if count > 1) >= len(customers) / 3


def test_every_customer_is_found_in_both_ways(domain: Domain, some_customers: list[Any]) -> None:
    world, used = World(domain.test_base), Counter[str]()
    for customer in some_customers:
        for seed in range(6):
            _, call = domain.identify(customer, Draw(seed, customer.id))
            tool = domain.tools[call.name]
            found = tool.run(world, tool.bind(call.arguments))
            key = found if isinstance(found, str) else msgspec.structs.astuple(found)[0]
            assert key == customer.id
            used[call.name] += 1
    assert used.keys() == set(domain.identify_tools)
    assert len(used) >= 2


# --- wishes -----------------------------------------------------------------------------------------


def test_no_intent_is_for_a_few_customers_only(domain: Domain, goals: list[Goal], some_customers: list[Any]) -> None:
    fits = Counter(goal.intent for goal in goals)
    shares = {name: fits[name] / len(some_customers) for name, i in domain.intents.items() if not i.follows}
    assert {name: share for name, share in shares.items() if share < LEAST_FIT} == {}
    assert sum(share >= 0.25 for share in shares.values()) >= 0.9 * len(shares)


def test_every_intent_is_sampled_in_training(domain: Domain) -> None:
    found = {goal.intent for index in range(1200) for goal in train_task(domain, 5, index).goals}
    assert found == domain.intents.keys()


def test_chains_in_the_wrong_order_end_otherwise(domain: Domain) -> None:
    """In another state or with a rule broken; where the second wish is a question, with another answer."""
    tasks = [task for task in domain.test_tasks.values() if is_chained(domain, task)]
    assert len(tasks) >= 8
    for task in tasks:
        at = follower(domain, task)
        second, order = task.goals[at], list(task.goals)
        order[at - 1], order[at] = order[at], order[at - 1]
        right, wrong = (end_of(domain, task.identify, goals) for goals in (task.goals, order))
        assert not right.broken, task.id
        if second.kind is Kind.INFORM:
            assert right.given[second.intent] != wrong.given[second.intent], task.id
        else:
            assert right.state != wrong.state or wrong.broken, task.id


def test_refusals_and_second_bests_are_met_often(domain: Domain) -> None:
    tasks = domain.test_tasks.values()
    assert sum(any(g.kind in (Kind.DENY, Kind.CONDITIONAL) for g in task.goals) for task in tasks) >= 35
