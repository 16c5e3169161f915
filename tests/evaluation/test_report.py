"""The report: what stands in it, from runs of this package and from elsewhere, and how it is written down."""

import json
import re

import msgspec
import pytest
from result_rows import FEAR, row, rows

from tau_emotion_gym.errors import DataError, TauEmotionError
from tau_emotion_gym.evaluation.metrics import HolesError, TooFewTrialsError
from tau_emotion_gym.evaluation.report import Reports, report_of, report_on
from tau_emotion_gym.evaluation.report_tables import plain, sections, to_markdown
from tau_emotion_gym.evaluation.results import results_of
from tau_emotion_gym.evaluation.runs import Run, distinct, label, read_run
from tau_emotion_gym.llm import Usage
from tau_emotion_gym.rollouts import RunFolder, line_of, make_config, records, run_sync
from tau_emotion_gym.rollouts.folder import EPISODES


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run of the friction agent on 12 tasks of two domains, with emotion and without, twice each."""
    path = tmp_path_factory.mktemp("runs") / "friction"
    run_sync(
        path,
        make_config(["retail", "airline"], agent="friction", tasks=6, trials=2, arms=("task", "neutral")),
    )
    return path


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "reference"
    run_sync(path, make_config(["retail"], agent="reference", tasks=6, trials=3))
    return path


@pytest.fixture(scope="module")
def found(played):
    return report_on([played])


def cut(source, target, drop=0, lose=0):
    """A copy of a run without its last episodes, and with its first ones lost to a server."""
    made = RunFolder.create(target, RunFolder.open(source).config)
    logged = list(records(source))
    with (made.path / EPISODES).open("wb") as log:
        for number, record in enumerate(logged[: len(logged) - drop]):
            lost = msgspec.structs.replace(record, outcome="infrastructure", success=False, strict_success=False)
            log.write(line_of(lost if number < lose else record))
    return target


# --- what stands in it ----------------------------------------------------------------------------------


def test_figures_are_those_of_the_log(played, found):
    (report,) = found.reports
    logged = list(records(played))
    successes = sum(record.success for record in logged)
    assert report.k == 2
    assert report.counts.planned == report.counts.scored == len(logged) == 48
    assert report.headline.avg.value == pytest.approx(successes / 48)
    assert report.leave_rate.value == pytest.approx(sum(r.outcome == "dissatisfied" for r in logged) / 48)
    assert {part.name for part in report.domains} == {"retail", "airline"}
    assert {part.name: part.avg.counts.planned for part in report.arms} == {"task": 24, "neutral": 24}
    assert sum(ending.episodes for ending in report.endings) == 48
    assert report.effort.steps == pytest.approx(sum(record.steps for record in logged) / 48)
    assert {one.by for one in report.breakdowns} >= {"domain", "arm", "family", "urgency", "writes", "reveal"}
    assert [baseline.agent for baseline in report.baselines] == ["null", "refuse_all", "transfer_only", "reference"]
    assert report.effects is not None
    assert report.effects.overall.difference.pairs == 24
    assert report.effects.overall.difference.value < 0


def test_a_perfect_agent_is_at_100_percent_with_an_interval(reference):
    report = report_on([reference], baselines=False).reports[0]
    for figure in (report.headline.avg, report.headline.pass_hat, report.headline.pass_at, report.strict_success):
        assert figure.value == figure.high == 1.0
        assert 0.5 < figure.low < 1.0
    assert report.effects is None
    assert "--emotion task neutral" in report.no_effects
    assert report.baselines == ()


def test_it_survives_json(found):
    assert msgspec.json.decode(msgspec.json.encode(found), type=Reports) == found
    assert json.loads(msgspec.json.encode(found))["reports"][0]["headline"]["avg"]["counts"]["planned"] == 48


def test_holes_are_refused_unless_allowed(played, tmp_path):
    path = cut(played, tmp_path / "cut", drop=3, lose=2)
    with pytest.raises(HolesError, match="of 48 planned episodes 3 are not finished and 2 are excluded"):
        report_on([path])
    report = report_on([path], allow_holes=True, baselines=False).reports[0]
    assert (report.counts.planned, report.counts.finished, report.counts.scored) == (48, 45, 43)
    dropped = report.headline.pass_hat.dropped
    assert dropped > 1
    page = to_markdown(Reports((report,), ()))
    assert "3 not finished" in page
    assert f"{dropped} tasks dropped, arms counted apart" in page


def test_a_k_that_every_task_still_has_is_reported_and_said(played, tmp_path):
    path = cut(played, tmp_path / "cut", drop=1)
    with pytest.raises(HolesError, match="--k 1"):
        report_on([path])
    found = report_on([path], k=1, baselines=False)
    report = found.reports[0]
    assert (report.headline.avg.units, report.headline.avg.dropped) == (24, 0)
    assert (report.counts.planned, report.counts.scored) == (48, 47)
    assert "every task has k scored ones" in to_markdown(found)
    assert "every task has k scored ones" not in to_markdown(report_on([played], k=1, baselines=False))


def test_a_run_that_has_not_begun_is_all_holes(tmp_path):
    path = RunFolder.create(tmp_path / "new", make_config(["retail"], agent="reference", tasks=2)).path
    with pytest.raises(HolesError, match="2 of 2 tasks"):
        report_on([path])
    report = report_on([path], allow_holes=True, baselines=False).reports[0]
    assert report.headline.avg.value is None
    assert to_markdown(Reports((report,), ()))


def test_k_is_bounded_by_the_run(played):
    assert report_on([played], k=1, baselines=False).reports[0].k == 1
    with pytest.raises(TooFewTrialsError, match="at most the number of trials of each task, 2; not 3"):
        report_on([played], k=3)


def test_no_trials_and_no_episodes_are_refused(played, tmp_path):
    with pytest.raises(TooFewTrialsError, match="k is at least 1"):
        report_on([played], k=0)
    (tmp_path / "empty.json").write_text("[]")
    with pytest.raises(TooFewTrialsError, match="not a single episode"):
        report_on([tmp_path / "empty.json"])


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"has no run\.json"):
        report_on([tmp_path])
    with pytest.raises(DataError, match="no such file or folder"):
        report_on([tmp_path / "nowhere"])
    (tmp_path / "table.csv").write_text("a,b", encoding="utf-8")
    with pytest.raises(DataError, match=r"table\.csv is not the folder of a run: it is a file$"):
        report_on([tmp_path / "table.csv"])
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(DataError, match="no results"):
        report_on([tmp_path / "other.json"])


def test_a_log_that_holds_what_was_not_planned_is_refused(played, tmp_path):
    path = RunFolder.create(tmp_path / "other", make_config(["retail"], agent="friction", tasks=1)).path
    (path / EPISODES).write_bytes((played / EPISODES).read_bytes())
    with pytest.raises(TauEmotionError, match="which is not in the plan of the run"):
        report_on([path])


def test_records_alone_are_taken_as_a_full_table(reference):
    logged = list(records(reference))
    assert len(results_of(logged)) == 18
    assert sum(not made.finished for made in results_of(logged[:-1])) == 1
    assert results_of([]) == []


# --- several runs ---------------------------------------------------------------------------------------


def test_runs_stand_side_by_side_and_are_compared(played, reference):
    both = report_on([played, reference], baselines=False)
    assert [report.k for report in both.reports] == [2, 2]
    (comparison,) = both.comparisons
    assert (comparison.first, comparison.second, comparison.same_user) == ("friction", "reference", True)
    assert comparison.difference.pairs == 6
    assert comparison.difference.value <= 0
    headline = next(section for section in sections(both) if section.title == "Headline")
    assert headline.head == ("", "friction", "scored of planned", "reference", "scored of planned")
    assert {len(cells) for cells in headline.rows} == {5}


def test_the_same_run_twice_has_two_names(reference):
    both = report_on([reference, reference], baselines=False)
    assert [report.name for report in both.reports] == ["reference", "reference (2)"]
    assert both.comparisons[0].difference.value == 0
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_another_user_is_said(reference):
    run = read_run(reference)
    other = msgspec.structs.replace(run, user="a model")
    made = tuple(report_of(one, k=1, baselines=False) for one in (run, other))
    assert [report.user for report in made] == ["scripted", "a model"]


# --- from elsewhere ---------------------------------------------------------------------------------------


def foreign(tmp_path, rewards):
    path = tmp_path / "results.json"
    talk = [{"role": "user", "content": "Hello"}, {"role": "user", "content": "###STOP###"}]
    entries = [
        {"task_id": task, "trial": trial, "reward": reward, "info": {}, "traj": talk}
        for task, trials in enumerate(rewards)
        for trial, reward in enumerate(trials)
    ]
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_results_of_another_package(tmp_path):
    path = foreign(tmp_path, [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    report = report_on([path]).reports[0]
    assert (report.headline.avg.value, report.headline.pass_hat.value) == (0.5, pytest.approx(1 / 3))
    assert report.headline.pass_at.value == pytest.approx(2 / 3)
    assert report.foreign
    assert report.baselines == ()
    text = to_markdown(Reports((report,), ()))
    assert "strict success" not in text
    assert "cost unknown" in text


def test_holes_of_another_package_are_found(tmp_path):
    with pytest.raises(HolesError, match="1 of 2 tasks"):
        report_on([foreign(tmp_path, [[1.0, 0.0], [1.0]])])


# --- tokens and cost --------------------------------------------------------------------------------------


def spending(usage, spec):
    made = msgspec.structs.replace(row(), agent_usage=usage)
    run = Run(name="x", rows=(made,), agent_spec=spec, folder="somewhere")
    return report_of(run, k=1, baselines=False)


@pytest.mark.parametrize(
    ("usage", "spec", "dollars", "shown"),
    [
        (Usage(2, 1_000_000, 500_000), {"kind": "openai", "prices": {"prompt": 1, "completion": 4}}, 3.0, "$3.00"),
        (Usage(2, 1_000_000, 500_000), {"kind": "openai"}, None, "cost unknown"),
        (Usage(2, None, 7), {"kind": "openai", "prices": {"prompt": 1, "completion": 4}}, None, "unknown / 7"),
        (Usage(), "reference", 0.0, "no model"),
    ],
)
def test_an_unknown_price_is_never_0(usage, spec, dollars, shown):
    report = spending(usage, spec)
    assert report.spending[0].dollars == dollars
    assert shown in " ".join(
        cell for section in sections(Reports((report,), ())) for line in section.rows for cell in line
    )


def test_models_have_short_names():
    assert label("reference") == "reference"
    assert label({"kind": "openai", "model": "m"}) == "m"
    assert label({"kind": "llm", "model": {"kind": "vllm", "model": "m"}}) == "m"
    assert label({"kind": "mine:agent"}) == "mine:agent"


# --- as text ----------------------------------------------------------------------------------------------

NASTY = "a|b\n[red]c[/] <img src=x> *d* `e` __f__ \x1b[31m \u202e \\"


def nasty():
    made = [
        *rows({f"t{n}": [True] for n in range(3)}, domain=NASTY, violations=(NASTY,)),
        *rows({f"t{n}": [False] for n in range(3)}, arm=NASTY, emotion="neutral", outcome=NASTY),
    ]
    return Reports((report_of(Run(name=NASTY, rows=tuple(made), agent=NASTY, user=NASTY), k=1),), ())


def test_what_logs_say_is_text_and_never_markup():
    for section in sections(nasty()):
        for cell in (*section.head, *(cell for line in section.rows for cell in line), section.note):
            assert cell.isprintable()
    text = to_markdown(nasty())
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not re.search(r"(?<!\\)<img|(?<!\\)`e|(?<!\\)\*d|(?<!\\)\[red", text)
    columns = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}
    assert columns == {4}


def test_control_characters_become_visible():
    assert plain("a\nb\tc\x1bd") == "a b c?d"


def test_every_table_row_has_its_counts(found):
    for section in sections(found):
        for cells in section.rows:
            if section.title not in ("Runs", "Tokens and cost"):
                assert re.search(r"\d", cells[2]), (section.title, cells)


def test_small_groups_are_too_few_to_say(found):
    leaves = next(section for section in sections(found) if section.title == "By leaf")
    assert {cells[1] for cells in leaves.rows} == {"too few to say"}


def test_markdown_has_a_heading_per_table(found):
    text = to_markdown(found)
    assert text.startswith("# friction\n")
    for heading in ("Headline", "Domains", "Arms", "Outcomes", "By family", "With emotion minus without"):
        assert f"\n## {heading}\n" in text
    assert "Pass^2" in text


def test_without_a_neutral_arm_the_way_to_one_is_shown(reference):
    section = next(s for s in sections(report_on([reference], baselines=False)) if s.title.startswith("With emotion"))
    assert section.rows == ()
    assert "--emotion task neutral" in section.note


def test_fear_is_shown_by_its_family():
    made = rows({f"t{n}": [True] for n in range(12)}) + rows({"u": [True]}, emotion=FEAR.replace("anxiety", "dread"))
    report = report_of(Run(name="x", rows=tuple(made)), k=1)
    leaves = next(one for one in report.breakdowns if one.by == "leaf")
    assert [(group.name, group.too_few) for group in leaves.groups] == [("anxiety", False), ("dread", True)]
