"""What a run plays: its configuration, and the plan of episodes that follows from it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym._draw import MASK, mix
from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.emotions import CONDITIONS, resolve, validate
from tau_emotion_gym.envs.settings import SPLITS, check_count, find_domain
from tau_emotion_gym.episode.episode import MAX_STEPS, USER_EXITS
from tau_emotion_gym.episode.info import NEUTRAL
from tau_emotion_gym.episode.scoring import check_reward
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import Domain, load
from tau_emotion_gym.kit.discovery import load_from
from tau_emotion_gym.llm.redaction import names_secret, url_with_secret
from tau_emotion_gym.rollouts.record import Place
from tau_emotion_gym.tasks.train import task_by_id, task_ids
from tau_emotion_gym.users import make_user


class RunConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is played, and with whom. How fast is another matter (see `Knobs`).

    Attributes:
        agent: who acts: a name, "module:callable", or a mapping with "kind" and options.
        user: who plays the customer, in the same forms.
        domains: names of the domains.
        folders: domain → folder, for domains of one's own.
        split: "test" or "train".
        tasks: how many tasks of each domain, from the first; or which ones, by id; None for the whole split.
        arms: emotions, each as it is written; every task is played under each. "neutral" for none.
        trials: how often each task is played under each arm.
        seed: what the seeds of all episodes follow from, 0 to 2**64 - 1.
        world_seed: the training world.
        user_exit: who decides that the customer leaves; None for what suits the user.
        max_steps: actions after which an episode is truncated.
        think_tool: offer the `think` tool.
        reward: weights of reward terms that differ from the default.
    """

    agent: str | dict[str, Any]
    user: str | dict[str, Any] = "scripted"
    domains: tuple[str, ...]
    folders: dict[str, str] = {}
    split: str = "test"
    tasks: int | tuple[str, ...] | None = None
    arms: tuple[str, ...] = ("task",)
    trials: int = 1
    seed: int = 0
    world_seed: int = 0
    user_exit: str | None = None
    max_steps: int = MAX_STEPS
    think_tool: bool = False
    reward: dict[str, float] = {}

    @property
    def exits(self) -> str:
        """Who decides that the customer leaves, the user's default included."""
        return self.user_exit or make_user(self.user).default_exit

    def domain(self, name: str) -> Domain:
        """One of the run's domains."""
        return load_from(name, self.folders[name]) if name in self.folders else load(name)


def make_config(domains: Sequence[str | Path], **arguments: Any) -> RunConfig:
    """A checked configuration.

    Args:
        domains: names, or folders of domains of one's own.
        arguments: the other attributes of `RunConfig`.

    Raises:
        UnknownName: a name that does not exist, with the nearest valid ones.
        TypeError, ValueError: a value of the wrong form or out of range.
    """
    if isinstance(domains, str):
        raise TypeError(f"domains is a list of names or folders, not {domains!r}")
    found = [(str(domain), find_domain(domain)) for domain in domains]
    folders = {own.name: str(own.folder) for text, own in found if text != own.name}
    valid = msgspec.structs.fields(RunConfig)
    for name in arguments:
        if name not in {field.name for field in valid}:
            raise unknown("setting of a run", name, [field.name for field in valid])
    given = {"domains": [own.name for _, own in found], "folders": folders, **arguments}
    try:
        config = msgspec.convert(given, RunConfig)
    except msgspec.ValidationError as error:
        raise TypeError(f"configuration of a run: {error}") from None
    check_config(config)
    return config


def check_config(config: RunConfig) -> None:
    """Raise what is wrong with a configuration, before anything is played."""
    agent = _checked_party("agent", config.agent, make_agent)
    _checked_party("user", config.user, make_user)
    _check_think_tool(config.think_tool, agent)
    if config.split not in SPLITS:
        raise unknown("split", config.split, SPLITS)
    if config.user_exit is not None and config.user_exit not in USER_EXITS:
        raise unknown("user_exit", config.user_exit, USER_EXITS)
    for arm in config.arms:
        validate(arm)
    for what, values in (("domains", config.domains), ("arms", config.arms), ("tasks", config.tasks)):
        if isinstance(values, tuple):
            _check_list(what, values)
    check_count("trials", config.trials, least=1)
    check_count("max_steps", config.max_steps, least=1)
    check_count("world_seed", config.world_seed, least=0)
    if not 0 <= config.seed <= MASK:
        raise ValueError(f"seed is at least 0 and at most 2**64 - 1, not {config.seed}")
    if isinstance(config.tasks, int):
        check_count("tasks", config.tasks, least=1)
    check_reward(config.reward)
    for name in config.domains:
        _tasks(config, config.domain(name))


def plan(config: RunConfig) -> list[Place]:
    """Every episode of a run, in the order in which they are begun.

    The n-th task of each domain comes before any (n + 1)-th, with all its trials and arms together: a run that
    stops early is balanced over the domains and leaves few tasks half played.

    Raises:
        UnknownName, ValueError: tasks that do not exist.
    """
    rows = {name: _tasks(config, config.domain(name)) for name in config.domains}
    longest = max(map(len, rows.values()))
    return [
        place
        for number in range(longest)
        for name, ids in rows.items()
        if number < len(ids)
        for place in _places(config, name, ids[number])
    ]


def seed_of(run_seed: int, domain: str, task_id: str, trial: int) -> int:
    """The seed of an episode. It does not follow from the arm, so that the arms of a run are paired."""
    return mix(mix(run_seed, 0, domain), trial, task_id)


def _places(config: RunConfig, domain: str, task_id: str) -> Iterator[Place]:
    assigned = CONDITIONS[task_by_id(config.domain(domain), task_id).condition]
    for trial in range(config.trials):
        seed = seed_of(config.seed, domain, task_id, trial)
        for arm in config.arms:
            condition = resolve(arm, assigned=assigned, seed=seed)
            path = NEUTRAL if condition is None else condition.path
            yield Place(domain, task_id, arm, trial, str(seed), path)


def _tasks(config: RunConfig, domain: Domain) -> list[str]:
    """The ids of the run's tasks in one domain."""
    domain.require_data(tests=config.split == "test")
    if isinstance(config.tasks, tuple):
        for task_id in config.tasks:
            task_by_id(domain, task_id)
        return list(config.tasks)
    ids = task_ids(domain, config.split, world_seed=config.world_seed, count=config.tasks)
    if config.tasks is not None and len(ids) < config.tasks:
        raise ValueError(f"domain {domain.name} has {len(ids)} test tasks, not {config.tasks}")
    return ids


def _check_list(what: str, values: tuple[str, ...]) -> None:
    if not values:
        raise ValueError(f"{what} of a run: none given")
    plain = [value.strip().lower() for value in values]
    if repeated := sorted({value for value in plain if plain.count(value) > 1}):
        raise ValueError(f"{what} of a run: {', '.join(repeated)} given twice")


def _checked_party(role: str, spec: str | dict[str, Any], make: Callable[[Any], object]) -> object:
    _refuse_secrets(role, spec)
    try:
        return make(spec)
    except TypeError as error:
        kind = spec if isinstance(spec, str) else spec.get("kind")
        raise TypeError(f"{role} {kind!r}: {error}") from None


def _check_think_tool(offered: bool, agent: object) -> None:
    """An agent that says whether it knows the tool has to agree with the run."""
    describe = getattr(agent, "describe", None)
    known = describe().get("think_tool", offered) if describe else offered
    if known != offered:
        raise ValueError(f"think_tool is {offered} for the run and {known} for its agent; set it for both")


def _refuse_secrets(role: str, spec: Any) -> None:
    """Raise a `ValueError` for a key in a configuration: as an option, or in an address."""
    if isinstance(spec, str) and url_with_secret(spec):
        raise ValueError(f"{role}: the address holds a key, which would be written into the log; {_INSTEAD}")
    if isinstance(spec, list | tuple):
        for value in spec:
            _refuse_secrets(role, value)
    if isinstance(spec, Mapping):
        for name, value in spec.items():
            if names_secret(str(name)):
                raise ValueError(f"{role}: the option {name!r} would be written into the log; {_INSTEAD}")
            _refuse_secrets(role, value)


_INSTEAD = "put the key into an environment variable, and its name into api_key_env"
