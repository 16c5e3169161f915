"""Result files of the τ-bench family: every form, every end, and everything that is wrong with real files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.evaluation.audit.talk import talk_of
from tau_emotion_gym.evaluation.foreign import ForeignResults, is_results_file, read_results
from tau_emotion_gym.evaluation.foreign.turns import Dialogue
from tau_emotion_gym.evaluation.metrics import avg_at_k, pass_hat_k
from tau_emotion_gym.evaluation.results import results_of
from tau_emotion_gym.rollouts import Record, line_of, record_from


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def called(name: str, arguments: Any, call_id: str = "c1", content: Any = None) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return said("assistant", content, tool_calls=[{"id": call_id, "type": "function", "function": function}])


def answered(content: str, call_id: str = "c1") -> dict[str, Any]:
    return said("tool", content, tool_call_id=call_id, name="x")


OPENING = [said("system", "Policy."), said("user", "My kettle is broken."), said("assistant", "What is your order id?")]
TALK = [
    *OPENING,
    said("user", "It is K-17."),
    called("get_order", '{"order_id": "K-17"}'),
    answered('{"status": "delivered"}'),
    said("assistant", "<think>Easy.</think>A new one is on its way."),
    said("user", "Lovely.\n\n###STOP###"),
]


def episode(task: Any = 0, trial: Any = 0, reward: Any = 1.0, traj: Any = TALK, info: Any = None) -> dict[str, Any]:
    return {"task_id": task, "trial": trial, "reward": reward, "info": info or {}, "traj": traj}


def read(folder: Path, content: Any, name: str = "kettles.json") -> ForeignResults:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_results(path)


def only(folder: Path, entry: dict[str, Any]) -> Record:
    return read(folder, [entry]).records[0]


# --- one episode --------------------------------------------------------------------------------------


def test_a_conversation_becomes_turns(tmp_path: Path) -> None:
    record = only(tmp_path, episode("17", 2))
    assert [(turn.role, turn.name, turn.content) for turn in record.transcript] == [
        ("user", "user", "My kettle is broken."),
        ("agent", "respond", "What is your order id?"),
        ("user", "user", "It is K-17."),
        ("call", "get_order", '{"order_id": "K-17"}'),
        ("tool", "get_order", '{"status": "delivered"}'),
        ("agent", "respond", "A new one is on its way."),
        ("user", "user", "Lovely."),
    ]
    assert record.transcript[5].thought == "Easy."
    assert record.place.key == "foreign:kettles/17/neutral/2"
    assert (record.steps, record.tool_calls, record.tool_errors, record.questions) == (3, 1, 0, 1)
    assert (record.success, record.outcome, record.reward) == (True, "satisfied", 1.0)
    assert record.signals == ("continue", "continue", "satisfied")
    assert record.agent_usage.calls == 3
    assert record.agent_usage.prompt_tokens is None
    assert record_from(line_of(record)) == record


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        ([said("user", "###STOP###")], "satisfied"),
        ([said("user", "thanks ###stop###.")], "satisfied"),
        ([said("user", "###UNSATISFIED###")], "dissatisfied"),
        ([said("user", "I am off. ###UNSATISFIED###")], "dissatisfied"),
        ([said("user", "###TRANSFER###")], "handed_off"),
        ([said("user", "###OUT-OF-SCOPE###")], "unknown"),
        ([called("transfer_to_human_agents", "{}"), answered("Transfer successful")], "handed_off"),
        ([called("transfer_to_human_agents", "{}")], "handed_off"),
        ([called("get_order", "{}"), answered("Error: none")], "step_limit"),
        ([said("user", "And now?")], "step_limit"),
    ],
)
def test_the_end_is_read_off_the_last_turns(tmp_path: Path, last: list[Any], outcome: str) -> None:
    assert only(tmp_path, episode(reward=0.0, traj=[*OPENING, *last])).outcome == outcome


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("user_stop", "satisfied"),
        ("max_steps", "step_limit"),
        ("context_window_exceeded", "context_limit"),
        ("infrastructure_error", "infrastructure"),
        ("too_many_errors", "unknown"),
        ("agent_error", "unknown"),
    ],
)
def test_a_stated_reason_counts(tmp_path: Path, reason: str, outcome: str) -> None:
    entry = {"task_id": "a", "trial": 0, "reward_info": {"reward": 0.0}, "messages": OPENING}
    record = read(tmp_path, {"simulations": [{**entry, "termination_reason": reason}]}).records[0]
    assert record.outcome == outcome
    assert record.excluded == (outcome == "infrastructure")
    assert record.detail == reason


def test_a_customer_who_gave_up_is_known_by_the_reward_too(tmp_path: Path) -> None:
    info = {"reward_info": {"reward": 0.0, "info": {"reason": "user_abandoned"}}}
    assert only(tmp_path, episode(reward=0.0, info=info, traj=OPENING)).outcome == "dissatisfied"
    assert only(tmp_path, episode(reward=-1, traj=OPENING)).outcome == "dissatisfied"


@pytest.mark.parametrize(
    ("reward", "success"), [(1, True), (1.0, True), (0.9999999, True), (0.5, False), ("1.0", True)]
)
def test_success_is_a_reward_of_one(tmp_path: Path, reward: Any, success: bool) -> None:
    assert only(tmp_path, episode(reward=reward)).success is success


@pytest.mark.parametrize(
    "entry",
    [
        episode(reward=0.0, traj=[], info={"error": "429", "traceback": "Traceback …"}),
        episode(reward=1.0, info={"error": "Connection reset"}),
        {"task_id": 3, "trial": 0, "error": "timed out"},
        {"task_id": 3, "reward": None, "messages": TALK},
        {"task_id": 3, "reward": "?", "traj": None},
    ],
)
def test_what_a_server_broke_is_excluded(tmp_path: Path, entry: dict[str, Any]) -> None:
    record = only(tmp_path, entry)
    assert record.excluded
    assert not record.success
    assert record.detail


def test_calls_are_counted_with_their_errors(tmp_path: Path) -> None:
    two = said(
        "assistant",
        "Let me look.",
        tool_calls=[
            {"id": "a", "function": {"name": "one", "arguments": "{}"}},
            {"id": "b", "function": {"name": "two", "arguments": '{"x": '}},
        ],
    )
    traj = [*OPENING, two, answered("Error: bad x", "b"), answered("fine", "a"), called("three", {"y": 1}, "c")]
    record = only(tmp_path, episode(traj=traj, reward=0))
    assert [(turn.role, turn.name, turn.error) for turn in record.transcript[2:]] == [
        ("call", "two", False),
        ("tool", "two", True),
        ("call", "one", False),
        ("tool", "one", False),
        ("call", "three", False),
    ]
    assert (record.tool_calls, record.tool_errors, record.malformed) == (3, 1, 1)
    assert record.asides == {"1": "Let me look."}


def test_an_agent_that_writes_its_actions_is_understood(tmp_path: Path) -> None:
    traj = [
        said("user", "My kettle is broken."),
        said("assistant", 'Thought:\nI look.\nAction:\n{"name": "get_order", "arguments": {"order_id": "K-17"}}'),
        said("user", "API output: Error: no such order"),
        said("assistant", 'Action: {"name": "respond", "arguments": {"content": "Which order?"}}'),
        said("user", "###STOP###"),
    ]
    record = only(tmp_path, episode(traj=traj, reward=0))
    assert [(turn.role, turn.content) for turn in record.transcript[1:4]] == [
        ("call", '{"order_id":"K-17"}'),
        ("tool", "Error: no such order"),
        ("agent", "Which order?"),
    ]
    assert record.asides == {"0": "I look."}
    assert (record.tool_errors, record.questions, record.outcome) == (1, 1, "satisfied")


def test_what_the_user_s_own_tools_do_is_left_out(tmp_path: Path) -> None:
    traj = [
        said("assistant", "Please restart the kettle."),
        said("user", None, tool_calls=[{"id": "u", "name": "restart", "arguments": {}, "requestor": "user"}]),
        said("tool", "ok", id="u", requestor="user", error=False),
        said("user", "Done."),
        said("assistant", None, tool_calls=[{"id": "a", "name": "check", "arguments": {"on": True}}]),
        {"role": "tool", "tool_messages": [{"role": "tool", "id": "a", "content": "broken", "error": True}]},
    ]
    record = only(tmp_path, episode(traj=traj, reward=0))
    assert [(turn.role, turn.content) for turn in record.transcript] == [
        ("agent", "Please restart the kettle."),
        ("user", "Done."),
        ("call", '{"on":true}'),
        ("tool", "broken"),
    ]
    assert (record.tool_calls, record.tool_errors) == (1, 1)


def test_emotions_and_personas_are_kept(tmp_path: Path) -> None:
    task = {
        "instruction": "You want a kettle. Order K-17.",
        "emotion_family": "Anger",
        "emotion_leaf": "frustration",
        "dimension_politeness": "cold",
        "dimension_urgency": "high",
        "dimension_trust_in_agent": "skeptical",
    }
    results = read(tmp_path, [episode(info={"task": task}), episode(1, info={"persona": "hasty"}), episode(2)])
    places = [record.place for record in results.records]
    assert [(place.arm, place.emotion) for place in places] == [
        ("task", "anger/frustration/cold/high/skeptical"),
        ("hasty", "hasty"),
        ("neutral", "neutral"),
    ]
    row = next(row for row in results_of(results.records) if row.place.arm == "task")
    assert row.emotion == ("anger", "frustration", "cold", "high", "skeptical")
    assert results.episodes[0].told == ("You want a kettle. Order K-17.",)
    assert results.episodes[0].info["info"]["task"] == task
    assert results.episodes[2].told is None


# --- whole files ----------------------------------------------------------------------------------------


def simulations() -> dict[str, Any]:
    runs = [
        {
            "id": f"s{number}",
            "task_id": str(number // 2),
            "trial": number % 2,
            "seed": 7,
            "duration": 2.5,
            "termination_reason": "user_stop",
            "reward_info": {"reward": float(number > 0), "db_check": {"db_match": True}},
            "messages": [
                said("assistant", "Hello!", usage={"prompt_tokens": 5, "completion_tokens": 2}),
                said("user", "A kettle ###STOP###", usage={"prompt_tokens": 9, "completion_tokens": 3}),
            ],
        }
        for number in range(4)
    ]
    scenario = {"persona": None, "instructions": {"known_info": "Order K-17", "unknown_info": None}}
    info = {
        "agent_info": {"llm": "agent-model"},
        "user_info": {"llm": "user-model"},
        "environment_info": {"domain_name": "kitchen"},
    }
    return {"info": info, "tasks": [{"id": "0", "user_scenario": scenario}], "simulations": runs}


def test_simulations_tell_models_domain_and_tokens(tmp_path: Path) -> None:
    results = read(tmp_path, simulations())
    assert (results.agent, results.user) == ("agent-model", "user-model")
    record = results.records[0]
    assert record.place.key == "foreign:kitchen/0/neutral/0"
    assert (record.success, record.state_match, record.seconds) == (False, True, 2.5)
    assert (record.agent_usage.prompt_tokens, record.user_usage.completion_tokens) == (5, 3)
    assert results.episodes[0].told == ("Order K-17",)
    assert results.episodes[2].told is None


def test_json_lines_are_the_same_as_a_list(tmp_path: Path) -> None:
    entries = [episode(task, trial) for task in range(3) for trial in range(2)]
    lines = "\n".join(map(json.dumps, entries)) + "\n\n"
    assert read(tmp_path, lines, "kettles.jsonl") == read(tmp_path, entries)
    assert read(tmp_path, json.dumps(episode()) + "\n", "kettles.jsonl").records[0].success
    assert read(tmp_path, "\ufeff" + json.dumps(entries)).records[0].success


@pytest.mark.parametrize("joined", ["[{}]", "{}"])
def test_what_python_writes_as_json_is_read(tmp_path: Path, joined: str) -> None:
    talk = [*OPENING, said("user", "Half \ud83d of it. ###STOP###")]
    text = json.dumps(episode(traj=talk, info={"cost": float("nan"), "error": None, "limit": float("inf")}))
    assert "NaN" in text
    assert "\\ud83d" in text
    name = "kettles.json" if joined == "[{}]" else "kettles.jsonl"
    record = read(tmp_path, joined.format(text), name).records[0]
    assert record.transcript[-1].content == "Half ? of it."
    assert record_from(line_of(record)) == record


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400, -(10**400), "1e999", "no number"])
def test_a_number_that_is_none_is_not_told(tmp_path: Path, number: Any) -> None:
    record = only(tmp_path, episode(reward=number) | {"duration": number, "seed": number, "trial": number})
    assert (record.outcome, record.seconds, record.place.trial) == ("infrastructure", 0.0, 0)


def test_figures_come_from_the_file(tmp_path: Path) -> None:
    rewards = {(0, 0): 1.0, (0, 1): 1.0, (1, 0): 1.0, (1, 1): 0.0, (2, 0): 0.0, (2, 1): 0.0}
    results = read(tmp_path, [episode(task, trial, reward) for (task, trial), reward in rewards.items()])
    rows = results_of(results.records)
    assert avg_at_k(rows, 2).value == pytest.approx(0.5)
    assert pass_hat_k(rows, 2).value == pytest.approx(1 / 3)


def test_the_audit_reads_the_text(tmp_path: Path) -> None:
    talk = talk_of(only(tmp_path, episode()))
    assert talk.text_only
    assert [line.text for line in talk.user_lines] == ["My kettle is broken.", "It is K-17.", "Lovely."]
    assert talk.user_lines[-1].signal == "satisfied"


def test_a_trial_that_was_broken_and_played_again_counts_once(tmp_path: Path) -> None:
    broken = episode(reward=0.0, traj=[], info={"error": "429"})
    for entries in ([broken, episode()], [episode(), broken], [broken, broken, episode()]):
        records = read(tmp_path, entries).records
        assert [record.success for record in records] == [True]
    assert [record.excluded for record in read(tmp_path, [broken]).records] == [True]


def test_runs_put_together_are_further_trials(tmp_path: Path) -> None:
    records = read(tmp_path, [episode(), episode(reward=0.0), episode(1), episode()]).records
    places = [record.place for record in records]
    assert [(place.task_id, place.trial) for place in places] == [
        ("0", 0),
        ("0", 1),
        ("1", 0),
        ("0", 2),
    ]


# --- damage ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps([episode(), episode(1)], indent=1)[:-200], r"kettles\.json:\d\d+: .* cut off"),
        ('[\n{"task_id": 1,\n "reward": oops}]', r"kettles\.json:3: not JSON"),
        (json.dumps(episode()) + "\n" + json.dumps(episode(1))[:-9], r"kettles\.json:2: .* cut off"),
        ("", r"kettles\.json: the file is empty"),
        ("\n", r"kettles\.json: the file is empty"),
        ("<html>502</html>", r"kettles\.json:1: not JSON"),
        ('{"a": 1}', "neither a list of episodes, nor an object with 'simulations'"),
        ("7", "no results"),
        ('[{"reward": 1}]', "entry 1 is no episode"),
        (json.dumps([episode(), "x"]), "entry 2 is no episode"),
        ('{"simulations": 3, "task": 1}', "no results"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


def test_a_missing_file_and_a_strange_encoding_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_results(tmp_path / "nowhere.json")
    (tmp_path / "a.json").write_bytes(b'[{"task_id": "\xff"}]')
    with pytest.raises(DataError, match=r"a\.json:1"):
        read_results(tmp_path / "a.json")


@pytest.mark.parametrize("entries", [[], {"simulations": []}])
def test_an_empty_file_has_no_episodes(tmp_path: Path, entries: Any) -> None:
    assert read(tmp_path, entries).records == ()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "function", "x"]) | _JSON, "content": _JSON},
    optional={
        "tool_calls": st.lists(st.fixed_dictionaries({"function": _JSON, "id": _JSON}) | _JSON, max_size=3) | _JSON,
        "function_call": _JSON,
        "tool_call_id": _JSON,
        "usage": _JSON,
        "requestor": _JSON,
        "tool_messages": _JSON,
        "error": _JSON,
    },
)


@settings(max_examples=150)
@given(st.lists(_MESSAGE | _JSON, max_size=6))
def test_no_message_raises(messages: list[Any]) -> None:
    talk = Dialogue(messages)
    assert talk.actions >= len(talk.calls)
    assert len(talk.marks) == sum(turn.role == "user" for turn in talk.turns)


@settings(max_examples=150)
@given(st.fixed_dictionaries({"task_id": st.integers() | st.text(max_size=5)}, optional=dict.fromkeys(
    ("trial", "reward", "info", "traj", "messages", "reward_info", "termination_reason", "seed", "duration"), _JSON
)))  # fmt: skip
def test_no_entry_raises_anything_but_a_data_error(tmp_path_factory: pytest.TempPathFactory, entry: Any) -> None:
    try:
        results = read(tmp_path_factory.mktemp("fuzz"), [entry])
    except DataError:
        return
    assert record_from(line_of(results.records[0])) == results.records[0]


@pytest.mark.parametrize("trial", [-1, 1e300, "x", None, True, [1]])
def test_a_trial_that_is_no_number_is_the_first(tmp_path: Path, trial: Any) -> None:
    assert only(tmp_path, episode(trial=trial)).place.trial == int(trial is True)


def test_which_paths_are_results_files(tmp_path: Path) -> None:
    for name in ("a.json", "b.jsonl", "episodes.jsonl", "run.json", "c.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    found = [path.name for path in sorted(tmp_path.iterdir()) if is_results_file(path)]
    assert found == ["a.json", "b.jsonl"]
    assert not is_results_file(tmp_path)
