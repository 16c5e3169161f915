"""Policies trained on neutral customers against policies trained on emotional ones: which serve emotional ones better?

For each seed two policies learn alike, on the same tasks for the same number of steps: with neutral customers, and with
customers who feel as the training tasks say (17 of the 22 emotion leaves). Both are then tested on the shipped test
tasks, with customers who feel what neither has met (see `ppo_masked.HELD_OUT`), and with neutral ones.

pip install "tau-emotion-gym[sb3]"
python examples/neutral_or_emotional.py [--domain retail] [--steps 1000000] [--seeds 4] [--jobs 2] [--out runs/neutral]
"""

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import product
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import ppo_masked
from ppo_masked import HELD_OUT, MEASURES, STEPS, Teacher, evaluate, learner

from tau_emotion_gym import __version__
from tau_emotion_gym.kit import load

ARMS = {"neutral": None, "emotional": "task"}
"""Name → the customers' emotion in training."""

TESTS = ("emotional", "neutral")

STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}
"""Number of seeds → the 97.5 % quantile of Student's t with one degree of freedom less."""

SHOWN = {
    "success": ("solved, %", 100),
    "strict_success": ("solved without breaking policy, %", 100),
    "left": ("customer left, %", 100),
    "satisfaction": ("satisfaction at the end, 0 to 100", 100),
    "steps": ("steps", 1),
}
"""Measure → what the table calls it, and its factor there."""


def recipe() -> str:
    """A mark of how policies are trained: the package's version and what stands in the example of PPO."""
    source = Path(ppo_masked.__file__).read_bytes()
    return sha256(f"{__version__}\n".encode() + source).hexdigest()[:8]


def trained(domain: str, steps: int, tests: int, arm: str, seed: int, out: Path) -> Path:
    """Train a policy and test it; the file with its measures, which is kept when one trained so is there already."""
    path = out / f"{domain}-{steps}-{tests}-{arm}-{seed}-{recipe()}.json"
    if not path.exists():
        model = learner(domain, seed, emotion=ARMS[arm])
        model.learn(steps, callback=Teacher(steps))
        ids = list(load(domain).test_tasks)[:tests]
        leaves: dict[str, Sequence[str | None]] = {"emotional": HELD_OUT, "neutral": [None]}
        found = {test: [evaluate(model, domain, leaf, ids, seed=7) for leaf in leaves[test]] for test in TESTS}
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(found) + "\n", encoding="utf-8")
        unfinished.replace(path)
        print(f"{path}: {_means(found['emotional'])['success']:.2f} of emotional customers served", flush=True)
    return path


def _means(played: Sequence[Sequence[dict[str, float]]]) -> dict[str, float]:
    return {key: mean(one[key] for tasks in played for one in tasks) for key in MEASURES}


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean over seeds, and how far its 95 % interval reaches to either side (Student's t)."""
    return mean(values), STUDENT[len(values)] * stdev(values) / sqrt(len(values))


def table(found: dict[tuple[str, int], dict[str, Any]], seeds: Sequence[int]) -> str:
    """The results as Markdown: mean over seeds ± half the 95 % interval; differences are between arms of one seed."""
    lines = [
        "| tested on | measure | trained on neutral | trained on emotional | difference |",
        "|---|---|---|---|---|",
    ]
    for test, (key, (name, factor)) in product(TESTS, SHOWN.items()):
        arms = {arm: [factor * _means(found[arm, seed][test])[key] for seed in seeds] for arm in ARMS}
        difference = [after - before for before, after in zip(arms["neutral"], arms["emotional"], strict=True)]
        cells = (interval(values) for values in (*arms.values(), difference))
        shown = (f"{middle:{sign}.1f} ± {half:.1f}" for (middle, half), sign in zip(cells, ("", "", "+"), strict=True))
        lines.append(f"| {test} | {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seeds", type=int, default=4, choices=STUDENT, metavar="2 to 10")
    parser.add_argument("--tests", type=int, default=100, help="test tasks, each under every held-out leaf and neutral")
    parser.add_argument("--jobs", type=int, default=2, help="policies that are trained at once")
    parser.add_argument("--out", type=Path, default=Path("runs/neutral"))
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    seeds = range(chosen.seeds)
    pairs = [(arm, seed) for seed, arm in product(seeds, ARMS)]
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        given = chosen.domain, chosen.steps, chosen.tests
        jobs = [pool.submit(trained, *given, arm, seed, chosen.out) for arm, seed in pairs]
        found = {pair: json.loads(job.result().read_bytes()) for pair, job in zip(pairs, jobs, strict=True)}
    print(table(found, seeds))


if __name__ == "__main__":
    main()
