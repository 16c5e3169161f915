"""What several threads that step environments of their own lose against one thread that steps the same in turn.

    python benchmarks/threads.py
    python benchmarks/threads.py --domain airline --rounds 15 --actions 500

Every row steps the same 16 environments through the same actions, tool calls and messages by turns, and ends with the
same observations, which is checked. Threads of one interpreter take turns, so several cannot be faster than one; they
are slower where something in a step gives up the interpreter, since each return then waits for another thread. The
column "handovers" counts that: voluntary switches per 1,000 actions while the interpreter itself asks for none (a
switch interval of 10 s, set by this script alone), those of starting and stopping threads taken off.

Rounds are interleaved, each begins with another row, and threads are started before the clock; what they still cost at
their start shows in short rounds. "of one" is the median over the rounds of a row's speed beside that of one thread in
the same round, "by cpu" the same by processor time: where others use the machine, a thread whose turn it is may have to
wait for a processor, which this leaves out. What many threads lose without any handover is the interpreter's own: it
makes them take turns 200 times a second, all that wait wake up for that, and the next may run on a colder processor.
"""

import argparse
import gc
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Barrier, Thread
from typing import Any, NamedTuple

import gymnasium as gym

import tau_emotion_gym
from tau_emotion_gym.kit import Domain, load

ENVS = 16
THREADS = (1, 2, 4, 16)

MESSAGES = ("I understand. What is your email address?", "Thank you. Could you tell me your full name, please?")


def actions_of(domain: Domain, count: int) -> list[dict[str, Any]]:
    """So many actions: a message, a call of the domain's first reading tool, another message, and so on."""
    tool = next(iter(domain.test_tasks.values())).identify
    call = tau_emotion_gym.call(tool.name, **tool.arguments)
    turns = [tau_emotion_gym.respond(MESSAGES[0]), call, tau_emotion_gym.respond(MESSAGES[1]), call]
    return [turns[place % len(turns)] for place in range(count)]  # type: ignore[misc]


def drive(env: gym.Env[Any, Any], seed: int, actions: list[dict[str, Any]]) -> str:
    """One environment through all actions; the last observation's text. Neutral customers stay."""
    env.reset(seed=seed, options={"emotion": None})
    for action in actions:
        observation, *_ = env.step(action)
    return str(observation["content"])


class Round(NamedTuple):
    """All environments stepped once: seconds, seconds of processor time, and the last observations."""

    seconds: float
    cpu: float
    last: list[str]


def timed(envs: list[gym.Env[Any, Any]], threads: int, actions: list[dict[str, Any]]) -> Round:
    """All environments through all actions, shared out over so many threads."""
    last = [""] * len(envs)
    gate = Barrier(threads + 1)

    def work(number: int) -> None:
        gate.wait()
        for place in range(number, len(envs), threads):
            last[place] = drive(envs[place], place, actions)

    workers = [Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    gc.collect()
    gate.wait()
    started, worked = time.perf_counter(), time.process_time()
    for worker in workers:
        worker.join()
    return Round(time.perf_counter() - started, time.process_time() - worked, last)


@contextmanager
def no_asking() -> Iterator[None]:
    """The interpreter asks no thread to make way."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(10)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def handovers(envs: list[gym.Env[Any, Any]], threads: int, actions: list[dict[str, Any]]) -> float:
    """Voluntary switches per 1,000 actions: those of six times the actions, less those of once."""
    counts = []
    with no_asking():
        for times in (1, 6):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
            timed(envs, threads, actions * times)
            counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before)
    return 1000 * max(0, counts[1] - counts[0]) / (len(envs) * len(actions) * 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--actions", type=int, default=240, help="actions per environment and round")
    options = parser.parse_args()
    domain = load(options.domain)
    actions = actions_of(domain, options.actions)
    envs = [gym.make(f"TauEmotion-{domain.title}-v0", max_steps=10**6) for _ in range(ENVS)]
    expected = timed(envs, 1, actions).last
    rounds: dict[int, list[Round]] = {threads: [] for threads in THREADS}
    for number in range(options.rounds):
        first = number % len(THREADS)
        for threads in THREADS[first:] + THREADS[:first]:
            found = timed(envs, threads, actions)
            if found.last != expected:
                raise SystemExit(f"{threads} threads end with other observations than one")
            rounds[threads].append(found)
    print(f"{'threads':>7}  {'best':>10}  {'median':>10}  {'of one':>6}  {'by cpu':>6}  {'handovers':>9}")
    for threads, own in rounds.items():
        pairs = list(zip(own, rounds[1], strict=True))
        rates = [ENVS * len(actions) / each.seconds for each in own]
        print(
            f"{threads:>7}  {max(rates):>7,.0f} /s  {statistics.median(rates):>7,.0f} /s"
            f"  {statistics.median(one.seconds / each.seconds for each, one in pairs):>6.2f}"
            f"  {statistics.median(one.cpu / each.cpu for each, one in pairs):>6.2f}"
            f"  {handovers(envs, threads, actions):>9.1f}"
        )


if __name__ == "__main__":
    main()
