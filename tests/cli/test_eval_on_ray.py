"""`tau-emotion eval --ray`: the same command with the episodes played elsewhere."""

import sys

import pytest

from tau_emotion_gym.rollouts import records


def test_without_ray_the_command_names_the_extra(run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    result = run("eval", "--agent", "reference", "--tasks", "1", "--ray", "2", "--out", str(tmp_path / "run"))
    assert result.exit_code == 2
    assert "pip install 'tau-emotion-gym[ray]'" in result.stderr


@pytest.mark.ray
@pytest.mark.filterwarnings("ignore")
def test_a_run_on_ray(run, monkeypatch, tmp_path):
    pytest.importorskip("ray", reason="needs ray: make test-ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    folder = tmp_path / "run"
    result = run(
        "eval", "--agent", "reference", "--domains", "retail", "--tasks", "3", "--ray", "2", "--out", str(folder)
    )
    assert result.exit_code == 0
    assert len(list(records(folder))) == 3
