"""Whole runs against a local server that behaves well, badly, or not at all."""

import bad_server as server
import pytest

from tau_emotion_gym.llm import ModelRefused
from tau_emotion_gym.rollouts import RunFolder, replay, run_sync

pytest.importorskip("openai")

FAULTS = [
    server.error(500, "internal error"),
    server.error(503, "overloaded"),
    server.html(502),
    server.cut(server.text("I would like to")),
    server.error(429, "slow down", headers={"Retry-After": "0"}),
]


def customer(body):
    """Says the same thing whatever happens."""
    return "I would like to know what happens with my order."


def user(url, **options):
    return {"kind": "openai", "model": "m", "base_url": url, "timeout": 5.0, **options}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_server_that_fails_a_third_of_all_calls_loses_no_episode(play, logged):
    arguments = {"agent": "null", "tasks": 8, "max_steps": 3}
    with server.BadServer(server.sometimes(0.3, FAULTS, server.well_behaved(customer))) as bad:
        arguments["user"] = user(bad.url, retries=2)
        summary = play(**arguments)
        rounds = 1
        while not summary.complete:
            assert summary.done + summary.excluded == 8
            summary = play(**arguments, resume=True)
            rounds += 1
            assert rounds < 20
    found = logged()
    assert len(found) == 8
    assert {record.outcome for record in found.values()} == {"step_limit"}
    assert all(record.user_usage.calls == 3 for record in found.values())
    assert len(bad.requests) > 8 * 3


def test_a_server_that_always_fails_is_nobodys_failure_but_its_own(play, logged):
    with server.BadServer(server.always(server.error(500, "internal error"))) as bad:
        summary = play(agent="null", tasks=12, user=user(bad.url, retries=0), knobs={"most_failures": 5})
    assert summary.stopped == "failures"
    assert summary.done == 0
    assert all(record.excluded and record.reward == 0.0 for record in logged().values())


def test_a_wrong_key_stops_the_run_and_is_not_logged(play, folder, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret-1234567890")
    refusal = server.always(server.error(401, "Incorrect API key: sk-secret-1234567890"))
    with server.BadServer(refusal) as bad, pytest.raises(ModelRefused) as caught:
        play(agent="null", tasks=12, user=user(bad.url, api_key_env="MY_KEY"))
    assert "sk-secret" not in str(caught.value)
    assert all(b"sk-secret" not in path.read_bytes() for path in folder.iterdir())
    assert RunFolder.open(folder).file.planned == 12


def test_a_moderated_prompt_costs_its_own_episode_alone(play, logged):
    flagged = server.error(403, "Flagged for violence")

    def behave(request):
        return flagged if request.number == 5 else server.text(customer(request.body))

    with server.BadServer(behave) as bad:
        summary = play(agent="null", tasks=6, max_steps=2, user=user(bad.url), knobs={"concurrency": 1})
    assert (summary.done, summary.excluded) == (5, 1)
    (lost,) = (record for record in logged().values() if record.excluded)
    assert "Flagged" in lost.detail


def test_a_run_goes_on_at_another_address_but_not_with_another_model(config, folder):
    with server.BadServer(server.well_behaved(customer)) as first:
        run_sync(folder, config(agent="null", tasks=2, max_steps=2, user=user(first.url)))
    with server.BadServer(server.well_behaved(customer)) as second:
        moved = config(agent="null", tasks=2, max_steps=2, user=user(second.url, timeout=9.0, concurrency=3))
        assert run_sync(folder, moved, resume=True).complete
        assert second.requests == []
        other = config(agent="null", tasks=2, max_steps=2, user={**user(second.url), "model": "n"})
        with pytest.raises(Exception, match=r"user\.config\.model: 'm' before, 'n' now"):
            run_sync(folder, other, resume=True)


def both_sides(body):
    """The model behind agent and user: the one with tools acts."""
    if "tools" not in body:
        return "<think>I am upset.</think>I would like to know what happens with my order."
    said = [message["role"] for message in body["messages"]]
    if said[-1] == "tool":
        return "<think>It is four.</think>That makes 4. What is your email address?"
    call = server.tool_call("calculate", '{"expression": "2 + 2"}')
    return call if said.count("user") == 1 else "Thank you. Anything else?"


def test_models_on_both_sides_are_logged_by_role_and_play_again(play, logged, folder):
    with server.BadServer(server.well_behaved(both_sides)) as good:
        both = {"kind": "openai", "model": "m", "base_url": good.url, "prices": {"prompt": 1.0, "completion": 2.0}}
        summary = play(agent=both, user=both, tasks=5, max_steps=4, knobs={"concurrency": 5})
        asked = len(good.requests)
    assert summary.complete
    assert summary.agent_usage.calls + summary.user_usage.calls == asked
    assert summary.dollars == pytest.approx(asked * (7 * 1.0 + 5 * 2.0) / 1e6)
    settings = RunFolder.open(folder).episode_settings
    assert settings["user_exit"] == "model"
    for record in logged().values():
        assert record.outcome == "step_limit"
        assert [turn.role for turn in record.transcript[:5]] == ["user", "call", "tool", "agent", "user"]
        assert record.transcript[3].thought == "It is four."
        assert record.transcript[0].thought == "I am upset."
        assert (record.agent_usage.calls, record.user_usage.calls) == (4, 3)
        assert tuple(replay(record, **settings).transcript) == record.transcript
