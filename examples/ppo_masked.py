"""PPO with action masks learns to serve emotional customers: from nothing, on two cores, in minutes.

It trains on generated tasks, under 17 of the 22 emotion leaves, and is tested on the shipped test tasks under the
other five leaves. The curve goes into a picture, the figures into a JSON file.

pip install "tau-emotion-gym[sb3]"
python examples/ppo_masked.py [--domain retail] [--steps 1500000] [--seed 0] [--out runs/ppo]
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.envs.vector import TauEmotionVectorEnv
from tau_emotion_gym.integrations.sb3 import Lesson, MaskedVecEnv
from tau_emotion_gym.kit import load
from tau_emotion_gym.tasks.train import train_task

HELD_OUT = ("exasperation", "dread", "repugnance", "hopelessness", "excitement")
"""One leaf of each family: customers who feel so are met in the test only."""

REWARD = {"step": -0.01}
"""On top of success +1 and a customer who leaves -1: a price of steps, so that putting off the end is no way out."""

MAX_STEPS = 50
"""Steps after which a training episode is cut; tests have the usual 100."""

GAMMA = 0.99

LESSON = Lesson(
    gamma=GAMMA,
    weights={"calls": 1.0, "changes": 1.0, "wrong_changes": -1.0, "outputs": 1.0, "violations": -1.5},
    kept=1.0,
    unsolved=-1.0,
)
"""Dense rewards for progress and a price on breaking policy, paid when it happens; partial credit for it at the end;
and no way out by giving up."""


def train_ids(domain: str, count: int) -> list[str]:
    """The first training tasks, those apart whose customers feel what is kept for the test."""
    tasks = (train_task(load(domain), 0, index) for index in range(count))
    return [task.id for task in tasks if CONDITIONS[task.condition].leaf not in HELD_OUT]


def evaluate(model: MaskablePPO, domain: str, seed: int = 0) -> dict[str, float]:
    """Play every test task once, a fifth of them under each held-out leaf, actions drawn from the policy."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return _tested(model, domain, seed)


def _tested(model: MaskablePPO, domain: str, seed: int) -> dict[str, float]:
    ids = list(load(domain).test_tasks)
    found: list[dict[str, float]] = []
    for number, leaf in enumerate(HELD_OUT):
        own = ids[number :: len(HELD_OUT)]
        env = TauEmotionVectorEnv(
            len(own), domain=domain, tasks=own, emotion=leaf, codec="discrete_numeric", autoreset_mode="NextStep"
        )
        observations, _ = env.reset(seed=[seed + place for place in range(len(own))], options={"task_id": own})
        over = np.zeros(len(own), dtype=bool)
        while not over.all():
            actions, _ = model.predict(np.stack(observations), action_masks=env.action_masks())
            observations, _, terminated, truncated, infos = env.step(actions)
            for place in np.flatnonzero((terminated | truncated) & ~over):
                outcome = infos["outcome"][place]
                found.append(
                    {
                        "success": float(infos["success"][place]),
                        "strict_success": float(infos["strict_success"][place]),
                        "left": float(outcome == "dissatisfied"),
                        "steps": float(infos["steps"][place]),
                        "satisfaction": float(infos["satisfaction"][place]),
                    }
                )
            over |= terminated | truncated
    return {key: float(np.mean([one[key] for one in found])) for key in found[0]}


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
        self.points.append({**point, **evaluate(self.model, self.domain)})
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


def draw(points: list[dict[str, float]], title: str, path: Path) -> None:
    """The learning curve as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    steps = [point["step"] / 1e6 for point in points]
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    lines = (
        ("success", "solved", "-"),
        ("strict_success", "solved without breaking policy", "--"),
        ("left", "customer left", ":"),
    )
    for key, label, style in lines:
        axes.plot(steps, [100 * point[key] for point in points], style, label=label, linewidth=2)
    axes.set(xlabel="environment steps, millions", ylabel="% of held-out test tasks", ylim=(-2, 102), title=title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--steps", type=int, default=1_500_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/ppo"))
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--workers", type=int, default=0, help="processes that step the environments")
    parser.add_argument("--tasks", type=int, default=4000, help="training tasks")
    parser.add_argument("--every", type=int, default=100_000, help="steps between two tests")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    ids = train_ids(chosen.domain, chosen.tasks)
    env = MaskedVecEnv(
        chosen.envs,
        seed=chosen.seed * 10_000,
        lesson=LESSON,
        workers=chosen.workers,
        domain=chosen.domain,
        split="train",
        tasks=ids,
        emotion="task",
        reward=REWARD,
        max_steps=MAX_STEPS,
    )
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda left: 5e-4 * max(left, 0.1),
        n_steps=4096 // chosen.envs,
        batch_size=512,
        n_epochs=6,
        gamma=GAMMA,
        gae_lambda=0.9,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=chosen.seed,
        device="cpu",
    )
    curve = Curve(chosen.domain, chosen.every)
    model.learn(chosen.steps, callback=curve)
    curve.note()
    env.close()
    chosen.out.mkdir(parents=True, exist_ok=True)
    minutes = (time.monotonic() - curve.started) / 60
    result = {
        "domain": chosen.domain,
        "seed": chosen.seed,
        "steps": model.num_timesteps,
        "minutes": minutes,
        "minutes_testing": curve.testing / 60,
        "held_out": HELD_OUT,
        "points": curve.points,
    }
    name = f"{chosen.domain}-{chosen.seed}"
    (chosen.out / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    draw(curve.points, f"{chosen.domain}: MaskablePPO, seed {chosen.seed}", chosen.out / f"{name}.png")
    model.save(chosen.out / name)
    print(f"{minutes:.1f} minutes; {chosen.out / name}.json, .png, .zip")


if __name__ == "__main__":
    main()
