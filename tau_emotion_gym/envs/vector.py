"""Many conversations stepped together, all their users asked at once."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Tuple
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from tau_emotion_gym._draw import mix
from tau_emotion_gym.envs.chat import function_tools
from tau_emotion_gym.envs.codec import CodecSpec, MaskedCodec, make_codec
from tau_emotion_gym.envs.columns import Columns, add_final, columns
from tau_emotion_gym.envs.names import check_id
from tau_emotion_gym.envs.settings import check_count, make_settings
from tau_emotion_gym.envs.slot import Slot
from tau_emotion_gym.envs.spaces import ActionSpace
from tau_emotion_gym.envs.stream import Stream, checked_options, checked_seed, entropy
from tau_emotion_gym.envs.transcript import transcript_text
from tau_emotion_gym.episode import Episode, Outcome, Score, UserRequest, info
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import names
from tau_emotion_gym.users import User, UserError
from tau_emotion_gym.users.base import checked_replies

Asked = list[tuple[Episode, UserRequest]]
"""Episodes that wait for their users."""


class TauEmotionVectorEnv(VectorEnv[tuple[Any, ...], Sequence[Any], NDArray[Any]]):
    """`num_envs` conversations: what `gymnasium.make_vec(id, num_envs=n)` gives.

    Tool calls are answered at once; all users of a step are asked in one `reply_many`. In SAME_STEP mode
    that call also carries the openings of the episodes to come, so that a step never takes two waves of
    model calls. Observations are a tuple with one entry per environment; `infos` has a column per key.
    For equal seeds the episodes are those of `SyncVectorEnv`: environment i is seeded with seed + i.

    Args:
        num_envs: how many conversations.
        domain: name or folder of the domain.
        domains: several of them instead, taken in turn by the environments; all known ones when neither
            is given. Actions then come from the union of their tools.
        autoreset_mode: "SameStep", "NextStep" or "Disabled", or gymnasium's `AutoresetMode`.
        group_size: so many consecutive environments play the same sequence of episodes (their common seed
            is seed + number of the group).
        codec: how turns are shown and actions read: a name (see `tau_emotion_gym.envs.codec.CODECS`),
            "module:callable", a mapping with either under "kind" and options beside it, or a `Codec`.
        render_mode: "ansi" or None.
        arguments: the other arguments of `TauEmotionEnv`. Listed `tasks` and cursors are dealt round over
            the environments (over the groups, where there are some).

    Raises:
        UnknownName: a name that does not exist, with the nearest valid ones.
        TypeError, ValueError: a value of the wrong form or out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (gymnasium declares it so)
        "render_modes": ["ansi"],
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    _user: User | None = None
    _spec: EnvSpec | None = None

    def __init__(
        self,
        num_envs: int = 1,
        *,
        domain: str | Path | None = None,
        domains: Sequence[str | Path] | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        group_size: int = 1,
        codec: CodecSpec | None = None,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise unknown("render_mode of a vector environment", render_mode, ["ansi"])
        check_count("num_envs", num_envs, least=1)
        check_count("group_size", group_size, least=1)
        if num_envs % group_size:
            raise ValueError(f"num_envs={num_envs} is no multiple of group_size={group_size}")
        settings = [make_settings(name, **arguments) for name in _domains(domain, domains)]
        if settings[0].deal.ids and len(settings) > 1:
            raise ValueError("task ids belong to one domain; with several domains, tasks is None or a cursor")
        self.num_envs = num_envs
        self.group_size = group_size
        self.render_mode = render_mode
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.codec = make_codec(codec, [one.domain for one in settings])
        self._settings = settings
        self._user = settings[0].make_user()
        self._slots = [self._slot(number // group_size) for number in range(num_envs)]
        self._set_spaces()

    def _slot(self, group: int) -> Slot:
        kinds = len(self._settings)
        settings = self._settings[group % kinds]
        groups = self.num_envs // self.group_size
        sharing = len(range(group % kinds, groups, kinds))
        exits = settings.user_exit or self.user.default_exit
        return Slot(Stream(settings, exits, settings.deal.share(group // kinds, sharing)))

    def _set_spaces(self) -> None:
        tools = [tool for s in self._settings for tool in s.domain.offered(think_tool=s.think_tool)]
        self.single_action_space = self.codec.action_space(ActionSpace(tools))
        self.single_observation_space = self.codec.observation_space()
        self.action_space = Tuple([self.single_action_space] * self.num_envs)
        self.observation_space = Tuple([self.single_observation_space] * self.num_envs)

    # --- the Gymnasium interface ------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[tuple[Any, ...], Columns]:
        """Begin an episode everywhere, or where a mask says so.

        Args:
            seed: environment i starts its sequence of episodes again with seed + i (with groups: + number
                of its group), or with its own entry of a list; without it every sequence goes on.
            options: "reset_mask" (boolean array: only these), and the options of `TauEmotionEnv.reset`,
                each one value for all or a list with one per environment.

        Raises:
            gymnasium.error.ResetNeeded: a mask leaves out an environment that was never reset.
            UnknownName, TypeError, ValueError: an option, seed or mask that is none.
        """
        options = dict(checked_options(options))
        places = self._masked(options.pop("reset_mask", None))
        own = {place: {key: self._own(key, value, place) for key, value in options.items()} for place in places}
        if any(slot.episode is None for place, slot in enumerate(self._slots) if place not in places):
            raise ResetNeeded("the first reset is for all environments: some have no episode yet")
        base = entropy()
        made = [
            self._slots[place].stream.begin(own[place], seed=start, root=mix(base, place // self.group_size, "root"))
            for place, start in zip(places, self._seeds(seed, places), strict=True)
        ]
        self._ask([(one[1], self._slots[place].play(*one)) for place, one in zip(places, made, strict=True)])
        infos = [info(self._slots[place].playing) for place in places]
        return self._observations(), columns(infos, places, self.num_envs)

    def step(self, actions: Iterable[Any]) -> tuple[tuple[Any, ...], NDArray[Any], NDArray[Any], NDArray[Any], Columns]:
        """Carry out one action per environment; nothing that is sent as an action raises.

        Raises:
            TypeError: no sequence of actions, such as a single one.
            ValueError: not one action per environment.
            gymnasium.error.ResetNeeded: before the first reset, and in DISABLED mode for an episode that
                is over.
        """
        if isinstance(actions, Mapping | str) or not isinstance(actions, Iterable):
            raise TypeError(f"step takes {self.num_envs} actions in a sequence, not {actions!r:.80}")
        actions = list(actions)
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions for {self.num_envs} environments")
        self._check_ready()
        asked: Asked = []
        begun: set[int] = set()
        for place, (slot, action) in enumerate(zip(self._slots, actions, strict=True)):
            if slot.over:
                begun.add(place)
                request: UserRequest | None = slot.begin()
            else:
                request = slot.act(self.codec, action)
            if request is not None:
                asked.append((slot.playing, request))
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            self._prefetch(asked)
        self._ask(asked)
        return self._results(begun)

    def render(self) -> tuple[str, ...] | None:
        """The transcripts as text ("ansi"), or None."""
        if self.render_mode is None:
            return None
        return tuple(transcript_text(slot.episode.transcript) if slot.episode else "" for slot in self._slots)

    def close_extras(self, **kwargs: Any) -> None:
        """Let go of the user and its clients."""
        closing = getattr(self._user, "close", None)
        self._user = None
        if closing is not None:
            closing()

    @property
    def spec(self) -> EnvSpec | None:
        """What `gymnasium.make_vec` was given; None for an environment made by its class."""
        return self._spec

    @spec.setter
    def spec(self, value: EnvSpec | None) -> None:
        if value is not None:
            check_id(value.id, [settings.domain.name for settings in self._settings])
        self._spec = value

    # --- beyond it ----------------------------------------------------------------------------------------

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """The episode that each environment plays."""
        return tuple(slot.playing for slot in self._slots)

    @property
    def policies(self) -> tuple[str, ...]:
        """Each environment's policy, for its agent's system prompt."""
        return tuple(slot.stream.settings.domain.policy for slot in self._slots)

    @property
    def tools(self) -> tuple[list[dict[str, Any]], ...]:
        """Each environment's tools as OpenAI function definitions; one list per domain, not one per place."""
        made: dict[str, list[dict[str, Any]]] = {}
        for one in self._settings:
            made[one.domain.name] = function_tools(one.domain, think_tool=one.think_tool)
        return tuple(made[slot.stream.settings.domain.name] for slot in self._slots)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions each environment can carry out now: a new array of shape (num_envs, actions).

        Raises:
            TypeError: the codec's actions have no masks.
        """
        codec = self.codec
        if not isinstance(codec, MaskedCodec):
            raise TypeError(f"{type(codec).__name__} has no masks; the codecs discrete and discrete_numeric have")
        return np.stack([codec.mask(episode) for episode in self.episodes])

    @property
    def user(self) -> User:
        """The user simulator, one for all; made anew in a process that unpickles the environment."""
        if self._user is None:
            self._user = self._settings[0].make_user()
        return self._user

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_user": None}

    # --- how -----------------------------------------------------------------------------------------------

    def _ask(self, asked: Asked) -> None:
        """Ask all users at once; their answers become turns."""
        if not asked:
            return
        requests = [request for _, request in asked]
        answers = checked_replies(self.user, requests, self.user.reply_many(requests))
        for (episode, _), answer in zip(asked, answers, strict=True):
            if isinstance(answer, UserError):
                episode.stop(Outcome.INFRASTRUCTURE, str(answer))
            else:
                episode.hear(answer)

    def _prefetch(self, asked: Asked) -> None:
        """Add the openings of next episodes, when there is a wave anyway or an episode has ended without one."""
        lacking = [slot for slot in self._slots if slot.next is None]
        if asked or any(slot.ended for slot in lacking):
            asked.extend(slot.prefetch() for slot in lacking)

    def _results(self, begun: set[int]) -> tuple[tuple[Any, ...], NDArray[Any], NDArray[Any], NDArray[Any], Columns]:
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminated = np.zeros(self.num_envs, dtype=np.bool_)
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        ended = [p for p, slot in enumerate(self._slots) if slot.ended and p not in begun]
        final_observations, final_infos = [], []
        scores: dict[int, Score] = {}
        for place in ended:
            slot = self._slots[place]
            episode = slot.playing
            assert episode.outcome is not None
            score = scores[place] = episode.score()
            rewards[place] = score.reward
            terminated[place] = episode.outcome.terminated
            truncated[place] = not episode.outcome.terminated
            slot.over = True
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final_observations.append(slot.show(self.codec))
                final_infos.append(info(episode, scores.pop(place)))
                slot.swap()
        infos = [info(slot.playing, scores.get(place)) for place, slot in enumerate(self._slots)]
        found = columns(infos, range(self.num_envs), self.num_envs)
        if final_infos:
            add_final(found, final_observations, final_infos, ended, self.num_envs)
        return self._observations(), rewards, terminated, truncated, found

    def _observations(self) -> tuple[Any, ...]:
        return tuple(slot.show(self.codec) for slot in self._slots)

    def _check_ready(self) -> None:
        if any(slot.episode is None for slot in self._slots):
            raise ResetNeeded("call reset() before step(): an environment has no episode yet")
        if self.autoreset_mode is AutoresetMode.DISABLED:
            over = [place for place, slot in enumerate(self._slots) if slot.over]
            if over:
                raise ResetNeeded(
                    f"the episodes of environments {over[:10]} are over; reset(options={{'reset_mask': mask}}) "
                    "comes before step()"
                )

    def _seeds(self, seed: Any, places: Sequence[int]) -> list[int | None]:
        if seed is None:
            return [None] * len(places)
        if not isinstance(seed, Sequence | np.ndarray):
            first = checked_seed(seed)
            return [first + place // self.group_size for place in places]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
        own = [None if one is None else checked_seed(one) for one in seed]
        for place in range(self.num_envs):
            if own[place] != own[place - place % self.group_size]:
                raise ValueError(f"environments of one group need one seed; {own[place]} at {place} differs")
        return [own[place] for place in places]

    def _masked(self, mask: Any) -> list[int]:
        """The environments that a reset is for."""
        if mask is None:
            return list(range(self.num_envs))
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise TypeError(f"reset_mask is a boolean numpy array of shape ({self.num_envs},), not {mask!r}")
        if not mask.any():
            raise ValueError("reset_mask selects no environment")
        return [int(place) for place in np.flatnonzero(mask)]

    def _own(self, key: str, value: Any, place: int) -> Any:
        """One environment's value of an option that may be a list with one per environment."""
        if not isinstance(value, list | tuple | np.ndarray):
            return value
        if len(value) != self.num_envs:
            raise ValueError(f"option {key}: {len(value)} values for {self.num_envs} environments")
        return value[place]


def _domains(domain: str | Path | None, domains: Sequence[str | Path] | None) -> Sequence[str | Path]:
    if domain is not None and domains is not None:
        raise TypeError("give either domain or domains")
    if domain is not None:
        return [domain]
    if domains is not None and (isinstance(domains, str) or not domains):
        raise TypeError(f"domains is a list of domains, not {domains!r}")
    return domains or names()


def _mode(mode: str | AutoresetMode) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if mode in (known.value, known.name):
            return known
    raise unknown("autoreset_mode", mode, [known.value for known in AutoresetMode])
