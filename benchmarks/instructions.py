"""Instructions and cache misses of a scripted episode, counted by valgrind: whatever else the machine is doing.

    python benchmarks/instructions.py
    python benchmarks/instructions.py --domain airline --episodes 100

Plays training tasks with the reference agent on `Episode`, twice under valgrind's cachegrind: with and without the
episodes that count. The difference, per episode, is free of imports, of making tasks and of warming up. It is good to
1 or 2 %, which no clock is on a machine that others use too. Takes some minutes; needs the program `valgrind`.

The interpreter's garbage collector is off, since when it runs depends on what was there before.

The caches are modelled as 32 KiB for instructions, 32 KiB for data and 512 KiB behind both.
"""

import argparse
import gc
import os
import re
import shutil
import subprocess
import sys

from tau_emotion_gym.agents import ReferenceAgent, play
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import load
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.users import ScriptedUser

WARM = 800
"""Episodes before, so that voices, readers and frequent sentences are known."""

COUNTED = {
    "I refs": "instructions",
    "I1 misses": "instruction misses, first level",
    "D1 misses": "data misses, first level",
    "LLi misses": "instruction misses, second level",
    "LLd misses": "data misses, second level",
}
CACHES = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=524288,8,64")


def episodes(name: str, made: int, played: int) -> None:
    """Make so many tasks and play the first of them."""
    domain, user, agent = load(name), ScriptedUser(), ReferenceAgent()
    tasks = [train_task(domain, 2, index) for index in range(made)]
    gc.collect()
    gc.disable()
    for task in tasks[:played]:
        play(Episode(domain, task, CONDITIONS[task.condition]), user, agent)


def counted(valgrind: str, name: str, made: int, played: int) -> dict[str, int]:
    """What cachegrind counts in a process that plays so many episodes."""
    command = [valgrind, "--tool=cachegrind", *CACHES, f"--cachegrind-out-file={os.devnull}", sys.executable, __file__]
    run = subprocess.run(
        [*command, "--domain", name, "--made", str(made), "--played", str(played)],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = re.findall(r"== ([ID1L][1Lid]*\s+\w+):\s+([\d,]+)", run.stderr)
    return {re.sub(r"\s+", " ", label): int(number.replace(",", "")) for label, number in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--made", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--played", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.made is not None:
        episodes(options.domain, options.made, options.played)
        return
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        parser.exit(0, "not measured: there is no valgrind on this machine\n")
    made = WARM + options.episodes
    less, more = (counted(valgrind, options.domain, made, played) for played in (WARM, made))
    print(f"{options.domain}: one episode of {options.episodes}")
    for label, meaning in COUNTED.items():
        print(f"{meaning:<34} {(more[label] - less[label]) / options.episodes:>12,.0f}")


if __name__ == "__main__":
    main()
