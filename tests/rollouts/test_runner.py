"""The runner: what an episode's end means, what stops a run, and that nothing depends on how fast it goes."""

import asyncio
import os
import signal
import threading
import time

import pytest
from rollout_stand_ins import COUNTS

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.agents import play as play_plainly
from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import load
from tau_emotion_gym.llm import ModelRefused, Usage
from tau_emotion_gym.rollouts import Budget, EpisodeCrashedError, Knobs, RunFolder, plan, records, replay, run
from tau_emotion_gym.rollouts.runner import run_sync
from tau_emotion_gym.users import ScriptedUser

SLOW = {"kind": "rollout_stand_ins:SlowUser", "seconds": 0.01, "spread": True}


# --- what is played -----------------------------------------------------------------------------------


def test_records_are_those_of_the_plainest_driver(play, logged, config):
    summary = play(agent="friction", tasks=5, arms=("task", "neutral"))
    assert summary.complete
    assert summary.stopped == ""
    found = logged()
    domain = load("retail")
    for place in plan(config(agent="friction", arms=("task", "neutral"), tasks=5)):
        condition = resolve(place.emotion, assigned=None, seed=0)
        episode = Episode(domain, domain.test_tasks[place.task_id], condition, seed=int(place.seed))
        score = play_plainly(episode, ScriptedUser(), make_agent("friction"))
        record = found[place.key]
        assert record.transcript == tuple(episode.transcript)
        assert (record.reward, record.outcome, record.success) == (score.reward, score.outcome, score.success)


def test_concurrency_changes_the_order_and_nothing_else(play, logged, tmp_path):
    arguments = {"domains": ("retail", "airline"), "tasks": 12, "trials": 2, "user": SLOW, "agent": "friction"}
    one = play("one", knobs={"concurrency": 1}, **{**arguments, "user": {**SLOW, "seconds": 0.0}})
    many = play("many", knobs={"concurrency": 64}, **arguments)
    assert one.complete
    assert many.complete
    assert logged("one") == logged("many")
    assert [record.place.key for record in records(tmp_path / "many")] != list(logged("one"))


def test_so_many_episodes_run_at_once(play):
    play(tasks=30, user=SLOW, knobs={"concurrency": 7})
    assert COUNTS["most talking"] == 7


def test_settings_reach_the_episode(play, logged, tmp_path):
    play(agent="null", tasks=2, max_steps=3, reward={"step": -0.5}, think_tool=True)
    for record in logged().values():
        assert (record.outcome, record.steps, record.reward) == ("step_limit", 3, -1.5)


def test_an_agent_with_a_model_gets_its_seed_and_its_words_are_kept(play, logged):
    summary = play(agent={"kind": "rollout_stand_ins:Seeded"}, tasks=3)
    for record in logged().values():
        assert record.asides == {"0": f"I was given {record.place.seed}."}
        assert record.agent_usage == Usage(record.steps, 100 * record.steps, 20 * record.steps)
    assert summary.agent_usage.calls == sum(record.steps for record in logged().values())
    assert summary.tokens == 120 * summary.agent_usage.calls
    assert summary.dollars is None


def test_dollars_need_the_prices_of_every_model(play):
    prices = {"prompt": 1.0, "completion": 10.0}
    agent = {"kind": "rollout_stand_ins:Priced", "prices": prices}
    summary = play(agent=agent, tasks=2)
    assert summary.dollars == pytest.approx(summary.agent_usage.calls * (100 * 1.0 + 20 * 10.0) / 1e6)
    assert play("both", agent=agent, tasks=2, user="rollout_stand_ins:WordyUser").dollars is None


def test_an_agent_that_blocks_holds_up_nobody_else(play):
    began = time.perf_counter()
    summary = play(agent={"kind": "rollout_stand_ins:Blocking", "seconds": 0.05}, tasks=16, knobs={"concurrency": 16})
    assert summary.complete
    assert time.perf_counter() - began < 0.05 * 16 * 4


def test_neither_does_one_inside_an_intervention(play):
    began = time.perf_counter()
    blocking = {"kind": "rollout_stand_ins:Blocking", "seconds": 0.05}
    play(agent={"kind": "capped", "agent": blocking, "questions": 99}, tasks=16, knobs={"concurrency": 16})
    assert time.perf_counter() - began < 0.05 * 16 * 4


def test_what_is_no_unicode_is_logged_all_the_same(play, logged):
    assert play(agent="rollout_stand_ins:Careless", user="rollout_stand_ins:Surrogate", tasks=2).complete
    for record in logged().values():
        assert record.asides == {"0": "half ?, \u2028 and \0"}
        assert {turn.thought for turn in record.transcript if turn.role == "user"} == {"half ?"}
        assert tuple(replay(record).transcript) == record.transcript
    failing = {"kind": "rollout_stand_ins:Surrogate", "fails": True}
    assert play("failing", user=failing, tasks=2).excluded == 2
    assert {record.detail for record in logged("failing").values()} == {"user: the server said ?"}


def test_a_user_is_closed_at_the_end(play):
    play(user="rollout_stand_ins:Closing")
    assert COUNTS["closed"] == 1


# --- endings that are not the conversation's ------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "outcome", "detail"),
    [
        ("overflow", "context_limit", "9000 tokens, 8192 fit"),
        ("model", "infrastructure", "agent: 503 after 5 tries"),
    ],
)
def test_a_model_that_cannot_answer_ends_the_episode(play, logged, error, outcome, detail):
    summary = play(agent={"kind": "rollout_stand_ins:FailsOn", "error": error, "task": "test-001"})
    found = logged()
    failed = found["retail/test-001/task/0"]
    assert (failed.outcome, failed.detail, failed.reward) == (outcome, detail, 0.0)
    assert all(record.success for key, record in found.items() if "test-001" not in key)
    assert (summary.done, summary.excluded) == ((4, 0) if outcome == "context_limit" else (3, 1))
    assert tuple(replay(failed).transcript) == failed.transcript


def test_a_user_that_hangs_ends_the_episode_and_not_the_run(play, logged):
    summary = play(user="rollout_stand_ins:HangingUser", tasks=6, knobs={"episode_timeout": 0.2, "concurrency": 3})
    assert (summary.done, summary.excluded, summary.stopped) == (0, 6, "")
    assert {record.detail for record in logged().values()} == {"the episode took longer than 0.2 s"}
    assert all(len(record.transcript) > 1 for record in logged().values())


def test_calls_that_fail_at_random_lose_nothing(play, logged):
    arguments = {"tasks": 20, "user": {"kind": "rollout_stand_ins:FlakyUser", "share": 0.1}}
    knobs = {"most_failures": 10_000}
    summary = play(**arguments, knobs=knobs)
    assert summary.done + summary.excluded == 20
    assert summary.excluded > 5
    rounds = 1
    while not summary.complete:
        before = summary.done
        summary = play(**arguments, knobs=knobs, resume=True)
        assert summary.played == 20 - before
        rounds += 1
        assert rounds < 100
    assert len(logged()) == 20
    assert all(record.success for record in logged().values())


def test_a_server_that_is_gone_stops_the_run_soon(play, logged):
    summary = play(tasks=60, user="rollout_stand_ins:DeadUser", knobs={"most_failures": 10, "concurrency": 4})
    assert summary.stopped == "failures"
    assert 10 <= summary.excluded <= 14
    assert "10 episodes in a row could not be played: user: connection refused" in summary.stopping


def test_failures_that_are_not_in_a_row_stop_nothing(play):
    summary = play(
        tasks=40,
        agent={"kind": "rollout_stand_ins:FailsOn", "error": "model", "task": "test-00"},
        knobs={"most_failures": 11, "concurrency": 1},
    )
    assert (summary.excluded, summary.done, summary.stopped) == (10, 30, "")


# --- what stops a run -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agent": {"kind": "rollout_stand_ins:FailsOn", "error": "refused"}}, "404: no such model"),
        ({"user": "rollout_stand_ins:RefusedUser"}, "401: no such key"),
    ],
)
def test_a_server_that_refuses_stops_the_run_at_once(play, logged, arguments, message):
    with pytest.raises(ModelRefused, match=message):
        play(tasks=30, **arguments)
    assert logged() == {}


@pytest.mark.parametrize("error", ["bug", "timeout"])
def test_a_fault_in_the_agents_code_stops_the_run_after_the_others(play, logged, error):
    broken = {"kind": "rollout_stand_ins:FailsOn", "error": error, "task": "test-003"}
    with pytest.raises(
        EpisodeCrashedError, match=r"retail/test-003/task/0 \(seed \d+\): (KeyError|TimeoutError)"
    ) as caught:
        play(agent=broken, user=SLOW, tasks=30, knobs={"concurrency": 8})
    assert type(caught.value.__cause__) in (KeyError, TimeoutError)
    assert "test-003" not in str(logged().keys())
    assert 7 <= len(logged()) < 20
    assert all(record.success for record in logged().values())


@pytest.mark.parametrize("leaves", [{"asides": {"0": 5}}, {"asides": [1]}, {"usage": {"calls": "1"}}, {"usage": 5}])
def test_what_no_log_can_hold_is_the_agents_fault_and_spoils_nothing(play, logged, leaves):
    with pytest.raises(EpisodeCrashedError, match=r"retail/test-00\d/task/0"):
        play(agent={"kind": "rollout_stand_ins:Careless", **leaves}, tasks=8)
    assert logged() == {}


def test_an_agent_that_ends_the_process_ends_an_episode(play, logged):
    with pytest.raises(EpisodeCrashedError, match="SystemExit: 7") as caught:
        play(agent="rollout_stand_ins:Leaver", tasks=8, knobs={"concurrency": 1})
    assert isinstance(caught.value.__cause__, SystemExit)
    assert logged()


def test_a_user_that_answers_nonsense_is_named(play):
    with pytest.raises(EpisodeCrashedError, match="not with UserReply"):
        play(user="rollout_stand_ins:WrongUser")


def test_a_budget_of_tokens(play, logged):
    arguments = {"user": "rollout_stand_ins:WordyUser", "tasks": 20}
    summary = play(**arguments, knobs={"budget": Budget(tokens=3000), "concurrency": 1})
    assert summary.stopped == "budget"
    assert summary.stopping == "the budget of 3,000 tokens is spent"
    spent = [record.user_usage.prompt_tokens + record.user_usage.completion_tokens for record in logged().values()]
    assert 3000 <= summary.tokens == sum(spent) < 3000 + max(spent)
    assert play(**arguments, resume=True).complete
    assert len(logged()) == 20


@pytest.mark.parametrize(("budget", "what"), [({"tokens": 10**9}, "tokens"), ({"dollars": 5.0}, "dollars")])
def test_a_budget_that_cannot_be_kept_is_not_taken_for_kept(play, budget, what):
    user = {"kind": "rollout_stand_ins:WordyUser", "tell": False}
    summary = play(user=user, tasks=20, knobs={"budget": Budget(**budget), "concurrency": 1})
    assert (summary.stopped, summary.played) == ("budget", 1)
    assert f"{what} cannot be kept" in summary.stopping
    assert summary.tokens is None
    assert summary.dollars is None


def test_a_budget_of_time(play):
    slow = {"kind": "rollout_stand_ins:SlowUser", "seconds": 0.02}
    summary = play(tasks=60, user=slow, knobs={"budget": Budget(seconds=0.3), "concurrency": 2})
    assert summary.stopped == "budget"
    assert 0 < summary.done < 60
    assert summary.running == 0


def interrupted(config, path, signals, user="SlowUser", **knobs):
    """A run that gets signals so many seconds after its first episode, and how long it goes on after that."""
    began = []

    def begin(progress):
        if progress.played and not began:
            began.append(time.perf_counter())
            for after, number in signals:
                threading.Timer(after, os.kill, (os.getpid(), number)).start()

    spec = {"kind": f"rollout_stand_ins:{user}", "seconds": 0.05}
    summary = run_sync(path, config(user=spec, tasks=60), Knobs(concurrency=4, **knobs), signals=True, progress=begin)
    return summary, time.perf_counter() - began[0]


def test_one_ctrl_c_lets_running_episodes_finish(config, folder):
    summary, _ = interrupted(config, folder, [(0.1, signal.SIGINT)])
    assert (summary.stopped, summary.stopping) == ("interrupted", "interrupted by SIGINT")
    assert 4 <= summary.done < 60
    assert all(record.success for record in records(folder))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_drops_them(config, folder):
    summary, seconds = interrupted(config, folder, [(0.1, signal.SIGINT), (0.15, signal.SIGINT)], "StuckUser")
    assert seconds < 3
    assert summary.stopped == "interrupted"
    assert all(record.success for record in records(folder))
    COUNTS["answers"] = -10_000
    assert run_sync(
        folder, config(user={"kind": "rollout_stand_ins:StuckUser", "seconds": 0.05}, tasks=60), resume=True
    ).complete


def test_a_third_ctrl_c_gets_through_where_the_event_loop_is_blocked(config, folder):
    blocked = []

    def press():
        while COUNTS["answers"] <= 60:
            time.sleep(0.01)
        blocked.append(time.perf_counter())
        for _ in range(3):
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)

    spec = {"kind": "rollout_stand_ins:Deaf", "seconds": 0.05}
    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run_sync(folder, config(user=spec, tasks=60), Knobs(concurrency=4), signals=True)
    assert time.perf_counter() - blocked[0] < 20
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with RunFolder.open(folder).writer() as writer:
        assert writer.heads
        assert all(head.success for head in writer.heads)


def test_sigterm_gives_some_seconds(config, folder, monkeypatch):
    monkeypatch.setattr("tau_emotion_gym.rollouts.interrupt.GRACE", 0.05)
    summary, seconds = interrupted(config, folder, [(0.1, signal.SIGTERM)], "StuckUser")
    assert (summary.stopped, summary.stopping) == ("interrupted", "interrupted by SIGTERM")
    assert seconds < 3


def test_a_run_that_is_cancelled_leaves_a_sound_log(config, folder):
    async def cut_short():
        task = asyncio.create_task(run(folder, config(user=SLOW, tasks=60), Knobs(concurrency=8)))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cut_short())
    found = list(records(folder))
    assert 0 < len(found) < 60
    assert run_sync(folder, config(user=SLOW, tasks=60), resume=True).played == 60 - len(found)


# --- progress -------------------------------------------------------------------------------------------


def test_progress_counts_up_to_the_summary(play):
    seen = []
    summary = play(tasks=6, trials=2, agent="transfer_only", progress=seen.append)
    assert sorted({one.played for one in seen} - {0}) == list(range(1, 13))
    assert all(one.planned == 12 for one in seen)
    last = seen[-1]
    assert (last.done, last.successes, last.outcomes) == (summary.done, summary.successes, {"handed_off": 12})
    assert summary.success_rate == summary.successes / 12
    again = play(tasks=6, trials=2, agent="transfer_only", resume=True)
    assert (again.done, again.successes, again.played) == (12, summary.successes, 0)


def test_an_error_of_who_watches_is_raised_and_nothing_is_lost(play, logged):
    def broken(progress):
        if progress.played:
            raise BrokenPipeError("nobody reads")

    with pytest.raises(BrokenPipeError, match="nobody reads"):
        play(tasks=20, user=SLOW, progress=broken, knobs={"concurrency": 4})
    assert 4 <= len(logged()) < 20
    assert all(record.success for record in logged().values())


def test_progress_goes_on_while_no_episode_ends(play, monkeypatch):
    monkeypatch.setattr("tau_emotion_gym.rollouts.runner.TICK", 0.05)
    seen = []
    play(user="rollout_stand_ins:HangingUser", knobs={"episode_timeout": 0.4}, progress=seen.append)
    waiting = [one for one in seen if one.played == 0]
    assert len(waiting) > 2
    assert waiting[-1].running == 4
    assert waiting[-1].seconds > waiting[0].seconds > 0


def test_knobs_are_checked():
    for wrong in ({"concurrency": 0}, {"most_failures": 0}, {"episode_timeout": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Knobs(**wrong)
    with pytest.raises(ValueError, match="dollars is more than 0"):
        Budget(dollars=0.0)
