"""A report as tables of text: one column of figures and one of counts per run. Also as Markdown."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from tau_emotion_gym.evaluation.breakdowns import FEWEST, Group
from tau_emotion_gym.evaluation.metrics import Figure
from tau_emotion_gym.evaluation.pages.markdown import grid
from tau_emotion_gym.evaluation.paired import Difference, Effect
from tau_emotion_gym.evaluation.report import Headline, Report, Reports, Spending
from tau_emotion_gym.evaluation.results import Counts

NOTHING = "-"

Cells: TypeAlias = tuple[str, str]
"""A figure and what stands behind it."""

Rows: TypeAlias = Mapping[str, Cells]
"""The rows of one run's column: label → cells."""


class Section(msgspec.Struct, frozen=True):
    """A table with its title, and a sentence below it.

    All cells are plain text without control characters, and may hold what logs and models say: whoever shows them
    escapes them.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def sections(found: Reports) -> list[Section]:
    """All tables of some reports, the runs side by side."""
    reports = found.reports
    made = [
        _beside("Runs", reports, _runs, head=("", "")),
        _beside("Headline", reports, _headline, note=_headline_note(reports)),
        _beside(
            "Baselines on the same tasks",
            reports,
            _baselines,
            note="Each task once under each arm, with the scripted user.",
        ),
        *_parts("Domains", reports, lambda report: report.domains),
        *_parts("Arms", reports, lambda report: report.arms),
        _beside("Outcomes", reports, _outcomes, note="Shares are of the scored episodes."),
        *_broken_down(reports),
        _beside(
            "With emotion minus without", reports, _effects, head=("points (95 %)", "pairs"), note=_no_effects(reports)
        ),
        _beside(
            "Customers who left", reports, _leaving, note="Of the episodes with emotion; without it nobody leaves."
        ),
        _beside("Rules broken", reports, _rules, head=("times", "in scored episodes")),
        _beside("An episode takes", reports, _effort, head=("mean", "scored of planned")),
        _beside("Tokens and cost", reports, _spending, head=("read / written", "calls, cost")),
        _comparisons(found),
    ]
    return [section for section in made if section.rows or section.note]


def to_markdown(found: Reports) -> str:
    """The reports as a Markdown page."""
    parts = ["# " + " and ".join(_markdown(plain(report.name)) for report in found.reports)]
    for section in sections(found):
        parts.append(f"## {_markdown(section.title)}")
        if section.rows:
            rows = [[_markdown(cell) for cell in row] for row in section.rows]
            parts.append(grid([_markdown(cell) for cell in section.head], rows))
        if section.note:
            parts.append(_markdown(section.note))
    return "\n\n".join(parts) + "\n"


# --- cells --------------------------------------------------------------------------------------------


def percent(value: float | None) -> str:
    """ "78.6 %"."""
    return NOTHING if value is None else f"{100 * value:.1f} %"


def figure_text(figure: Figure) -> str:
    """ "78.6 % (74.1 to 82.5)"."""
    if figure.value is None or figure.low is None or figure.high is None:
        return NOTHING
    return f"{percent(figure.value)} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"


def counts_text(counts: Counts, dropped: int = 0) -> str:
    """ "298 of 300, 100 tasks, 1 excluded, 1 not finished"; "dropped" are tasks under an arm."""
    parts = [f"{counts.scored:,} of {counts.planned:,}", _plural(counts.tasks, "task")]
    if counts.excluded:
        parts.append(f"{counts.excluded:,} excluded")
    if counts.planned > counts.finished:
        parts.append(f"{counts.planned - counts.finished:,} not finished")
    if dropped:
        parts.append(f"{_plural(dropped, 'task')} dropped, arms counted apart")
    return ", ".join(parts)


def difference_text(difference: Difference) -> str:
    """ "-12.0 (-17.1 to -6.9)", in percentage points."""
    if difference.value is None or difference.low is None or difference.high is None:
        return NOTHING
    return f"{100 * difference.value:+.1f} ({100 * difference.low:+.1f} to {100 * difference.high:+.1f})"


def pairs_text(difference: Difference) -> str:
    """ "300 pairs of 100 tasks: 12 won, 48 lost, 240 tied; 70.0 % against 82.0 %; 3 left out"."""
    pairs, tasks = _plural(difference.pairs, "pair"), _plural(difference.tasks, "task")
    text = (
        f"{pairs} of {tasks}: {difference.won:,} won, {difference.lost:,} lost, {difference.tied:,} tied; "
        f"{percent(difference.first)} against {percent(difference.second)}"
    )
    return f"{text}; {difference.left_out:,} left out" if difference.left_out else text


def plain(text: str) -> str:
    """The text in one line, every control character replaced."""
    return "".join(char if char.isprintable() else " " if char.isspace() else "?" for char in text)


def _cells(figure: Figure) -> Cells:
    return figure_text(figure), counts_text(figure.counts, figure.dropped)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _number(value: float | None, form: str = ",") -> str:
    return "unknown" if value is None else f"{value:{form}}"


# --- tables -------------------------------------------------------------------------------------------


def _beside(
    title: str,
    reports: Sequence[Report],
    rows_of: Callable[[Report], Rows],
    *,
    head: tuple[str, str] = ("value (95 %)", "scored of planned"),
    note: str = "",
) -> Section:
    """One table of all runs: a label, then two columns per run; with several runs headed by its name."""
    columns = [rows_of(report) for report in reports]
    labels = dict.fromkeys(label for column in columns for label in column)
    rows = tuple((plain(label), *_joined(column.get(label, (NOTHING, "")) for column in columns)) for label in labels)
    heads = [head] if len(reports) == 1 else [(report.name, head[1]) for report in reports]
    return Section(title, ("", *_joined(heads)), rows, plain(note) if rows or title in _SPOKEN else "")


_SPOKEN = frozenset({"With emotion minus without"})
"""Tables whose absence is explained."""


def _joined(cells: Iterable[Cells]) -> tuple[str, ...]:
    return tuple(plain(text) for pair in cells for text in pair)


def _runs(report: Report) -> Rows:
    counted = report.counts
    rows = {
        "agent": (report.agent or "unknown", ""),
        "user": (report.user or "unknown", ""),
        "episodes": (
            f"{counted.planned:,} planned, {counted.finished:,} finished",
            f"{counted.scored:,} scored, {counted.excluded:,} excluded for servers' failures",
        ),
    }
    return rows | ({"configuration": (report.hash, "")} if report.hash else {})


def _headline(report: Report) -> Rows:
    rows = _metrics(report, report.headline)
    if not report.foreign:
        rows["strict success"] = _cells(report.strict_success)
    rows["customer left"] = _cells(report.leave_rate)
    if not report.foreign:
        rows["wish unspoken"] = _cells(report.user_faults)
    return rows


def _headline_note(reports: Sequence[Report]) -> str:
    notes = ["A task counts once for each arm. Strict: no rule broken. A wish unspoken is the simulated user's fault."]
    if any(report.allow_holes for report in reports):
        notes.append("Holes are allowed: tasks with fewer than k scored trials are dropped.")
    elif any(report.counts.scored < report.counts.planned for report in reports):
        notes.append("Trials are missing, but every task has k scored ones; its figures are of all that it has.")
    return " ".join(notes)


def _metrics(report: Report, headline: Headline, name: str = "") -> dict[str, Cells]:
    k, before = report.k, f"{name}: " if name else ""
    return {
        f"{before}Avg@{k}": _cells(headline.avg),
        f"{before}Pass^{k}": _cells(headline.pass_hat),
        f"{before}pass@{k}": _cells(headline.pass_at),
    }


def _parts(title: str, reports: Sequence[Report], parts_of: Callable[[Report], Sequence[Headline]]) -> list[Section]:
    """A table of the parts of each run, where any run has several."""

    def rows(report: Report) -> Rows:
        return {label: cells for part in parts_of(report) for label, cells in _metrics(report, part, part.name).items()}

    return [_beside(title, reports, rows)] if any(len(parts_of(report)) > 1 for report in reports) else []


def _baselines(report: Report) -> Rows:
    rows = {}
    for baseline in report.baselines:
        rows[baseline.agent] = _cells(baseline.success)
        rows[f"{baseline.agent}: customer left"] = _cells(baseline.leave_rate)
    return rows


def _outcomes(report: Report) -> Rows:
    return {
        ending.outcome: (
            figure_text(ending.share) if ending.share else "excluded",
            f"{ending.episodes:,} of {report.counts.scored:,}, {ending.successes:,} succeeded"
            if ending.share
            else f"{ending.episodes:,} of {report.counts.finished:,} finished",
        )
        for ending in report.endings
        if ending.episodes
    }


def _broken_down(reports: Sequence[Report]) -> list[Section]:
    """A table per characteristic; domains and arms have tables of their own."""
    names = dict.fromkeys(one.by for report in reports for one in report.breakdowns if one.by not in ("domain", "arm"))
    tables = [_beside(f"By {name}", reports, partial(_groups, name)) for name in names]
    note = f"Mean success in each group. Fewer than {FEWEST} tasks are too few to say."
    return [*tables[:-1], msgspec.structs.replace(tables[-1], note=note)] if tables else []


def _groups(by: str, report: Report) -> Rows:
    return {group.name: _group(group) for one in report.breakdowns if one.by == by for group in one.groups}


def _group(group: Group) -> Cells:
    return "too few to say" if group.too_few else figure_text(group.success), counts_text(group.success.counts)


def _named_effects(report: Report) -> list[tuple[str, Effect]]:
    found = report.effects
    if found is None:
        return []
    arms = [(f"arm {effect.name}", effect) for effect in found.arms] if len(found.arms) > 1 else []
    return [("all", found.overall), *arms, *((effect.name, effect) for effect in found.families)]


def _effects(report: Report) -> Rows:
    return {
        name: (difference_text(effect.difference), pairs_text(effect.difference))
        for name, effect in _named_effects(report)
    }


def _no_effects(reports: Sequence[Report]) -> str:
    if all(report.effects for report in reports):
        return "Pairs are the same task, trial and seed, played with emotion and without. The interval is over tasks."
    lacking = [report for report in reports if not report.effects]
    if len(reports) == 1:
        return f"No comparison: {lacking[0].no_effects}."
    return " ".join(f"{report.name}: {report.no_effects}." for report in lacking)


def _leaving(report: Report) -> Rows:
    return {name: _cells(effect.leave_rate) for name, effect in _named_effects(report)}


def _rules(report: Report) -> Rows:
    return {
        f"{rule.domain}: {rule.rule}": (f"{rule.times:,}", f"{rule.episodes:,} of {report.counts.scored:,}")
        for rule in report.rules
    }


def _effort(report: Report) -> Rows:
    effort, behind = report.effort, counts_text(report.counts)
    if effort.steps is None:
        return {}
    means = {
        "steps": effort.steps,
        "tool calls": effort.tool_calls,
        "questions": effort.questions,
        "tool errors": effort.tool_errors,
    }
    return {name: (_number(mean, ".1f"), behind) for name, mean in means.items()}


def _spending(report: Report) -> Rows:
    return {f"{spent.role}'s model": _spent(spent) for spent in report.spending}


def _spent(spent: Spending) -> Cells:
    if spent.calls == 0:
        return "no model", "0 calls, no cost"
    tokens = f"{_number(spent.prompt_tokens)} / {_number(spent.completion_tokens)}"
    cost = "cost unknown" if spent.dollars is None else f"${spent.dollars:,.2f}"
    return tokens, f"{_number(spent.calls)} calls, {cost}"


def _comparisons(found: Reports) -> Section:
    rows = tuple(
        (
            plain(f"{one.first} less {one.second}"),
            difference_text(one.difference),
            pairs_text(one.difference) + ("" if one.same_user else "; the users differ"),
        )
        for one in found.comparisons
    )
    note = "Pairs are mean successes of a task under an arm that both runs have scored. The interval is over tasks."
    return Section("Runs compared", ("", "points (95 %)", "pairs"), rows, note if rows else "")


# --- Markdown -----------------------------------------------------------------------------------------

_SPECIAL = re.compile(r"[\\`*\[\]<>&#~$]|(?<!\w)_|_(?!\w)")


def _markdown(text: str) -> str:
    """Plain text, so that Markdown shows it as it is; `grid` takes care of bars."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)
