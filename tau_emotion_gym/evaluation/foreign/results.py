"""A results file as records, and what else it tells of each episode."""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.episode import Outcome, Signal
from tau_emotion_gym.episode.info import NEUTRAL
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.evaluation.foreign.ends import outcome, problem
from tau_emotion_gym.evaluation.foreign.files import Entry, mapping, read_contents
from tau_emotion_gym.evaluation.foreign.turns import Dialogue
from tau_emotion_gym.kit.tool import LARGEST_INTEGER
from tau_emotion_gym.rollouts import Place, Record

PREFIX = "foreign:"
"""What the domains of foreign episodes begin with, so that they are never taken for this package's own."""

NEAR_ONE = 1e-6
"""How far a reward may be from 1 and still mean success, as the family's own metrics have it."""

LONGEST_LABEL = 60
"""Characters of a persona's name; more is a description."""

_EMOTION = (
    ("emotion_family", "family"),
    ("emotion_leaf", "leaf"),
    ("dimension_politeness", "politeness"),
    ("dimension_urgency", "urgency"),
    ("dimension_trust_in_agent", "dimension_trust", "trust"),
)
_PERSONA = ("persona", "trait", "traits", "persona_name")


class ForeignRecord(msgspec.Struct, frozen=True):
    """One episode of a results file.

    Attributes:
        record: the episode. What such files do not tell is empty or 0: violations, affect and its events; strict
            success is success. Only what the words themselves say counts as a question.
        told: what the simulated user was told; None where the file does not have it.
        info: everything else that the entry says, as it stands in the file, the messages apart.
    """

    record: Record
    told: tuple[str, ...] | None
    info: Mapping[str, Any]


class ForeignResults(msgspec.Struct, frozen=True):
    """A results file.

    Attributes:
        episodes: in the order of the file; an entry that a server broke is left out where the same trial was
            played again.
        agent, user: the models' names; "" where the file does not tell.
    """

    episodes: tuple[ForeignRecord, ...]
    agent: str = ""
    user: str = ""

    @property
    def records(self) -> tuple[Record, ...]:
        """The episodes alone."""
        return tuple(episode.record for episode in self.episodes)


def read_results(path: str | Path, *, domain: str | None = None) -> ForeignResults:
    """Read a results file of the τ-bench family.

    Args:
        path: the file.
        domain: name of the domain; by default what the file says, else the file's name. It gets `PREFIX`.

    Raises:
        DataError: the file is cut off or no results file, with the line or the entry.
    """
    path = Path(path)
    contents = read_contents(path)
    name = domain or str(mapping(contents.info.get("environment_info")).get("domain_name") or path.stem)
    agent, user = (_model(contents.info, key) for key in ("agent_info", "user_info"))
    episodes: dict[tuple[str, str, int], ForeignRecord] = {}
    for number, entry in enumerate(contents.entries, 1):
        try:
            made = _episode(entry, PREFIX + name, contents.tasks)
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise DataError(f"{path}: entry {number} (task {entry['task_id']!r}): {error}") from None
        _place(episodes, made)
    return ForeignResults(tuple(episodes.values()), agent, user)


def is_results_file(path: str | Path) -> bool:
    """Whether a path is to be read as a results file rather than as a run: a .json or .jsonl file that is no log."""
    path = Path(path)
    return path.is_file() and path.suffix in (".json", ".jsonl") and path.name not in ("episodes.jsonl", "run.json")


def _place(episodes: dict[tuple[str, str, int], ForeignRecord], made: ForeignRecord) -> None:
    """Add an episode: it replaces one of its trial that a server broke; else a trial that is there twice (several
    runs in one file) becomes the next one."""
    place = made.record.place
    trial = place.trial
    while (there := episodes.get((place.task_id, place.arm, trial))) is not None:
        if there.record.excluded:
            del episodes[place.task_id, place.arm, trial]
            break
        if made.record.excluded:
            return
        trial += 1
    place = msgspec.structs.replace(place, trial=trial)
    record = msgspec.structs.replace(made.record, place=place)
    episodes[place.task_id, place.arm, trial] = msgspec.structs.replace(made, record=record)


def _episode(entry: Entry, domain: str, tasks: Mapping[str, Entry]) -> ForeignRecord:
    info = mapping(entry.get("info"))
    task_id = str(entry["task_id"])
    messages = entry.get("traj") or entry.get("messages") or ()
    talk = Dialogue(messages if isinstance(messages, list) else ())
    reward = _reward(entry)
    broken = problem(entry, info) or ("" if reward is not None else "the file gives no reward")
    ended = str(Outcome.INFRASTRUCTURE) if broken else outcome(entry, info, talk, reward or 0.0)
    broken = broken or str(entry.get("termination_reason") or "")
    success = reward is not None and abs(reward - 1) <= NEAR_ONE and ended != Outcome.INFRASTRUCTURE
    state, outputs = _matches(entry, info, success)
    arm, emotion = _emotion(entry, info)
    record = Record(
        place=Place(domain, task_id, arm, _number(entry.get("trial")), str(_number(entry.get("seed"))), emotion),
        outcome=ended,
        detail=broken,
        reward=reward or 0.0,
        terms={},
        success=success,
        strict_success=success,
        state_match=state,
        outputs_match=outputs,
        steps=talk.actions,
        tool_calls=len(talk.calls),
        tool_errors=talk.errors,
        malformed=talk.malformed,
        questions=talk.questions,
        events={},
        satisfaction=0.0,
        patience=0.0,
        transcript=tuple(talk.turns),
        signals=_signals(talk, ended),
        asides=talk.asides,
        agent_usage=talk.usage("assistant"),
        user_usage=talk.usage("user"),
        seconds=_finite(entry.get("duration")) or 0.0,
    )
    rest = {key: value for key, value in entry.items() if key not in ("traj", "messages")}
    return ForeignRecord(record, _told(info, tasks.get(task_id, {})), rest)


def _reward(entry: Entry) -> float | None:
    """The reward that an entry gives, directly or under `reward_info`."""
    for source in (entry, mapping(entry.get("reward_info")), mapping(mapping(entry.get("info")).get("reward_info"))):
        if (found := _finite(source.get("reward"))) is not None:
            return found
    return None


def _finite(value: Any) -> float | None:
    """A number, given as one or as digits; None for anything else, and for what is no finite number."""
    try:
        number = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _number(value: Any) -> int:
    """A whole number from 0, given as a number or as digits; 0 for anything else."""
    found = _finite(value)
    return int(found) if found is not None and 0 <= found <= LARGEST_INTEGER else 0


def _matches(entry: Entry, info: Entry, success: bool) -> tuple[bool, bool]:
    """(state match, outputs match), each as the file says, else as success."""
    details = mapping(mapping(info.get("reward_info")).get("info"))
    state = details.get("r_actions", mapping(mapping(entry.get("reward_info")).get("db_check")).get("db_match"))
    outputs = details.get("r_outputs")
    return success if state is None else bool(state), success if outputs is None else bool(outputs)


def _emotion(entry: Entry, info: Entry) -> tuple[str, str]:
    """(arm, emotion): what the customer was made to feel, where the file says so."""
    sources = (mapping(info.get("task")), info, entry)
    parts = [_label(sources, keys) for keys in _EMOTION]
    if parts[0] or parts[1]:
        return "task", "/".join(filter(None, parts)).lower()
    if emotion := _label(sources, ("emotion",)):
        return "task", emotion.lower()
    if persona := _label(sources, _PERSONA):
        return persona, persona
    return NEUTRAL, NEUTRAL


def _label(sources: Iterable[Entry], keys: Iterable[str]) -> str:
    """The first short text under one of these keys."""
    for source in sources:
        for key in keys:
            text = source.get(key)
            if isinstance(text, str) and 0 < len(text.strip()) <= LONGEST_LABEL:
                return text.strip()
    return ""


def _told(info: Entry, task: Entry) -> tuple[str, ...] | None:
    """Every text that the user was given: the task's instruction, or its scenario."""
    texts = tuple(_texts([mapping(info.get("task")).get("instruction"), task.get("user_scenario")]))
    return texts or None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _signals(talk: Dialogue, ended: str) -> tuple[str, ...]:
    """What each message of the user meant: the last one ends the conversation if it was the user who did."""
    signals = [str(Signal.CONTINUE)] * len(talk.marks)
    if signals and ended in (Outcome.SATISFIED, Outcome.DISSATISFIED):
        signals[-1] = ended
    return tuple(signals)


def _model(info: Entry, key: str) -> str:
    return str(mapping(info.get(key)).get("llm") or "")
