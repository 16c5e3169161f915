"""Training tasks: without end, by address, in any order, and apart from the test set."""

import pickle
import subprocess
import sys
from collections import Counter

import msgspec
import pytest

from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.errors import TauEmotionError, UnknownName
from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.tasks import train
from tau_emotion_gym.tasks.check import shared_ids, task_problems
from tau_emotion_gym.tasks.expected import expected_sets
from tau_emotion_gym.tasks.replay import replay_task
from tau_emotion_gym.tasks.train import BLOCK, task_by_id, task_ids, train_task
from tau_emotion_gym.world import Base, canonical


def encoded(task: Task) -> bytes:
    return msgspec.json.encode(task)


def test_the_order_of_asking_does_not_matter(library: Domain):
    places = [(1, 3 * BLOCK + 5), (0, 2), (1, 0), (0, BLOCK), (1, 3 * BLOCK + 4)]
    first = [encoded(train_task(library, *place)) for place in places]
    train._block.cache_clear()
    train._workshop.cache_clear()
    library.train_base.cache_clear()
    second = [encoded(train_task(library, *place)) for place in reversed(places)]
    assert first == second[::-1]
    assert len(set(first)) == len(places)


def test_another_process_makes_the_same_tasks(library: Domain):
    code = (
        "import sys, msgspec\n"
        "from tau_emotion_gym.kit import add_folder, load\n"
        "from tau_emotion_gym.tasks.train import train_task\n"
        "domain = load(add_folder(sys.argv[1]))\n"
        "sys.stdout.buffer.write(b''.join(msgspec.json.encode(train_task(domain, 4, i)) for i in range(40)))\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", code, str(library.folder)], capture_output=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    assert made.stdout == b"".join(encoded(train_task(library, 4, index)) for index in range(40))


def test_training_tasks_are_sound(each_domain: Domain):
    for index in range(64):
        task = train_task(each_domain, 2, index)
        assert list(task_problems(each_domain, task)) == [], task.id


def test_expected_changes_are_those_of_the_reference(each_domain: Domain):
    for index in range(32):
        task = train_task(each_domain, 2, index)
        reached = canonical(replay_task(each_domain, task).world.changes())
        stored = msgspec.json.decode(encoded(task), type=Task)
        assert expected_sets(each_domain, task) == (reached,)
        assert expected_sets(each_domain, stored) == (reached,)
        assert expected_sets(each_domain, stored) is expected_sets(each_domain, stored)
        assert expected_sets(each_domain, pickle.loads(pickle.dumps(task))) == (reached,)


def test_training_tasks_are_mixed_like_test_tasks(each_domain: Domain):
    tasks = [train_task(each_domain, 0, index) for index in range(320)]
    sizes = Counter(len(task.goals) for task in tasks)
    assert 0.25 < sizes[1] / 320 < 0.5
    assert 0.35 < sizes[2] / 320 < 0.6
    assert 0.1 < sizes[3] / 320 < 0.3
    intents = Counter(goal.intent for task in tasks for goal in task.goals)
    assert len(intents) >= 0.8 * len(each_domain.intents)
    assert len({task.condition for task in tasks}) > 200
    assert {task.condition for task in tasks} <= set(range(len(CONDITIONS)))
    assert len({encoded(task) for task in tasks}) == 320
    assert len({task.seed for task in tasks}) == 320


def test_ids(library: Domain):
    task = train_task(library, 3, 70)
    assert (task.id, task.world) == ("train-3-70", 3)
    assert task_by_id(library, "train-3-70") is task
    shipped = library.test_tasks["test-007"]
    assert task_by_id(library, "test-007") is shipped
    assert task_ids(library, "test") == list(library.test_tasks)
    assert task_ids(library, "test", count=2) == ["test-000", "test-001"]
    assert task_ids(library, "train", world_seed=9, count=2) == ["train-9-0", "train-9-1"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda d: task_by_id(d, "test-7"), r"unknown task of domain library 'test-7'; did you mean 'test-0"),
        (lambda d: task_by_id(d, "test-100"), r"did you mean 'test-"),
        (lambda d: task_by_id(d, "train-1"), r"'train-1': a training task is called train-<world seed>-<index>"),
        (lambda d: task_by_id(d, "train-1--2"), r"for example train-0-17"),
        (lambda d: task_by_id(d, "train-01-2"), r"for example train-0-17"),
        (lambda d: task_ids(d, "tst"), r"unknown split 'tst'; did you mean 'test'\? Valid: test, train"),
        (lambda d: task_ids(d, "train"), r"the train split has no end: say how many"),
        (lambda d: train_task(d, 0, -1), r"count from 0"),
        (lambda d: train_task(d, -1, 0), r"count from 0"),
    ],
)
def test_unknown_ids_and_splits_suggest_valid_ones(library: Domain, ask, message):
    with pytest.raises(UnknownName, match=message):
        ask(library)


def test_train_and_test_share_nothing(each_domain: Domain):
    test, kind = each_domain.test_base, each_domain.customer_kind
    for seed in range(3):
        base = each_domain.train_base(seed)
        assert shared_ids(test, base) == {}
        assert not set(test.tables[kind]) & set(base.tables[kind])
        emails = [{getattr(row, "email", key) for key, row in world.tables[kind].items()} for world in (test, base)]
        assert not emails[0] & emails[1]
    contents = {content(task) for task in each_domain.test_tasks.values()}
    assert contents.isdisjoint(content(train_task(each_domain, 0, index)) for index in range(96))


def content(task: Task) -> bytes:
    return encoded(msgspec.structs.replace(task, id="", condition=0, seed=0, world=None))


def test_shared_ids_are_found(library: Domain):
    base, kind = library.train_base(0), library.customer_kind
    some = dict(list(base.tables[kind].items())[:2])
    other = Base({table: (some if table is kind else rows).values() for table, rows in base.tables.items()}, base.now)
    assert shared_ids(base, base) == {}
    assert shared_ids(base, other) == {kind.table: frozenset(some)}


def test_what_has_no_tasks_says_so(library: Domain):
    """Intents that fit nobody end in an error with the last reason, not in a loop."""
    other = object.__new__(Domain)
    other.__dict__.update(library.__dict__ | {"intents": {"stuck": library.intents["stuck"]}})
    with pytest.raises(TauEmotionError, match=r"no training task \(0, 0\) in \d+ tries; the last one: "):
        train_task(other, 0, 0)
