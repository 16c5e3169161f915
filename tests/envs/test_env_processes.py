"""Other processes and threads: the same bytes, whatever the start method and the hash seed."""

import hashlib
import os
import pickle
import subprocess
import sys
import threading

import gymnasium as gym
import numpy as np
import pytest

from tau_emotion_gym import call, respond
from tau_emotion_gym.testing import trajectory

PRINT_DIGEST = """
import sys, hashlib
import tau_emotion_gym
from tau_emotion_gym.testing import trajectory
env_id = tau_emotion_gym.register_domain(sys.argv[1])
text = b"".join(trajectory(env_id, seed=seed, split=split) for seed in (1, 2) for split in ("test", "train"))
print(hashlib.sha256(text).hexdigest())
"""


def folder_of(env_id: str) -> str:
    return gym.spec(env_id).kwargs["domain"]


def test_same_bytes_in_every_process(lending):
    digests = set()
    for hash_seed in ("0", "1", "random"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(
            [sys.executable, "-c", PRINT_DIGEST, folder_of(lending)],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout)
    here = b"".join(trajectory(lending, seed=seed, split=split) for seed in (1, 2) for split in ("test", "train"))
    assert digests == {hashlib.sha256(here).hexdigest() + "\n"}


@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_async_vector_env(lending, context):
    spec = gym.spec(lending)
    workers = gym.vector.AsyncVectorEnv(
        [lambda: gym.make(spec, split="train")] * 2, shared_memory=False, context=context
    )
    try:
        ours = gym.make_vec(lending, num_envs=2, split="train", autoreset_mode="NextStep")
        expected = [ours.reset(seed=3)]
        got = [workers.reset(seed=3)]
        for actions in ((respond("Hello?"), call("calculate", expression="2 * 3")), ({"name": 3}, respond("Yes."))):
            expected.append(ours.step(actions))
            got.append(workers.step(actions))
    finally:
        workers.close()
    for left, right in zip(expected, got, strict=True):
        assert left[0] == right[0]
        assert all(np.array_equal(a, b) for a, b in zip(left[1:-1], right[1:-1], strict=True))
        assert left[-1]["episode_seed"].tolist() == right[-1]["episode_seed"].tolist()
        assert left[-1]["tool_errors"].tolist() == right[-1]["tool_errors"].tolist()


def test_threads_stepping_their_own_environments(lending):
    alone = [trajectory(lending, seed=seed) for seed in range(16)]
    together: dict[int, bytes] = {}

    def run(seed: int) -> None:
        together[seed] = trajectory(lending, seed=seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[seed] for seed in range(16)] == alone


def test_pickle_drops_the_client(lending):
    env = gym.make(lending, user="stand_in_users:Model")
    env.reset(seed=1)
    env.step(respond("Hello?"))
    twin = pickle.loads(pickle.dumps(env))
    assert twin.step(respond("Your name, please?")) == env.step(respond("Your name, please?"))
    assert twin.unwrapped.user is not env.unwrapped.user
    assert len(pickle.dumps(gym.make(lending).unwrapped)) < 20_000


def test_thousand_environments_are_small(lending):
    import tracemalloc

    gym.make(lending).reset(seed=0)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    envs = gym.make_vec(lending, num_envs=1024)
    envs.reset(seed=0)
    envs.step([respond("Hello, what is your email address?")] * 1024)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / 1024 < 40_000
