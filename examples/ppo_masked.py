"""PPO with action masks learns to serve emotional customers: from nothing, on two cores, in minutes.

It trains on generated tasks, under 17 of the 22 emotion leaves, and is tested on the shipped test tasks under the
other five leaves. The curves of all seeds go into a picture, the figures into a JSON file.

pip install "tau-emotion-gym[sb3]"
python examples/ppo_masked.py [--domain retail] [--steps 1000000] [--seed 0] [--out runs/ppo]
"""

import argparse
import json
import time
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.envs.vector import TauEmotionVectorEnv
from tau_emotion_gym.integrations.sb3 import Lesson, MaskedVecEnv
from tau_emotion_gym.kit import Kind, load
from tau_emotion_gym.tasks.train import train_task

HELD_OUT = ("exasperation", "dread", "repugnance", "hopelessness", "excitement")
"""One leaf of each family: customers who feel so are met in the test only."""

STEPS = 1_000_000
"""Steps of the environment, all environments together."""

REWARD = {"step": -0.01}
"""On top of success +1 and a customer who leaves -1: a price of steps, so that putting off the end is no way out."""

MAX_STEPS = 50
"""Steps after which a training episode is cut; tests have the usual 100."""

GAMMA = 0.99

MEASURES = ("success", "strict_success", "left", "steps", "satisfaction")
"""What a test gives, each a mean over episodes."""


class Phase(NamedTuple):
    """A part of the training.

    Attributes:
        until: the share of the steps at which it ends.
        lesson: dense rewards for progress, partial credit for it at the end, no way out by giving up, and a price on
            wrong changes and on breaking policy.
        entropy: the weight of the policy's entropy.
    """

    until: float
    lesson: Lesson
    entropy: float


def lesson(*, consents: float, wrong: float, violations: float, unsolved: float) -> Lesson:
    """A lesson with these prices, and the same gains."""
    gained = {"calls": 1.0, "consents": consents, "changes": 1.0, "outputs": 1.0}
    weights = {**gained, "wrong_changes": -wrong, "violations": -violations}
    return Lesson(gamma=GAMMA, weights=weights, kept=1.0, unsolved=-unsolved)


PHASES = (
    Phase(0.5, lesson(consents=0.4, wrong=0.5, violations=0.25, unsolved=0.4), entropy=0.12),
    Phase(1.0, lesson(consents=1.0, wrong=1.0, violations=3.0, unsolved=1.0), entropy=0.005),
)
"""First what to do, then what to leave. Where mistakes cost much from the first, the policy gives up on writing; and
with less entropy at first, on whatever is seldom right, such as a hand-off, before it has seen it succeed."""


def train_ids(domain: str, count: int) -> list[str]:
    """Training tasks in the order in which they are played, those apart whose customers feel what is kept for the test.

    After every third comes one of one wish or two that ends with a hand-off, all reasons in turn. As a hand-off ends
    the dialogue, it is the first thing that a policy learns to leave; where it is right too seldom, it is never tried
    again.
    """
    tasks = [train_task(load(domain), 0, index) for index in range(count)]
    tasks = [task for task in tasks if CONDITIONS[task.condition].leaf not in HELD_OUT]
    ends: dict[str, list[str]] = {}
    for task in tasks:
        if len(task.goals) < 3 and task.goals[-1].kind is Kind.HAND_OFF:
            ends.setdefault(task.goals[-1].intent, []).append(task.id)
    turns = cycle([cycle(own) for own in ends.values()])
    ids = []
    for place, task in enumerate(tasks, start=1):
        ids.append(task.id)
        if place % 3 == 0 and ends:
            ids.append(next(next(turns)))
    return ids


def learner(
    domain: str, seed: int, *, emotion: str | None = "task", envs: int = 64, workers: int = 0, tasks: int = 4000
) -> MaskablePPO:
    """A policy that knows nothing, with the environments that it will learn in.

    Args:
        domain: the domain.
        seed: of the policy, the environments and what is drawn.
        emotion: of the customers: "task" for each training task's own, None for neutral ones.
        envs: environments.
        workers: processes that step them; 0 for none.
        tasks: different training tasks.
    """
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    env = MaskedVecEnv(
        envs,
        lesson=PHASES[0].lesson,
        workers=workers,
        domain=domain,
        split="train",
        tasks=train_ids(domain, tasks),
        emotion=emotion,
        reward=REWARD,
        max_steps=MAX_STEPS,
    )
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda left: 5e-4 * max(left, 0.02),
        n_steps=4096 // envs,
        batch_size=512,
        n_epochs=5,
        gamma=GAMMA,
        gae_lambda=0.9,
        ent_coef=PHASES[0].entropy,
        policy_kwargs={"net_arch": [192, 128], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )
    env.seed(seed * 10_000)
    return model


class Teacher(BaseCallback):
    """Goes from phase to phase."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.phase = PHASES[0]

    def _on_rollout_start(self) -> None:
        now = next(phase for phase in PHASES if self.num_timesteps < phase.until * self.steps)
        if now is not self.phase:
            self.phase = now
            self.model.ent_coef = now.entropy
            self.training_env.teach(now.lesson)

    def _on_step(self) -> bool:
        return True


def evaluate(model: MaskablePPO, domain: str, leaf: str | None, ids: list[str], seed: int) -> list[dict[str, float]]:
    """Play tasks with customers who feel so (None: neutral), always with the policy's likeliest action.

    Returns:
        The measures of each task, in order.
    """
    env = TauEmotionVectorEnv(
        len(ids), domain=domain, tasks=ids, emotion=leaf, codec="discrete_numeric", autoreset_mode="NextStep"
    )
    observations, _ = env.reset(seed=[seed + place for place in range(len(ids))], options={"task_id": ids})
    found: dict[int, dict[str, float]] = {}
    while len(found) < len(ids):
        actions, _ = model.predict(np.stack(observations), action_masks=env.action_masks(), deterministic=True)
        observations, _, terminated, truncated, infos = env.step(actions)
        for place in np.flatnonzero(terminated | truncated):
            found.setdefault(int(place), _measures(infos, place))
    return [found[place] for place in range(len(ids))]


def _measures(infos: dict[str, Any], place: int) -> dict[str, float]:
    left = infos["outcome"][place] == "dissatisfied"
    return {key: float(left if key == "left" else infos[key][place]) for key in MEASURES}


def held_out(model: MaskablePPO, domain: str, seed: int = 0) -> dict[str, float]:
    """Play every test task once, a fifth of them under each held-out leaf; the means."""
    ids = list(load(domain).test_tasks)
    parts = (ids[number :: len(HELD_OUT)] for number in range(len(HELD_OUT)))
    found = [one for leaf, own in zip(HELD_OUT, parts, strict=True) for one in evaluate(model, domain, leaf, own, seed)]
    return {key: float(np.mean([one[key] for one in found])) for key in MEASURES}


class Curve(BaseCallback):
    """Tests the policy now and then, and writes down how it does."""

    def __init__(self, domain: str, every: int) -> None:
        super().__init__()
        self.domain = domain
        self.every = every
        self.points: list[dict[str, float]] = []
        self.started = time.monotonic()
        self.testing = 0.0

    def note(self) -> None:
        """Test the policy and add a point."""
        before = time.monotonic()
        point = {"step": self.num_timesteps, "minutes": (before - self.started) / 60}
        self.points.append({**point, **held_out(self.model, self.domain)})
        self.testing += time.monotonic() - before
        shown = ", ".join(f"{key} {value:.2f}" for key, value in self.points[-1].items() if key != "step")
        print(f"{self.num_timesteps:>9,} steps: {shown}", flush=True)

    def _on_training_start(self) -> None:
        self.note()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.num_timesteps - self.points[-1]["step"] >= self.every:
            self.note()


def draw(domain: str, steps: int, out: Path) -> Path:
    """The learning curves of all seeds of a folder that were trained for so many steps, in one picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    runs = [json.loads(path.read_bytes()) for path in out.glob(f"{domain}-{steps}-*.json")]
    runs = sorted((run for run in runs if "points" in run), key=lambda run: int(run["seed"]))
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    lines = (
        ("success", "solved", "C0"),
        ("strict_success", "solved without breaking policy", "C2"),
        ("left", "customer left", "C3"),
    )
    for key, label, colour in lines:
        for number, run in enumerate(runs):
            millions = [point["step"] / 1e6 for point in run["points"]]
            values = [100 * point[key] for point in run["points"]]
            axes.plot(millions, values, colour, alpha=0.8, label=None if number else label)
    title = f"{domain}: MaskablePPO, seeds {', '.join(str(run['seed']) for run in runs)}"
    axes.set(xlabel="environment steps, millions", ylabel="% of held-out test tasks", ylim=(-2, 102), title=title)
    axes.grid(alpha=0.3)
    axes.legend()
    path = out / f"{domain}-{steps}.png"
    figure.savefig(path, dpi=120)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/ppo"))
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--workers", type=int, default=0, help="processes that step the environments; 0 for none")
    parser.add_argument("--tasks", type=int, default=4000, help="training tasks")
    parser.add_argument("--every", type=int, default=50_000, help="steps between two tests")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    model = learner(chosen.domain, chosen.seed, envs=chosen.envs, workers=chosen.workers, tasks=chosen.tasks)
    curve = Curve(chosen.domain, chosen.every)
    try:
        model.learn(chosen.steps, callback=[Teacher(chosen.steps), curve])
    except KeyboardInterrupt:
        print("stopped; what has been learned so far is kept")
    curve.note()
    model.get_env().close()
    minutes = (time.monotonic() - started) / 60
    result = {
        "domain": chosen.domain,
        "seed": chosen.seed,
        "steps": model.num_timesteps,
        "minutes": minutes,
        "minutes_testing": curve.testing / 60,
        "held_out": HELD_OUT,
        "points": curve.points,
    }
    name = f"{chosen.domain}-{chosen.steps}-{chosen.seed}"
    (chosen.out / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    model.save(chosen.out / name)
    print(f"{minutes:.1f} minutes; {chosen.out / name}.json, .zip; {draw(chosen.domain, chosen.steps, chosen.out)}")


if __name__ == "__main__":
    main()
