"""Episodes of good and bad agents, played without a model, as a run logs them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recorded import recorded

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import load
from tau_emotion_gym.rollouts import Place, Record, line_of
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.users import ScriptedUser

AGENTS = ("reference", "friction", "first_match", "policy_ignorant", "null")
EMOTIONS = ("neutral", "anger/frustration/cold/high/skeptical", "fear/anxiety/warm/low/trusting", "enjoyment/relief")


def played(
    domain_name: str,
    task_id: str,
    agent: Any,
    emotion: str = "neutral",
    *,
    trial: int = 0,
    stop_after: int | None = None,
    **settings: Any,
) -> Record:
    """One episode's record; `agent` is a name or an agent; a server "fails" after `stop_after` actions."""
    domain = load(domain_name)
    task = task_by_id(domain, task_id)
    condition = resolve(emotion, assigned=None, seed=0)
    episode = Episode(domain, task, condition, seed=100 + trial, **settings)
    path = "neutral" if condition is None else condition.path
    place = Place(domain_name, task_id, emotion, trial, str(episode.seed), path)
    player = make_agent(agent) if isinstance(agent, str) else agent
    return recorded(episode, ScriptedUser(), player, place, stop_after)


def mixed(domains: tuple[str, ...], tasks: int) -> Iterator[Record]:
    """Good and bad agents on training tasks, each its own trial, under several emotions; some servers fail."""
    for domain in domains:
        for index in range(tasks):
            for trial, agent in enumerate(AGENTS):
                emotion = EMOTIONS[(index + trial) % len(EMOTIONS)]
                fails = 2 if agent == "reference" and index % 7 == 0 else None
                yield played(domain, f"train-3-{index}", agent, emotion, trial=trial, stop_after=fails)


def write_log(folder: Path, records: list[Record]) -> Path:
    """A run's folder with these records."""
    folder.mkdir()
    (folder / "episodes.jsonl").write_bytes(b"".join(map(line_of, records)))
    return folder
