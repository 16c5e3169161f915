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

MOST_GROWTH = 16000
"""Bytes by which a process may lengthen the log before it is killed, at most: some four episodes."""

MOST_WAIT = 0.04
"""Seconds that it then still has, at most."""


def configuration() -> RunConfig:
    """One that takes longer than all the processes that are killed."""
    user = {"kind": "rollout_stand_ins:SlowUser", "seconds": 0.008, "spread": True}
    return make_config(["retail", "airline"], agent="friction", user=user, tasks=40, trials=2)


def child(folder: Path, config: RunConfig, concurrency: int) -> int:
    """A process that plays on."""
    pid = os.fork()
    if pid:
        return pid
    run_sync(folder, config, Knobs(concurrency=concurrency), resume=True)
    os._exit(0)


def size(log: Path) -> int:
    """Bytes in the log."""
    return log.stat().st_size if log.exists() else 0


def main(folder: Path, kills: int, seed: int) -> None:
    """Kill, kill again, and finish."""
    config = configuration()
    run_sync(folder.with_name("warm"), make_config(["retail", "airline"], agent="friction", tasks=1))
    draw, told = Draw(seed), []
    log = folder / EPISODES
    for _ in range(kills):
        enough = size(log) + draw.below(MOST_GROWTH)
        pid = child(folder, config, 3)
        while size(log) < enough:
            time.sleep(0.001)
        time.sleep(MOST_WAIT * draw.below(1000) / 1000)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        told.append([os.waitstatus_to_exitcode(status), size(log)])
    _, status = os.waitpid(child(folder, config, 64), 0)
    told.append([os.waitstatus_to_exitcode(status), size(log)])
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
