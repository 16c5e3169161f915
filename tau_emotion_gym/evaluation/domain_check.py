"""The check of a domain: its data as it stands, and its test tasks in play."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.evaluation.coverage import leaf_grid
from tau_emotion_gym.evaluation.difficulty import LEAST_FAILED, TRAPS, Difficulty, difficulties, traps
from tau_emotion_gym.evaluation.rises import Rise, rises
from tau_emotion_gym.evaluation.trials import NEUTRAL, Batch, Trial, batches, run_batches
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.tasks.check import DomainReport, check_domain
from tau_emotion_gym.tasks.replay import ReplayError

REFERENCE = "reference"
FRICTION = "friction"
BASELINES = ("null", "refuse_all", "transfer_only")
"""Agents that do no work and so must not succeed."""

MOST_SOLVED = 0.01
"""Share of the tasks that such an agent may solve, emergencies apart."""

SHOWN = 20
"""Problems that a report keeps of each kind; the figures count them all."""

Progress = Callable[[int], None]
"""Called with the number of episodes just finished."""


class Line(msgspec.Struct, frozen=True):
    """One thing that must hold.

    Attributes:
        what: the claim.
        figure: what was measured.
        holds: whether the claim is true.
        problems: what speaks against it, the first `SHOWN`.
    """

    what: str
    figure: str
    holds: bool
    problems: tuple[str, ...] = ()


class CheckReport(msgspec.Struct, frozen=True):
    """What the check of one domain found.

    Attributes:
        domain: the domain's name.
        tasks: number of test tasks.
        episodes: episodes played.
        lines: everything that must hold.
        static: the report on the data.
        rises: how often the friction agent was left, by urgency and trust.
        solved: baseline → ids of the tasks that it solves; emergencies are among them.
        difficulty: how each careless agent did on the tasks that hold its trap.
    """

    domain: str
    tasks: int
    episodes: int
    lines: tuple[Line, ...]
    static: DomainReport
    rises: tuple[Rise, ...]
    solved: dict[str, tuple[str, ...]]
    difficulty: tuple[Difficulty, ...] = ()

    @property
    def passed(self) -> bool:
        """True when every line holds."""
        return all(line.holds for line in self.lines)


def check(
    domain: Domain,
    *,
    all_conditions: bool = False,
    jobs: int | None = None,
    started: Progress | None = None,
    finished: Progress | None = None,
) -> CheckReport:
    """Check a domain's data, then play its test tasks.

    Args:
        domain: the domain.
        all_conditions: play every task under all 594 conditions instead of the one assigned to it.
        jobs: worker processes; as many as processors when None. More than one needs a `__main__` module
            that can be imported.
        started: called once with the number of episodes to play.
        finished: called with the number of episodes just played, again and again.

    Raises:
        DataError: the domain's world, policy or tasks cannot be loaded.
    """
    domain.require_data()
    _ = domain.test_base
    static = check_domain(domain)
    work = plan(domain, all_conditions=all_conditions)
    if started is not None:
        started(sum(len(batch.episodes) for batch in work))
    trials: list[Trial] = []
    for batch in run_batches(work, jobs):
        trials += batch
        if finished is not None:
            finished(len(batch))
    return judge(static, trials, _met(domain))


def _met(domain: Domain) -> Mapping[str, Collection[str]]:
    """The tasks that each careless agent can meet; none when references fail, which the report says already."""
    try:
        return traps(domain)
    except ReplayError:
        return dict.fromkeys(TRAPS, ())


def plan(domain: Domain, *, all_conditions: bool) -> list[Batch]:
    """The episodes of a check.

    The friction agent meets each task's own leaf at all 27 combinations of levels, so that levels are
    compared with all else equal; the baselines play with and without emotion, the careless agents under the
    condition assigned to each task.
    """
    tasks = domain.test_tasks.values()
    own = [(task.id, task.condition) for task in tasks]
    neutral = [(task.id, NEUTRAL) for task in tasks]
    everything = [(task.id, condition.index) for task in tasks for condition in CONDITIONS]
    grids = [(task.id, condition.index) for task in tasks for condition in leaf_grid(CONDITIONS[task.condition])]
    work = batches(domain, REFERENCE, [*neutral, *(everything if all_conditions else own)])
    work += batches(domain, FRICTION, everything if all_conditions else grids)
    for agent in BASELINES:
        work += batches(domain, agent, [*neutral, *own])
    for agent in TRAPS:
        work += batches(domain, agent, own)
    return work


def judge(
    static: DomainReport, trials: Sequence[Trial], met: Mapping[str, Collection[str]] | None = None
) -> CheckReport:
    """The report on what was found and played. Pure; the order of the trials does not matter.

    Args:
        static: the report on the data.
        trials: the episodes played.
        met: careless agent → ids of the tasks that hold its trap.
    """
    ordered = sorted(trials, key=lambda trial: (trial.task, trial.condition))
    by_agent = {agent: [t for t in ordered if t.agent == agent] for agent in (REFERENCE, FRICTION, *BASELINES)}
    solved = {
        agent: tuple(dict.fromkeys(trial.task for trial in by_agent[agent] if trial.success)) for agent in BASELINES
    }
    rising = rises(by_agent[FRICTION])
    hard = tuple(difficulties(met or {}, ordered))
    lines = [
        Line(
            "data, references, rules, sources, coverage and mix are sound",
            f"{len(static.problems)} problems",
            not static.problems,
            tuple(map(str, static.problems[:SHOWN])),
        ),
        *_reference(by_agent[REFERENCE]),
        *(_baseline(static, agent, solved[agent]) for agent in BASELINES),
        *(_rising(rising, dimension) for dimension in dict.fromkeys(rise.dimension for rise in rising)),
        *map(_hard, hard),
    ]
    return CheckReport(static.domain, static.tasks, len(trials), tuple(lines), static, tuple(rising), solved, hard)


def _reference(trials: Sequence[Trial]) -> Iterator[Line]:
    yield _without(
        "the reference agent always succeeds", trials, (t for t in trials if not t.success), lambda t: t.reason
    )
    yield _without(
        "the reference agent is never left",
        trials,
        (t for t in trials if t.outcome is Outcome.DISSATISFIED),
        lambda t: "the customer leaves",
    )
    yield _without(
        "the reference agent keeps every rule, consent included",
        trials,
        (t for t in trials if t.violations),
        lambda t: f"breaks {', '.join(t.violations)}",
    )
    yield _without(
        "every value that the reference agent writes was said by the user, a tool or the policy",
        trials,
        (t for t in trials if t.unsourced),
        lambda t: f"nobody said {', '.join(t.unsourced)}",
    )
    yield _without(
        "the user brings up every wish",
        trials,
        (t for t in trials if t.user_fault),
        lambda t: "content with a wish unspoken",
    )


def _without(what: str, trials: Sequence[Trial], bad: Iterable[Trial], why: Callable[[Trial], str]) -> Line:
    """The line that holds when no trial is bad."""
    found = list(bad)
    good = len(trials) - len(found)
    figure = f"{good:,} of {len(trials):,} episodes"
    if found:
        figure += f"; tasks that fail: {len({trial.task for trial in found})}"
    return Line(what, figure, not found, tuple(f"{t.task}, {t.where}: {why(t)}" for t in _spread(found)))


def _spread(trials: Sequence[Trial]) -> list[Trial]:
    """The first of each task before a second of any, at most `SHOWN`."""
    seen: Counter[str] = Counter()
    ranked = []
    for trial in trials:
        seen[trial.task] += 1
        ranked.append((seen[trial.task], trial.task, trial))
    return [trial for _, _, trial in sorted(ranked, key=lambda row: row[:2])[:SHOWN]]


def _baseline(static: DomainReport, agent: str, solved: Sequence[str]) -> Line:
    """The line that holds when an agent that does no work solves next to nothing."""
    easy = [task for task in solved if task not in static.emergencies]
    share = len(easy) / static.tasks if static.tasks else 0.0
    figure = f"{len(easy)} of {static.tasks} tasks ({share:.0%})"
    if apart := [task for task in solved if task in static.emergencies]:
        figure += f"; emergencies apart: {', '.join(apart)}"
    return Line(
        f"the {agent} agent solves at most {MOST_SOLVED:.0%}",
        figure,
        share <= MOST_SOLVED,
        tuple(f"{task}: solved by doing nothing of what was asked" for task in easy[:SHOWN]),
    )


def _hard(found: Difficulty) -> Line:
    """The line that holds when a careless agent fails often enough where it can."""
    what = f"the {found.agent} agent fails at least {LEAST_FAILED:.0%} of the tasks with its trap"
    return Line(what, str(found), found.enough)


def _rising(rising: Sequence[Rise], dimension: str) -> Line:
    mine = [rise for rise in rising if rise.dimension == dimension]
    flat = [str(rise) for rise in mine if not rise.strict]
    shares = ", ".join(f"{level} {share:.1%}" for level, share in mine[0].shares.items())
    word = "distrust" if dimension == "trust" else dimension
    return Line(f"the friction agent is left more often with more {word}", shares, not flat, tuple(flat))
