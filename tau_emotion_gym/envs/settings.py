"""What an environment is made with, checked as a whole when it is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tau_emotion_gym.emotions import EmotionSpec, validate
from tau_emotion_gym.envs.deal import Deal, Tasks, make_deal
from tau_emotion_gym.envs.names import title_of
from tau_emotion_gym.episode import DEFAULT_REWARD
from tau_emotion_gym.episode.episode import MAX_STEPS, USER_EXITS
from tau_emotion_gym.episode.scoring import check_reward
from tau_emotion_gym.errors import TauEmotionError, unknown
from tau_emotion_gym.kit import Domain, add_folder, load
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.users.base import User, UserSpec, check_user, make_user

SPLITS = ("test", "train")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The keyword arguments of an environment (see `TauEmotionEnv`), domain loaded and names checked.

    Raises:
        UnknownName: a name that does not exist, with the nearest valid ones.
        TypeError: a value of the wrong form.
        ValueError: a number out of range.
        DataError: the domain's policy or test tasks are damaged.
    """

    domain: Domain
    emotion: EmotionSpec = "task"
    split: str = "test"
    tasks: Tasks = None
    world_seed: int = 0
    user: UserSpec = "scripted"
    user_exit: str | None = None
    reward: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_REWARD))
    max_steps: int = MAX_STEPS
    think_tool: bool = False
    deal: Deal = field(init=False)

    def __post_init__(self) -> None:
        validate(self.emotion)
        if self.split not in SPLITS:
            raise unknown("split", self.split, SPLITS)
        if self.user_exit is not None and self.user_exit not in USER_EXITS:
            raise unknown("user_exit", self.user_exit, USER_EXITS)
        check_count("world_seed", self.world_seed, least=0)
        check_count("max_steps", self.max_steps, least=1)
        check_user(self.user)
        if not isinstance(self.think_tool, bool):
            raise TypeError(f"think_tool is True or False, not {self.think_tool!r}")
        self.domain.require_data(tests=self.split == "test")
        object.__setattr__(self, "reward", _checked_reward(self.reward))
        deal = make_deal(self.tasks, self.split)
        for task_id in deal.ids:
            task_by_id(self.domain, task_id)
        object.__setattr__(self, "deal", deal)

    def make_user(self) -> User:
        """A user as the configuration says. Users hold clients: make them late, and never pickle them."""
        return make_user(self.user)


def make_settings(domain: str | Path, **arguments: Any) -> Settings:
    """Settings for the domain of this name or in this folder; a `reward` of None means the default one."""
    if arguments.get("reward") is None:
        arguments.pop("reward", None)
    return Settings(domain=find_domain(domain), **arguments)


def find_domain(domain: str | Path) -> Domain:
    """The domain of this name, or in this folder.

    Raises:
        UnknownName: no domain has this name.
        TauEmotionError: its title does not follow from its name, so that its id would be wrong.
    """
    text = str(domain)
    found = load(add_folder(text) if "/" in text or "\\" in text else text)
    if found.title != title_of(found.name):
        raise TauEmotionError(
            f"domain {found.name}: its title has to be {title_of(found.name)!r}, not {found.title!r}, "
            "because environment ids are made from folder names"
        )
    return found


def check_count(name: str, value: Any, *, least: int) -> None:
    """Raise a `TypeError` for what is no integer, and a `ValueError` for one that is too small."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an integer, not {value!r}")
    if value < least:
        raise ValueError(f"{name} is at least {least}, not {value}")


def _checked_reward(reward: Any) -> dict[str, float]:
    if not isinstance(reward, Mapping):
        raise TypeError(f"reward is a mapping of terms to weights, not {reward!r}; terms: {list(DEFAULT_REWARD)}")
    return check_reward(reward)
