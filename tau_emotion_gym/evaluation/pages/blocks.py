"""The generated parts of hand-written pages: tables, and excerpts of source files.

A page marks such a part with a comment, and the part reaches from there to the closing comment:

    <!-- table: info -->
    …
    <!-- end -->

    <!-- excerpt: tests/toy/library/tools.py renew_loan RENEWAL_DAYS -->
    …
    <!-- end -->

    <!-- conversation: tests/toy/library 0 1 anger/frustration/cold/high/skeptical -->
    …
    <!-- end -->

An excerpt without names is the whole file; with names it is the definitions so named, as they stand in the
file, decorators included. A conversation is a training task (world seed, index) under an emotion, played by
the reference agent and the scripted customer.
"""

import ast
import re
from pathlib import Path

from tau_emotion_gym.emotions import CONDITIONS, resolve
from tau_emotion_gym.errors import DataError, unknown
from tau_emotion_gym.evaluation.pages.markdown import fence
from tau_emotion_gym.evaluation.pages.tables import TABLES
from tau_emotion_gym.evaluation.pages.transcripts import conversation, ending, played_by_reference
from tau_emotion_gym.kit import add_folder, load
from tau_emotion_gym.tasks.train import train_task

_BLOCK = re.compile(r"(<!-- (table|excerpt|conversation): ([^\n]+?) -->\n).*?(<!-- end -->)", re.S)


def filled(page: str, root: Path) -> str:
    """The page with every generated part made anew. `root`: the repository, where excerpts come from.

    Raises:
        UnknownName: no such table or definition.
        DataError: a file cannot be read.
    """
    return _BLOCK.sub(lambda found: f"{found[1]}\n{_made(found[2], found[3], root)}\n\n{found[4]}", page)


def _made(kind: str, what: str, root: Path) -> str:
    if kind == "table":
        if what not in TABLES:
            raise unknown("table", what, TABLES)
        return TABLES[what]()
    path, *names = what.split()
    return excerpt(root / path, names) if kind == "excerpt" else _conversation(root / path, *names)


def _conversation(folder: Path, world_seed: str, index: str, emotion: str) -> str:
    domain = load(add_folder(folder))
    task = train_task(domain, int(world_seed), int(index))
    episode = played_by_reference(domain, task, resolve(emotion, assigned=CONDITIONS[task.condition], seed=task.seed))
    return "\n\n".join([conversation(episode), ending(episode)])


def excerpt(path: Path, names: list[str]) -> str:
    """The file, or the named definitions of it, as a code block."""
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"excerpt of {path}: {error}") from error
    if not names:
        return fence(source, {".py": "python no-run", ".md": "markdown"}.get(path.suffix, ""))
    found = _definitions(source)
    for name in names:
        if name not in found:
            raise unknown(f"definition in {path}", name, found)
    return fence("\n\n\n".join(found[name] for name in names), "python no-run")


def _definitions(source: str) -> dict[str, str]:
    """Name → source of each top-level definition."""
    lines = source.splitlines()
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        for name in _names(node):
            found[name] = text
    return found


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
