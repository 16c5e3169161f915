"""A run whose episodes Ray plays, in a few processes on this machine: `pip install 'tau-emotion-gym[ray]'`.

    python examples/ray_rollouts.py --actors 2 --tasks 100

Ray is started for it; on a cluster, set RAY_ADDRESS. The folder is that of any other run: `tau-emotion report` reads
it, and `--resume` goes on with it, on Ray or not.
"""

import argparse
import tempfile

from tau_emotion_gym.rollouts import Knobs, make_config, records
from tau_emotion_gym.rollouts.ray_player import run_on_ray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--out", default=None, help="the run's folder; a temporary one when not given")
    parser.add_argument("--resume", action="store_true")
    arguments = parser.parse_args()

    folder = arguments.out or tempfile.mkdtemp()
    config = make_config(["retail", "airline"], agent="friction", tasks=arguments.tasks, arms=("task", "neutral"))
    summary = run_on_ray(folder, config, Knobs(concurrency=32), actors=arguments.actors, resume=arguments.resume)
    print(f"{summary.done} of {summary.planned} episodes, success {summary.success_rate:.0%}, {summary.outcomes}")
    slowest = max(records(folder), key=lambda record: record.seconds)
    print(f"the slowest, {slowest.place.key}, took {slowest.seconds:.3f} s; the log is in {folder}")


if __name__ == "__main__":
    main()
