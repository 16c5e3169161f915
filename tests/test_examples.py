"""What the README, the docs and `examples/` show runs, with warnings as errors."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python *\n(.*?)^```$", re.M | re.S)
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def run(*command: str, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", *command], cwd=ROOT, capture_output=True, text=True, timeout=120, **options
    )


@pytest.mark.parametrize("block", BLOCKS)
def test_every_code_block_runs_by_itself(block):
    result = run("-c", block)
    assert result.returncode == 0, result.stderr


def test_there_are_blocks_to_run():
    assert sum(param.id.startswith("README") for param in BLOCKS) >= 4


@pytest.mark.parametrize(
    ("example", "shown"),
    [
        ("play_one_episode.py", "satisfied, reward +1"),
        ("random_agent.py", "episodes ended"),
        ("llm_loop.py", "handed_off, reward +0"),
    ],
)
def test_examples_run(example, shown):
    result = run(str(ROOT / "examples" / example))
    assert result.returncode == 0, result.stderr
    assert shown in result.stdout


def test_every_example_is_run():
    """Here, or with the trainer that it needs."""
    parameters = next(mark for mark in test_examples_run.pytestmark if mark.name == "parametrize").args[1]
    named = {example for example, _ in parameters}
    elsewhere = [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "integrations").glob("test_*.py")]
    for path in (ROOT / "examples").glob("*.py"):
        assert path.name in named or any(path.stem in text for text in elsewhere), path.name


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page):
    for target in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_readme_shows_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "    make demo" in text
    assert "    make test" in text
