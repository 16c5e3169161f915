"""The house plan: which folder may import which, who may name a domain, and how light the package is."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tau_emotion_gym
from tau_emotion_gym.kit import names

ROOT = Path(tau_emotion_gym.__file__).parent
ORDER = [
    "emotions",
    "world",
    "llm",
    "kit",
    "domains",
    "tasks",
    "episode",
    "users",
    "agents",
    "envs",
    "wrappers",
    "rollouts",
    "evaluation",
    "tracer",
    "transfer",
    "integrations",
    "testing",
    "cli",
]
ANYWHERE = {"_draw", "_specs", "errors", "__version__"}
SHIPPED = {*names(added=False)}
HEAVY = [
    "networkx",
    "typer",
    "rich",
    "openai",
    "httpx",
    "requests",
    "aiohttp",
    "torch",
    "transformers",
    "pandas",
    "ray",
    "trl",
    "verifiers",
    "vllm",
]
FILES = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))


def parsed(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))


def imported(path: Path) -> Iterator[list[str]]:
    """The modules of the package that a file imports, anywhere in it, as parts below the package."""
    package = ["tau_emotion_gym", *path.parts[:-1]]
    for node in parsed(path):
        found = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            found = [".".join([*start, *filter(None, [node.module]), name]) for name in found]
        yield from (name.split(".")[1:] for name in found if name.startswith("tau_emotion_gym."))


def folder(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", [path for path in FILES if folder(path) not in ("__init__", *ANYWHERE)], ids=str)
def test_a_folder_imports_only_what_lies_above_it(path: Path) -> None:
    own = folder(path)
    above = {"kit", "world", "domains"} if own == "domains" else set(ORDER[: ORDER.index(own) + 1]) - {"domains"}
    assert {parts[0] for parts in imported(path)} - ANYWHERE <= above
    assert {parts[1] for parts in imported(path) if parts[0] == "domains" and parts[1:]} <= set(path.parts[1:2])


@pytest.mark.parametrize("path", [path for path in FILES if folder(path) != "domains"], ids=str)
def test_nothing_outside_the_domains_names_one(path: Path) -> None:
    assert not SHIPPED & {node.value for node in parsed(path) if isinstance(node, ast.Constant)}


def loaded(code: str) -> set[str]:
    """The modules that a fresh process has loaded after running some code."""
    code += "\nimport sys; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_is_light() -> None:
    modules = loaded("import tau_emotion_gym")
    assert modules.isdisjoint(HEAVY)
    assert not [name for name in modules if name.startswith("tau_emotion_gym.domains.")]


def test_playing_offline_is_light() -> None:
    assert loaded("import tau_emotion_gym.episode, tau_emotion_gym.users, tau_emotion_gym.agents").isdisjoint(HEAVY)
