"""Ids, specs, and what importing the package costs."""

import ast
import json
import subprocess
import sys

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from own_domain import forget

import tau_emotion_gym
from tau_emotion_gym import register_domain, registered_ids
from tau_emotion_gym.errors import TauEmotionError

HEAVY = ("networkx", "typer", "rich", "openai", "torch", "pandas", "requests", "httpx", "httpx2", "aiohttp", "ray")


def fresh(code: str) -> str:
    """What a fresh interpreter prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_importing_the_package_registers_every_shipped_domain():
    code = """
import gymnasium, tau_emotion_gym
from tau_emotion_gym import kit
from tau_emotion_gym.envs.names import env_id
found = {name for name in gymnasium.registry if "TauEmotion" in name}
assert found == {*map(env_id, kit.names()), "TauEmotion-Multi-v0"}, found
assert set(tau_emotion_gym.registered_ids()) == found - {"TauEmotion-Multi-v0"}
print("TauEmotion-Retail-v0" in found)
"""
    assert fresh(code) == "True"


def test_import_loads_nothing_heavy_and_no_domain():
    loaded = fresh("import sys, tau_emotion_gym; print(sorted(sys.modules))")
    modules = set(ast.literal_eval(loaded))
    assert not {name for name in modules if name.split(".")[0] in HEAVY}
    assert not {name for name in modules if name.startswith("tau_emotion_gym.domains.")}
    assert "tau_emotion_gym.envs.env" not in modules


def test_playing_loads_nothing_heavy(lending):
    folder = gym.spec(lending).kwargs["domain"]
    code = f"""
import sys, gymnasium, tau_emotion_gym
env = gymnasium.make(tau_emotion_gym.register_domain({folder!r}))
env.reset(seed=1)
env.step(tau_emotion_gym.respond("Hello?"))
gymnasium.make_vec(env.spec.id, num_envs=2).reset(seed=1)
print(sorted(sys.modules))
"""
    modules = {name.split(".")[0] for name in ast.literal_eval(fresh(code))}
    assert not modules & set(HEAVY)


def test_import_time(record_property):
    code = """
import time
a = time.perf_counter()
import gymnasium
b = time.perf_counter()
import tau_emotion_gym
print((time.perf_counter() - a) / (b - a))
"""
    ratios = sorted(float(fresh(code)) for _ in range(3))
    record_property("import time over gymnasium's", ratios[0])
    print(f"import tau_emotion_gym takes {ratios[0]:.2f} times as long as import gymnasium")
    assert ratios[0] > 1.0


@pytest.mark.parametrize("make", ["make", "make_vec"])
def test_module_and_id_in_a_fresh_process(make):
    """`module:id` imports the package by itself; retail is at hand in every installation."""
    code = f"""
import gymnasium
try:
    gymnasium.{make}("tau_emotion_gym:TauEmotion-Retail-v0", emotion="angr")
except ValueError as error:
    print(error)
"""
    assert "did you mean 'anger'" in fresh(code)


def test_spec_survives_json(lending):
    env = gym.make(lending, emotion="anger", tasks={"start": 3}, reward={"step": -0.5}, user={"kind": "scripted"})
    text = env.spec.to_json()
    json.loads(text)
    again = gym.make(EnvSpec.from_json(text))
    assert again.spec == env.spec
    assert again.reset(seed=1) == env.reset(seed=1)


def test_pretty_spec_and_names(lending):
    assert lending == "TauEmotion-Lending-v0"
    assert lending in registered_ids()
    assert gym.make(lending).spec.id == lending
    assert "TauEmotion" in str(gym.make(lending))


def test_register_again_is_quiet(lending):
    assert register_domain(gym.spec(lending).kwargs["domain"]) == lending


def test_register_what_is_no_domain(tmp_path):
    with pytest.raises(TauEmotionError, match="not a domain"):
        register_domain(tmp_path)
    (tmp_path / "retail").mkdir()
    (tmp_path / "retail" / "__init__.py").write_text("", encoding="utf-8")
    with pytest.raises(TauEmotionError, match="shipped domain"):
        register_domain(tmp_path / "retail")
    (tmp_path / "empty_one").mkdir()
    (tmp_path / "empty_one" / "__init__.py").write_text("", encoding="utf-8")
    added = register_domain(tmp_path / "empty_one")
    try:
        with pytest.raises(TauEmotionError, match="does not define DOMAIN"):
            gym.make(added)
    finally:
        gym.registry.pop(added)
        forget("empty_one")


def test_public_names():
    for name in tau_emotion_gym.__all__:
        assert getattr(tau_emotion_gym, name) is not None
        assert name in dir(tau_emotion_gym)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tau_emotion_gym.nothing  # noqa: B018
    assert tau_emotion_gym.respond("x") == {"name": "respond", "arguments": {"content": "x"}}
    assert tau_emotion_gym.call("t", a=1) == {"name": "t", "arguments": {"a": 1}}
