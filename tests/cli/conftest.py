import pytest
from typer.testing import CliRunner

from tau_emotion_gym.cli import app


@pytest.fixture
def run(monkeypatch):
    """`run("list", "--emotions", typed="…")`: the result of a command, with its standard and error output apart."""
    monkeypatch.setenv("TERM", "dumb")

    def invoke(*arguments: str, typed: str = ""):
        result = CliRunner().invoke(app, list(arguments), input=typed)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke
