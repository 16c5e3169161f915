"""Where the time of a scripted episode goes, part by part.

    python benchmarks/shares.py
    python benchmarks/shares.py --domain airline --seconds 20

Plays training tasks with the reference agent for so many seconds of processor time, first on `Episode`, then through
`gymnasium.make`. Meanwhile a timer interrupts, some 250 times a second, and notes which part of the package is at work:
the innermost function that belongs to one, so that a part bears what the standard library, msgspec and the drawing of
random numbers do for it. A profiler that follows every call would make many small functions look slower than a few long
ones; this does not. With 2,000 samples a share is good to one or two points.
"""

import argparse
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium as gym

import tau_emotion_gym
from tau_emotion_gym.agents import ReferenceAgent, play
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import Domain, load
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.users import ScriptedUser

INTERVAL = 0.001
"""Seconds of processor time between samples; the system's own tick is longer, and decides."""

WARM = 600
"""Episodes before, so that voices, readers and short messages are known."""

WORLD = 4

PARTS = (
    ("reading the agent's messages", ("episode/reading.py", "episode/phrases/")),
    ("the customer: what it says", ("users/mind.py", "users/answers.py", "users/claims.py", "users/decisions.py",
                                    "users/scene.py", "users/memory.py", "users/lines.py")),
    ("the customer: how it says it", ("users/voice.py", "users/phrases/", "users/scripted.py", "users/base.py")),
    ("tools and rules", ("domains/", "kit/", "world/", "tasks/replay.py")),
    ("making the episode", ("episode/brief.py", "Episode.__init__", "tasks/")),
    ("what messages do to the customer", ("episode/events.py", "episode/manner.py", "episode/consent.py", "emotions/")),
    ("the score", ("episode/scoring.py", "episode/values.py", "tasks/expected.py", "world/changes.py")),
    ("taking in actions", ("episode/actions.py",)),
    ("the dialogue's order", ("episode/",)),
    ("the reference agent", ("agents/",)),
    ("spaces, infos, wrappers", ("envs/", "gymnasium/")),
)  # fmt: skip
"""A part, and the files, folders and functions that belong to it; the longest that fits decides."""

HOME = str(Path(tau_emotion_gym.__file__).parent) + "/"
LIBRARY = str(Path(gym.__file__).parent)


def part_of(file: str, function: str) -> str | None:
    """The part that a function belongs to; None for what all parts use."""
    if file.startswith(LIBRARY):
        return part_of(f"{HOME}gymnasium/", function)
    if not file.startswith(HOME):
        return None
    place = file.removeprefix(HOME)
    fitting = [
        (len(mark), name)
        for name, marks in PARTS
        for mark in marks
        if place.startswith(mark) or (mark == function and place == "episode/episode.py")
    ]
    return max(fitting)[1] if fitting else None


@contextmanager
def sampled(found: Counter[str]) -> Iterator[None]:
    """Counts at work: which part, at every interrupt."""
    known: dict[Any, str | None] = {}

    def note(_: int, frame: FrameType | None) -> None:
        while frame is not None:
            code = frame.f_code
            if code not in known:
                known[code] = part_of(code.co_filename, code.co_qualname)
            if (part := known[code]) is not None:
                found[part] += 1
                return
            frame = frame.f_back

    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def bare(domain: Domain) -> Callable[[int], None]:
    """Plays training task number n on `Episode`."""
    user, agent = ScriptedUser(), ReferenceAgent()

    def one(number: int) -> None:
        task = train_task(domain, WORLD, number)
        play(Episode(domain, task, CONDITIONS[task.condition]), user, agent)

    return one


def through_gym(domain: Domain) -> Callable[[int], None]:
    """Plays the next training task through `gymnasium.make`: number n at the n-th call."""
    env = gym.make(f"TauEmotion-{domain.title}-v0", split="train", world_seed=WORLD, tasks={"start": 0})
    agent = ReferenceAgent()

    def one(_: int) -> None:
        observation, _ = env.reset()
        agent.reset(domain, env.unwrapped.episode.task)  # type: ignore[attr-defined]
        over = False
        while not over:
            observation, _, terminated, truncated, _ = env.step(agent.act(observation))
            over = terminated or truncated

    return one


def shares(domain: Domain, one: Callable[[int], None], seconds: float) -> tuple[Counter[str], int]:
    """(samples per part, episodes) of so many seconds of processor time; making the tasks is not sampled."""
    found: Counter[str] = Counter()
    for number in range(WARM):
        one(number)
    spent, played = 0.0, 0
    for block in count(WARM, 32):
        if spent >= seconds:
            return found, played
        train_task(domain, WORLD, block)
        train_task(domain, WORLD, block + 31)
        started = time.process_time()
        with sampled(found):
            for number in range(block, block + 32):
                one(number)
        spent += time.process_time() - started
        played += 32
    raise AssertionError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--seconds", type=float, default=10.0, help="of processor time, for each of the two columns")
    options = parser.parse_args()
    domain = load(options.domain)
    columns = [shares(domain, make(domain), options.seconds) for make in (bare, through_gym)]
    width = max(len(name) for name, _ in PARTS)
    print(f"{options.domain:<{width}}  {'Episode':>8}  {'gym.make':>8}")
    for name, _ in sorted(PARTS, key=lambda part: -columns[0][0][part[0]]):
        print(f"{name:<{width}}", *(f"{found[name] / found.total():>8.1%}" for found, _ in columns), sep="  ")
    print(f"{'samples':<{width}}", *(f"{found.total():>8,}" for found, _ in columns), sep="  ")
    print(f"{'episodes':<{width}}", *(f"{played:>8,}" for _, played in columns), sep="  ")


if __name__ == "__main__":
    main()
