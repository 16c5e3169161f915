"""Building test sets: the same bytes each time, the mix, coverage, and reasons when it fails."""

import re
from collections import Counter

import msgspec
import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.emotions import assigned
from tau_emotion_gym.kit import Domain, Goal, Intent, Kind, Task
from tau_emotion_gym.tasks import build, walks
from tau_emotion_gym.tasks.build import BuildError, Built, build_test, reasons
from tau_emotion_gym.tasks.plan import DENY, FEWEST_CHAINED, HAND_OFF, MOST_EMERGENCIES, SIZES, TEST_TASKS, plan
from tau_emotion_gym.tasks.walks import Wish
from tau_emotion_gym.tasks.workshop import RejectedError, Workshop


def variant(domain: Domain, **changes) -> Domain:
    """The same domain with some attributes changed."""
    other = object.__new__(Domain)
    other.__dict__.update(domain.__dict__ | changes)
    return other


@pytest.fixture(scope="module")
def built(library: Domain) -> Built:
    return build_test(library)


def lines(tasks: list[Task]) -> bytes:
    return b"".join(msgspec.json.encode(task) + b"\n" for task in tasks)


def test_the_shipped_data_is_what_the_code_builds(each_domain: Domain):
    made = build_test(each_domain)
    folder = each_domain.folder
    again = f"run: python -m tau_emotion_gym.tasks.build {each_domain.name}"
    assert made.base.to_json() == (folder / "world.json").read_bytes(), again
    assert lines(made.tasks) == (folder / "tasks" / "test.jsonl").read_bytes(), again


def test_tasks_survive_their_file(each_domain: Domain):
    for line, task in zip(
        (each_domain.folder / "tasks" / "test.jsonl").read_bytes().splitlines(),
        each_domain.test_tasks.values(),
        strict=True,
    ):
        assert msgspec.json.encode(task) == line


def test_the_mix(each_domain: Domain):
    tasks = list(each_domain.test_tasks.values())
    goals = [goal for task in tasks for goal in task.goals]
    kinds = Counter(goal.kind for goal in goals)
    assert len(tasks) == TEST_TASKS
    for size, share in SIZES.items():
        assert share.least <= sum(len(task.goals) == size for task in tasks) <= share.greatest
    assert DENY.least <= 100 * kinds[Kind.DENY] / len(goals) <= DENY.greatest
    assert HAND_OFF.least <= 100 * kinds[Kind.HAND_OFF] / len(goals) <= HAND_OFF.greatest
    emergencies = [goal for goal in goals if each_domain.intents[goal.intent].emergency]
    assert len(emergencies) <= MOST_EMERGENCIES
    chained = [task for task in tasks if any(each_domain.intents[goal.intent].follows for goal in task.goals)]
    assert len(chained) >= FEWEST_CHAINED
    assert {goal.intent for goal in goals} == set(each_domain.intents)


def test_each_task_is_a_walk(each_domain: Domain):
    for task in each_domain.test_tasks.values():
        intents = [each_domain.intents[goal.intent] for goal in task.goals]
        assert len({intent.name for intent in intents}) == len(intents)
        assert walks.repeated(each_domain, task.goals) is None
        for goal in task.goals:
            assert (
                (1 if goal.kind is Kind.DENY else 2) <= walks.tools_used(task.identify.name, goal) <= walks.MOST_TOOLS
            )
        for before, intent in zip([None, *intents], intents, strict=False):
            if intent.follows:
                assert before is not None
                assert before.name in intent.follows
                assert task.reveal == "together"
        assert all(goal.kind is not Kind.HAND_OFF for goal in task.goals[:-1])


def test_rows_carry_their_conditions(each_domain: Domain):
    for row, task in enumerate(each_domain.test_tasks.values()):
        assert task.id == f"test-{row:03}"
        assert task.condition == assigned(each_domain.ordinal, row).index
        assert task.world is None
    assert len({task.seed for task in each_domain.test_tasks.values()}) == TEST_TASKS


def test_no_two_tasks_share_customer_and_intents(each_domain: Domain):
    tasks = each_domain.test_tasks.values()
    assert len({(t.customer, *(g.intent for g in t.goals)) for t in tasks}) == TEST_TASKS


def test_wishes_come_out_in_both_ways(built: Built):
    reveals = Counter(task.reveal for task in built.tasks if len(task.goals) > 1)
    assert min(reveals["together"], reveals["one_by_one"]) >= 10


def test_a_set_that_cannot_be_built_says_why(library: Domain, monkeypatch):
    def never(s) -> Goal | None:
        return None

    monkeypatch.setattr(build, "TRIES", 30)
    intents = dict(library.intents)
    for name, intent in intents.items():
        if intent.kind is Kind.DENY:
            intents[name] = Intent(name, intent.kind, never, intent.phrasings, intent.stakes)
    broken = variant(library, intents=intents)
    with pytest.raises(BuildError, match=r"domain library: no task for row \d+ .*\n(.*\n)*.*renew_again.*no customer"):
        build_test(broken)


def test_reasons_are_counted():
    text = reasons(Counter({"a": 3, "b": 12}))
    assert text.splitlines() == ["     12  b", "      3  a"]


def test_the_plan_is_fixed_and_whole(library: Domain):
    assert plan(library) == plan(library)
    assert len(plan(library)) == TEST_TASKS
    assert sum(wish.emergency for wish in plan(library)) <= MOST_EMERGENCIES


def test_a_domain_without_some_kinds_gets_plain_tasks(library: Domain):
    intents = {name: i for name, i in library.intents.items() if i.kind is Kind.FULFIL and not i.follows}
    assert set(plan(variant(library, intents=intents))) == {Wish(1), Wish(2), Wish(3)}


# --- the workshop ---------------------------------------------------------------------------------


def drafts(domain: Domain, wish: Wish, count: int = 40):
    workshop = Workshop(domain, domain.train_base(3))
    for number in range(400):
        try:
            yield workshop.draft(wish, Draw(number, "test"), lambda intent: 1)
        except RejectedError:
            continue
        count -= 1
        if not count:
            return


@pytest.mark.parametrize(
    "wish",
    [Wish(1), Wish(3), Wish(2, deny=True), Wish(2, hand_off=True), Wish(3, chained=True), Wish(1, emergency=True)],
)
def test_a_draft_is_as_wished(library: Domain, wish: Wish):
    made = list(drafts(library, wish))
    assert len(made) == 40
    for draft in made:
        intents = [library.intents[goal.intent] for goal in draft.goals]
        assert len(intents) == wish.size
        assert any(intent.emergency for intent in intents) == wish.emergency
        if not wish.emergency:
            assert sum(intent.kind is Kind.DENY for intent in intents) == wish.deny
            assert sum(intent.kind is Kind.HAND_OFF for intent in intents) == wish.hand_off
            assert any(intent.follows for intent in intents) == wish.chained


def sampled(library: Domain, name: str, **changes) -> Domain:
    """The library with one intent alone, its goals changed."""
    intent = library.intents[name]

    def sample(s) -> Goal | None:
        goal = intent.sample(s)
        return goal and msgspec.structs.replace(goal, **{k: v(goal) for k, v in changes.items()})

    other = Intent(name, intent.kind, sample, intent.phrasings, intent.stakes, intent.fallback, intent.insist)
    return variant(library, intents={name: other})


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("pay", {"calls": lambda g: g.calls[1:]}, r"^pay: nobody says where pay_fees .* comes from"),
        ("pay", {"calls": lambda g: (g.calls[1],) * 2}, r"^pay: the reference fails: pay_fees: the amount must be"),
        ("renew", {"calls": lambda g: (*g.calls, g.calls[1])}, r"renew: (renew_loan twice|renew_loan breaks the rule)"),
        ("renew", {"calls": lambda g: g.calls[1:]}, r"nobody says where renew_loan loan_id comes from"),
        ("renew", {"fill": lambda g: {}}, r"renew: a sentence of the intent has placeholders without fill"),
        ("renew", {"outputs": lambda g: (msgspec.structs.replace(g.outputs[0], value="2026-05-11"),)}, r"output"),
        ("renew_again", {"outputs": lambda g: ()}, r"renew_again: nothing to do and nothing to tell"),
        ("late_cost", {"outputs": lambda g: ()}, r"late_cost: informs without an output"),
        ("lost", {}, r"lost: a hand-off alone solves it"),
    ],
)
def test_faulty_goals_are_rejected_with_the_reason(library: Domain, name, changes, reason):
    domain = sampled(library, name, **changes)
    wish = Wish(1, deny=name == "renew_again", hand_off=name == "lost")
    workshop = Workshop(domain, library.train_base(3))
    seen = set()
    for number in range(30):
        with pytest.raises(RejectedError) as caught:
            workshop.draft(wish, Draw(number), lambda intent: 1)
        seen.add(str(caught.value))
    assert any(re.search(reason, text) for text in seen), seen


def test_a_chain_whose_order_does_not_matter_is_rejected(library: Domain):
    after = library.intents["renew"]
    chained = Intent("after", after.kind, after.sample, after.phrasings, after.stakes, follows=("pay",))
    domain = variant(library, intents={"pay": library.intents["pay"], "after": chained})
    workshop = Workshop(domain, library.train_base(3))
    seen = Counter()
    for number in range(60):
        with pytest.raises(RejectedError) as caught:
            workshop.draft(Wish(2, chained=True), Draw(number), lambda intent: 1)
        seen[str(caught.value)] += 1
    assert "pay+after: chained, and yet their order does not matter" in seen


def test_goals_that_touch_each_other_come_in_order(library: Domain):
    """A renewal and a question about the same list of loans: the first changes what the second reads."""
    for draft in drafts(library, Wish(2, deny=True), 60):
        if {goal.intent for goal in draft.goals} == {"renew", "renew_again"}:
            assert draft.reveal == "one_by_one"
            return
    raise AssertionError("no such draft")
