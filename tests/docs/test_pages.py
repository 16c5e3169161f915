import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tau_emotion_gym.emotions import FAMILIES, LEAVES
from tau_emotion_gym.episode import INFO_KEYS
from tau_emotion_gym.errors import DataError, UnknownName
from tau_emotion_gym.evaluation.pages import documented, environment_page, filled, pages
from tau_emotion_gym.evaluation.pages.environment import schema_type
from tau_emotion_gym.evaluation.pages.shared import HEADINGS
from tau_emotion_gym.evaluation.pages.tables import TABLES
from tau_emotion_gym.kit import add_folder, load
from tau_emotion_gym.tasks.build import build_test

ROOT = Path(__file__).parents[2]
TOY = ROOT / "tests" / "toy" / "library"


@pytest.fixture(scope="module")
def reading_room(tmp_path_factory):
    """The toy domain under another name, with its test set."""
    folder = tmp_path_factory.mktemp("domains") / "reading_room"
    shutil.copytree(TOY, folder, ignore=shutil.ignore_patterns("__pycache__"))
    init = folder / "__init__.py"
    text = init.read_text(encoding="utf-8")
    text = text.replace('name="library"', 'name="reading_room"').replace('title="Library"', 'title="ReadingRoom"')
    init.write_text(text, encoding="utf-8")
    domain = load(add_folder(folder))
    built = build_test(domain)
    domain.write_data(built.base, built.tasks)
    return domain


@pytest.fixture(scope="module")
def made():
    """Every generated page."""
    return pages(ROOT)


def test_the_committed_pages_are_the_generated_ones(made):
    stale = [
        str(path.relative_to(ROOT))
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert not stale, "run `python -m tau_emotion_gym.evaluation.pages`"


def test_every_page_of_an_environment_belongs_to_a_domain(made):
    written = {path for path in made if path.parent.name == "environments"}
    assert written == set((ROOT / "docs" / "environments").glob("*.md"))


def test_a_page_has_the_fixed_headings_in_order(reading_room):
    page = environment_page(reading_room)
    found = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert tuple(found) == HEADINGS
    assert "TauEmotion-ReadingRoom-v0" in page


def test_a_page_names_every_part_of_the_domain(reading_room):
    page = environment_page(reading_room)
    for name in (*reading_room.tools, *reading_room.intents, *reading_room.reasons):
        assert f"`{name}`" in page
    for rule in reading_room.rules:
        assert f"`{rule.id}`" in page
        assert rule.text in page
    for tool in reading_room.tools.values():
        for parameter in tool.parameters["properties"]:
            assert f"| `{tool.name}` | `{parameter}` |" in page
    assert "renew_loan[[" in page


def test_the_transcripts_show_every_leaf_once_and_all_succeed(made):
    page = made[ROOT / "docs" / "transcripts.md"]
    titles = [line[4:] for line in page.splitlines() if line.startswith("### ")]
    assert titles == [leaf.name.capitalize() for leaf in LEAVES]
    assert all(f"/{leaf.name}/" in page for leaf in LEAVES)
    assert page.count("Reward: +1.") == len(LEAVES)


def test_the_transcripts_are_of_all_domains(made):
    page = made[ROOT / "docs" / "transcripts.md"]
    assert all(f"{domain.title}, task `" in page for domain in documented())


def test_one_task_is_shown_neutral_and_under_five_families(made):
    page = made[ROOT / "docs" / "one-task-five-families.md"]
    titles = [line[3:].split(" (")[0].lower() for line in page.splitlines() if line.startswith("## ")]
    assert titles[-6:] == ["neutral", *FAMILIES]
    assert page.count("Reward: +1.") == 6


def test_info_is_documented_key_by_key():
    rows = [line.split("|")[1:3] for line in TABLES["info"]().splitlines()[2:]]
    assert [(key.strip(), kind.strip()) for key, kind in rows] == [
        (f"`{key}`", kind.__name__) for key, kind in INFO_KEYS.items()
    ]


def test_excerpts_are_the_files_own_text():
    source = (TOY / "tools.py").read_text(encoding="utf-8")
    page = "<!-- excerpt: tests/toy/library/tools.py renew_loan -->\nold\n<!-- end -->\n"
    fresh = filled(page, ROOT)
    body = fresh.split("```python no-run\n")[1].split("\n```")[0]
    assert body in source
    assert body.startswith('@write("renew"')
    assert "old" not in fresh
    assert filled(fresh, ROOT) == fresh


def test_what_a_block_cannot_find_is_named():
    with pytest.raises(UnknownName, match=r"renew_lone.*renew_loan"):
        filled("<!-- excerpt: tests/toy/library/tools.py renew_lone -->\n<!-- end -->", ROOT)
    with pytest.raises(DataError, match=r"nowhere\.py"):
        filled("<!-- excerpt: nowhere.py -->\n<!-- end -->", ROOT)
    with pytest.raises(UnknownName, match="info"):
        filled("<!-- table: inf -->\n<!-- end -->", ROOT)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"enum": ["a", "b"]}, "one of `a`, `b`"),
        ({"type": "array", "items": {"type": "integer"}}, "list of (integer)"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string or null"),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, "date (YYYY-MM-DD)"),
        ({"type": "object", "properties": {"id": {"type": "string"}}}, "object with `id`: string"),
    ],
)
def test_types_are_said_in_words(schema, words):
    assert schema_type(schema) == words


def test_the_command_wants_a_docs_folder(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tau_emotion_gym.evaluation.pages", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 1
    assert "docs" in done.stdout
