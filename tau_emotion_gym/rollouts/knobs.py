"""How fast and how far a run goes. None of this changes what an episode is, so none of it binds a resume."""

import msgspec


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What one call of `run` may spend. When it is spent no further episode begins; those that run are finished.

    Attributes:
        tokens: read and written, of agent and user together.
        seconds: of wall time.
        dollars: needs `prices` in the configuration of every model.
    """

    tokens: int | None = None
    seconds: float | None = None
    dollars: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"a budget of {name} is more than 0, not {value!r}")


class Knobs(msgspec.Struct, frozen=True, kw_only=True):
    """Throughput and limits of one call of `run`.

    Attributes:
        concurrency: episodes that run at once.
        episode_timeout: seconds after which an episode ends as `infrastructure`; None for no limit.
        fsync: wait until each line has reached the disk, against power cuts; a killed process loses nothing
            without it.
        most_failures: so many endings as `infrastructure` in a row stop the run.
        budget: what may be spent.
    """

    concurrency: int = 16
    episode_timeout: float | None = 3600.0
    fsync: bool = False
    most_failures: int = 25
    budget: Budget = Budget()

    def __post_init__(self) -> None:
        for name in ("concurrency", "most_failures"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, not {getattr(self, name)!r}")
        if self.episode_timeout is not None and not self.episode_timeout > 0:
            raise ValueError(f"episode_timeout is more than 0 seconds, not {self.episode_timeout!r}")
