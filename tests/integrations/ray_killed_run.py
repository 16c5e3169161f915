"""Plays a run on Ray, to be killed meanwhile: python ray_killed_run.py FOLDER SIGNS."""

import os
import sys

import ray
from test_ray import HERE, KNOBS, signed

from tau_emotion_gym.rollouts.ray_player import run_on_ray

if __name__ == "__main__":
    folder, signs = sys.argv[1:]
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])}},
    )
    run_on_ray(folder, signed(signs), KNOBS)
