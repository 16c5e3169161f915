"""The report on a run: every figure with what stands behind it, as one JSON-able object."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from tau_emotion_gym.evaluation.baselines import Baseline, kept_baselines
from tau_emotion_gym.evaluation.breakdowns import Breakdown, Broken, Ending, breakdowns, broken_rules, endings
from tau_emotion_gym.evaluation.metrics import Figure, avg_at_k, fewest_trials, pass_at_k, pass_hat_k, rate
from tau_emotion_gym.evaluation.paired import Difference, Effects, NoNeutralError, compare, left, paired
from tau_emotion_gym.evaluation.results import Counts, Result, counts
from tau_emotion_gym.evaluation.runs import Run, Spec, distinct, read_run
from tau_emotion_gym.llm import NO_USAGE, Usage
from tau_emotion_gym.rollouts.progress import cost, prices_of


class Headline(msgspec.Struct, frozen=True):
    """The three metrics over some episodes.

    Attributes:
        name: of the part of the run: "all", a domain or an arm.
        avg, pass_hat, pass_at: Avg@k, Pass^k and pass@k.
    """

    name: str
    avg: Figure
    pass_hat: Figure
    pass_at: Figure


class Effort(msgspec.Struct, frozen=True):
    """What an episode takes: means over scored episodes; None when none is.

    Attributes:
        steps: the agent's actions.
        tool_calls: of them, calls of tools.
        questions: questions that it asked.
        tool_errors: calls that failed.
    """

    steps: float | None
    tool_calls: float | None
    questions: float | None
    tool_errors: float | None


class Spending(msgspec.Struct, frozen=True):
    """Tokens and money of one role, over all finished episodes, the excluded ones too.

    Attributes:
        role: "agent" or "user".
        calls: requests to its model; 0 when it has none; None for a file from elsewhere.
        prompt_tokens, completion_tokens: None when a server did not tell.
        dollars: None when prices or tokens are unknown, which is not 0.
    """

    role: str
    calls: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    dollars: float | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A run's figures.

    Attributes:
        name: the run's.
        hash: of its configuration; "" for a file from elsewhere.
        agent, user: names of the models, or of the agent and user that have none.
        foreign: read from another package's file, which tells nothing of rules and strict success.
        k: trials of the headline.
        allow_holes: figures were made from what there was.
        counts: over all episodes.
        headline: over all tasks and arms.
        domains, arms: the same for each.
        strict_success: success without breaking a rule.
        leave_rate: the customer left dissatisfied.
        user_faults: the customer was content with a wish unspoken.
        endings: how episodes ended.
        breakdowns: success by group.
        rules: rules that were broken.
        effects: emotion against none, on the same tasks, trials and seeds.
        no_effects: why there are none.
        baselines: agents without a model on the same tasks and arms; empty when they cannot be played.
        effort: what an episode takes.
        spending: tokens and money by role.
    """

    name: str
    hash: str
    agent: str
    user: str
    foreign: bool
    k: int
    allow_holes: bool
    counts: Counts
    headline: Headline
    domains: tuple[Headline, ...]
    arms: tuple[Headline, ...]
    strict_success: Figure
    leave_rate: Figure
    user_faults: Figure
    endings: tuple[Ending, ...]
    breakdowns: tuple[Breakdown, ...]
    rules: tuple[Broken, ...]
    effects: Effects | None
    no_effects: str
    baselines: tuple[Baseline, ...]
    effort: Effort
    spending: tuple[Spending, ...]


class Comparison(msgspec.Struct, frozen=True):
    """Two runs on the tasks and arms that both have scored.

    Attributes:
        first, second: names of the runs.
        same_user: both had the same user; where not, the difference is of agents and users together.
        difference: in success, first less second.
    """

    first: str
    second: str
    same_user: bool
    difference: Difference


class Reports(msgspec.Struct, frozen=True):
    """Reports side by side, and each pair of runs compared."""

    reports: tuple[Report, ...]
    comparisons: tuple[Comparison, ...]


def report_on(
    paths: Iterable[str | Path],
    *,
    k: int | None = None,
    allow_holes: bool = False,
    baselines: bool = True,
    rescored: bool = False,
    seed: int = 0,
) -> Reports:
    """Report on runs.

    Args:
        paths: folders of runs, or results files of the τ-bench family.
        k: trials of the headline; by default as many as every run has.
        allow_holes: make figures from what there is when trials are missing.
        baselines: play the baselines, where they are not kept in the folder.
        rescored: take the scores that `rescore` has written.
        seed: of the bootstrap.

    Raises:
        DataError: a path that is no run, or a damaged one.
        HolesError: tasks with fewer than k scored trials, and holes are not allowed.
        TooFewTrialsError: k is larger than a run's number of trials.
    """
    runs = [read_run(path, rescored=rescored) for path in paths]
    runs = [
        msgspec.structs.replace(run, name=name)
        for run, name in zip(runs, distinct([run.name for run in runs]), strict=True)
    ]
    trials = min((fewest_trials(run.rows) for run in runs), default=1) if k is None else k
    return Reports(
        tuple(report_of(run, k=trials, allow_holes=allow_holes, baselines=baselines, seed=seed) for run in runs),
        tuple(
            Comparison(one.name, other.name, one.user == other.user, compare(one.rows, other.rows, seed=seed))
            for at, one in enumerate(runs)
            for other in runs[at + 1 :]
        ),
    )


def report_of(run: Run, *, k: int, allow_holes: bool = False, baselines: bool = True, seed: int = 0) -> Report:
    """Report on a run that has been read. Arguments and errors as in `report_on`."""
    rows = run.rows

    def headline(name: str, some: Sequence[Result]) -> Headline:
        return Headline(
            name,
            *(metric(some, k, allow_holes=allow_holes, seed=seed) for metric in (avg_at_k, pass_hat_k, pass_at_k)),
        )

    def parts(value_of: Callable[[Result], str]) -> tuple[Headline, ...]:
        values = dict.fromkeys(map(value_of, rows))
        return tuple(headline(value, [row for row in rows if value_of(row) == value]) for value in values)

    effects, no_effects = _effects(rows, seed)
    return Report(
        name=run.name,
        hash=run.hash,
        agent=run.agent,
        user=run.user,
        foreign=run.folder is None,
        k=k,
        allow_holes=allow_holes,
        counts=counts(rows),
        headline=headline("all", rows),
        domains=parts(lambda row: row.place.domain),
        arms=parts(lambda row: row.place.arm),
        strict_success=rate(rows, lambda row: row.strict_success, seed=seed),
        leave_rate=rate(rows, left, seed=seed),
        user_faults=rate(rows, lambda row: row.user_fault, seed=seed),
        endings=endings(rows, seed=seed),
        breakdowns=breakdowns(rows, seed=seed),
        rules=broken_rules(rows),
        effects=effects,
        no_effects=no_effects,
        baselines=_baselines(run) if baselines else (),
        effort=_effort(rows),
        spending=(
            _spending("agent", run, run.agent_spec, (row.agent_usage for row in rows)),
            _spending("user", run, run.user_spec, (row.user_usage for row in rows)),
        ),
    )


def _effects(rows: Sequence[Result], seed: int) -> tuple[Effects | None, str]:
    try:
        return paired(rows, seed=seed), ""
    except NoNeutralError as error:
        return None, str(error)


def _baselines(run: Run) -> tuple[Baseline, ...]:
    return kept_baselines(run.folder, run.plan, run.max_steps) if run.folder else ()


def _effort(rows: Iterable[Result]) -> Effort:
    scored = [row for row in rows if row.scored]

    def mean(values: Iterable[int]) -> float | None:
        return sum(values) / len(scored) if scored else None

    return Effort(
        steps=mean(row.steps for row in scored),
        tool_calls=mean(row.tool_calls for row in scored),
        questions=mean(row.questions for row in scored),
        tool_errors=mean(row.tool_errors for row in scored),
    )


def _spending(role: str, run: Run, spec: Spec, usages: Iterable[Usage]) -> Spending:
    if run.folder is None:
        return Spending(role, None, None, None, None)
    total = sum(usages, start=NO_USAGE)
    dollars = cost(total, prices_of(spec if isinstance(spec, str) else dict(spec)))
    return Spending(role, total.calls, total.prompt_tokens, total.completion_tokens, dollars)
