"""Runs that are killed: prepares once, then plays the same run in one forked process after another.

    python killed_runs.py FOLDER KILLS SEED

Prints for every process its exit status, as JSON.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.rollouts import Knobs, RunConfig, make_config, run_sync
from tau_emotion_gym.rollouts.folder import EPISODES

SLOWEST = 0.5
"""Seconds after which a process is killed, at most."""


def configuration() -> RunConfig:
    """One that takes longer than all the processes that are killed."""
    user = {"kind": "rollout_stand_ins:SlowUser", "seconds": 0.008, "spread": True}
    return make_config(["retail", "airline"], agent="friction", user=user, tasks=60, trials=2)


def child(folder: Path, config: RunConfig, concurrency: int) -> int:
    """A process that plays on."""
    pid = os.fork()
    if pid:
        return pid
    run_sync(folder, config, Knobs(concurrency=concurrency), resume=True)
    os._exit(0)


def main(folder: Path, kills: int, seed: int) -> None:
    """Kill, kill again, and finish."""
    config = configuration()
    run_sync(folder.with_name("warm"), make_config(["retail", "airline"], agent="friction", tasks=1))
    draw, told = Draw(seed), []
    for _ in range(kills):
        pid = child(folder, config, 3)
        time.sleep(SLOWEST * (draw.below(1000) + 1) / 1000)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        log = folder / EPISODES
        told.append([os.waitstatus_to_exitcode(status), log.stat().st_size if log.exists() else 0])
    _, status = os.waitpid(child(folder, config, 64), 0)
    told.append([os.waitstatus_to_exitcode(status), (folder / EPISODES).stat().st_size])
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
