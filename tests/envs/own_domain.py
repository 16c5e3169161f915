"""Making a domain of one's own: the toy library under another name."""

import shutil
from pathlib import Path

from tau_emotion_gym.kit import add_folder, discovery, load
from tau_emotion_gym.tasks.build import build_test

LIBRARY = Path(__file__).parents[1] / "toy" / "library"


def copy_library(folder: Path) -> Path:
    """The toy library as the domain called like `folder`, without data."""
    shutil.copytree(LIBRARY, folder, ignore=shutil.ignore_patterns("__pycache__", "*.json", "tasks"))
    init = folder / "__init__.py"
    name = folder.name
    text = init.read_text(encoding="utf-8")
    text = text.replace('name="library"', f'name="{name}"').replace('title="Library"', f'title="{name.title()}"')
    init.write_text(text, encoding="utf-8")
    return folder


def build(folder: Path) -> None:
    """Write the test world and tasks of the domain in a folder."""
    domain = load(add_folder(folder))
    built = build_test(domain)
    domain.write_data(built.base, built.tasks)


def forget(name: str) -> None:
    """Undo `add_folder`, so that no other test sees the domain."""
    discovery._added.pop(name, None)
