"""Training rows of a run with good and bad agents: what is in them, and that nothing else is."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from json_schema import problems
from played_runs import mixed, played, write_log

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.agents.history import TextHistory
from tau_emotion_gym.envs.spaces import ActionSpace
from tau_emotion_gym.episode import Outcome, Turn, respond
from tau_emotion_gym.episode.scoring import score
from tau_emotion_gym.errors import DataError, TauEmotionError, UnknownName
from tau_emotion_gym.kit import ToolError, load
from tau_emotion_gym.kit.tool import write
from tau_emotion_gym.llm import Call, Completion
from tau_emotion_gym.rollouts import Record, line_of, make_config, run_sync
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.tracer import (
    FORMATS,
    NAMES,
    ContaminationError,
    Limits,
    Origin,
    Settings,
    dropped_by,
    export,
    export_run,
    run_records,
)
from tau_emotion_gym.tracer.conversation import arguments
from tau_emotion_gym.world import Money, World

DOMAINS = ("retail", "airline", "telecom", "telehealth")


class Wild:
    """The reference agent, but its first action is one that no schema allows."""

    def __init__(self) -> None:
        self._inner: Any = make_agent("reference")
        self._opening: Any = None

    def reset(self, domain: Any, task: Any) -> None:
        self._inner.reset(domain, task)

    def act(self, observation: Any) -> Any:
        if self._opening is None:
            self._opening = observation
            return {"name": "no_such_tool", "arguments": "{"}
        if observation["name"] == "no_such_tool":
            observation = self._opening
        return self._inner.act(observation)


class Thinker:
    """The reference agent, thinking aloud before it speaks, and with the think tool before it acts."""

    def __init__(self) -> None:
        self._inner: Any = make_agent("reference")
        self._next: Any = None

    def reset(self, domain: Any, task: Any) -> None:
        self._inner.reset(domain, task)

    def act(self, observation: Any) -> Any:
        if self._next is not None:
            action, self._next = self._next, None
            return action
        action = self._inner.act(observation)
        if action["name"] == "respond":
            return respond("<think>Secret plan.</think>" + action["arguments"]["content"])
        self._next = action
        return {"name": "think", "arguments": {"thought": "Which tool?"}}


@pytest.fixture(scope="module")
def run() -> list[Record]:
    good_and_bad = list(mixed(DOMAINS, 6))
    wild = played("retail", "train-3-50", Wild(), trial=1)
    again = [played("retail", "train-3-51", "reference", trial=trial) for trial in (0, 0)]
    again[1] = msgspec.structs.replace(again[1], place=msgspec.structs.replace(again[1].place, trial=9))
    return [*good_and_bad, wild, *again]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def exported(run: list[Record], path: Path, **settings: Any) -> list[dict[str, Any]]:
    export(run, path, Settings(**settings))
    return rows(path)


def calls_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for message in row["messages"] for call in message.get("tool_calls", ())]


# --- what is kept -------------------------------------------------------------------------------------


def test_counts_add_up_and_say_why(run: list[Record], tmp_path: Path) -> None:
    counts = export(run, tmp_path / "sft.jsonl")
    assert counts.read == len(run) == counts.kept + sum(counts.dropped.values())
    assert counts.kept == len(rows(tmp_path / "sft.jsonl")) == sum(counts.files.values())
    expected = Counter(dropped_by(record, Limits()) for record in run)
    assert {name: counts.dropped[name] for name in NAMES[:-1]} == {name: expected[name] for name in NAMES[:-1]}
    assert counts.dropped["duplicate"] == 1
    for name in ("infrastructure", "user_left", "failed", "policy_violation", "unnecessary_questions"):
        assert counts.dropped[name] > 1, name
    assert counts.dropped["malformed_call"] == 1
    beside = json.loads((tmp_path / "sft.jsonl.counts.json").read_text(encoding="utf-8"))
    assert beside["dropped"] == counts.dropped
    assert list(beside["dropped"]) == list(NAMES)
    assert beside["settings"]["limits"] == {"strict": True, "most_unnecessary_questions": 1, "most_tool_errors": None}


def test_only_good_episodes_are_in_it(run: list[Record], tmp_path: Path) -> None:
    played_as = {(record.place.domain, record.place.task_id, record.place.trial): record for record in run}
    told = [row["metadata"] for row in exported(run, tmp_path / "sft.jsonl")]
    kept = [played_as[one["domain"], one["task_id"], one["trial"]] for one in told]
    assert len({record.place.key for record in kept}) == len(kept)
    for record in kept:
        assert record.outcome in (Outcome.SATISFIED, Outcome.HANDED_OFF)
        assert record.success
        assert not record.violations
        assert not record.malformed
        unnecessary = ("redundant_question", "avoidable_question", "dripped_question")
        assert sum(record.events.get(name, 0) for name in unnecessary) <= 1
    assert {record.place.trial for record in kept} >= {0, 2}, "the good agents, and the careless one where it is right"


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (Limits(strict=False), "policy_violation"),
        (Limits(most_unnecessary_questions=None), "unnecessary_questions"),
    ],
)
def test_a_filter_can_be_switched_off(run: list[Record], tmp_path: Path, limits: Limits, name: str) -> None:
    usual = export(run, tmp_path / "a.jsonl")
    wide = export(run, tmp_path / "b.jsonl", Settings(limits=limits))
    assert wide.dropped[name] == 0
    assert wide.kept > usual.kept
    assert wide.read == wide.kept + sum(wide.dropped.values())


def test_the_bound_on_tool_errors(run: list[Record], tmp_path: Path) -> None:
    erring = sum(record.tool_errors > 0 for record in run if dropped_by(record, Limits()) is None)
    counts = export(run, tmp_path / "a.jsonl", Settings(limits=Limits(most_tool_errors=0)))
    assert counts.dropped["tool_errors"] == erring


# --- what is in a row -----------------------------------------------------------------------------------


def test_every_call_fits_its_schema_and_has_its_result(run: list[Record], tmp_path: Path) -> None:
    for row in exported(run, tmp_path / "sft.jsonl"):
        schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in row["tools"]}
        messages = row["messages"]
        assert [message["role"] for message in messages[:2]] == ["system", "user"]
        assert messages[-1]["role"] == "assistant"
        for at, message in enumerate(messages):
            for call in message.get("tool_calls", ()):
                assert isinstance(call["function"]["arguments"], str)
                given = json.loads(call["function"]["arguments"])
                assert problems(given, schemas[call["function"]["name"]]) == []
                assert None not in given.values()
                if at + 1 < len(messages):
                    assert messages[at + 1]["role"] == "tool"
                    assert messages[at + 1]["tool_call_id"] == call["id"]
        assert len({call["id"] for call in calls_of(row)}) == len(calls_of(row)) == row["metadata"]["tool_calls"]
        assert all(len(message.get("tool_calls", [0])) == 1 for message in messages)


def test_a_row_s_own_calls_and_messages_succeed(run: list[Record], tmp_path: Path) -> None:
    for row in exported(run, tmp_path / "sft.jsonl"):
        told = row["metadata"]
        domain = load(told["domain"])
        task = task_by_id(domain, told["task_id"])
        world = World(domain.base(task.world))
        said = []
        for message in row["messages"]:
            for call in message.get("tool_calls", ()):
                tool = domain.tools[call["function"]["name"]]
                try:
                    tool.run(world, tool.bind(json.loads(call["function"]["arguments"])))
                except ToolError:
                    assert told["tool_errors"]
            if message["role"] == "assistant" and message["content"]:
                said.append(Turn("agent", "respond", message["content"]))
        counts = dict.fromkeys(("violation", "tool_error", "question", "step"), 0)
        assert score(domain, task, world, said, Outcome(told["outcome"]), counts).success


def test_metadata_has_the_same_keys_in_every_row(run: list[Record], tmp_path: Path) -> None:
    export(run, tmp_path / "sft.jsonl", run=Origin(agent="teacher"))
    made = rows(tmp_path / "sft.jsonl")
    assert len({tuple(row["metadata"]) for row in made}) == 1
    assert {row["metadata"]["split"] for row in made} == {"train"}
    assert {row["metadata"]["world_seed"] for row in made} == {3}
    assert {row["metadata"]["agent"] for row in made} == {"teacher"}
    assert {row["metadata"]["domain"] for row in made} == set(DOMAINS)


def test_thoughts_are_left_out_unless_wanted(tmp_path: Path) -> None:
    record = played("retail", "train-3-2", Thinker(), think_tool=True)
    assert record.success
    record = msgspec.structs.replace(record, asides={**record.asides, "2": "<think>Beside a call.</think>Bye"})
    without, kept = (
        exported([record], tmp_path / "a.jsonl", keep_thoughts=wanted)[0]["messages"] for wanted in (False, True)
    )
    assert "Secret plan" not in json.dumps(without)
    assert "Beside a call" not in json.dumps(without)
    speech = [message for message in kept if message["role"] == "assistant" and "tool_calls" not in message]
    assert all(message["content"].startswith("<think>\nSecret plan.\n</think>\n\n") for message in speech)
    assert json.dumps(kept).count("Beside a call") == 1
    for one, other in zip(without, kept, strict=True):
        if one["role"] == "assistant":
            assert (other["content"] or "").endswith(one["content"] or "")


def test_the_think_tool_is_offered_where_it_was(tmp_path: Path) -> None:
    record = played("retail", "train-3-2", Thinker(), think_tool=True)
    row = exported([record], tmp_path / "a.jsonl")[0]
    assert "think" in [tool["function"]["name"] for tool in row["tools"]]
    plain = exported([played("retail", "train-3-2", "reference")], tmp_path / "b.jsonl")[0]
    assert "think" not in [tool["function"]["name"] for tool in plain["tools"]]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('{"patient_id":"P1","amount":"12.50"}', {"patient_id": "P1", "amount": 12.5}),
        ('{"patient_id":"P1","amount":12}', {"patient_id": "P1", "amount": 12}),
    ],
)
def test_arguments_are_what_the_agent_gave_with_numbers_as_numbers(given: str, kept: dict[str, Any]) -> None:
    def pay(world: World, patient_id: str, amount: Money, note: str = "none", tags: tuple[str, ...] = ()) -> str:
        """Pay.

        Args:
            patient_id: Who.
            amount: How much.
            note: Why.
            tags: Kinds.
        """
        return ""

    assert json.loads(arguments(write("pay")(pay), given)) == kept


# --- formats --------------------------------------------------------------------------------------------


def test_all_formats_hold_the_same_conversations(run: list[Record], tmp_path: Path) -> None:
    made = {name: exported(run, tmp_path / f"{name}.jsonl", format=name) for name in FORMATS}
    assert len({len(found) for found in made.values()}) == 1
    for plain, hermes, shared in zip(made["openai"], made["hermes"], made["sharegpt"], strict=True):
        assert plain["metadata"] == hermes["metadata"] == shared["metadata"]
        calls = [
            {"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
            for call in calls_of(plain)
        ]
        assert hermes_calls(hermes) == calls
        assert [json.loads(turn["value"]) for turn in by(shared, "function_call")] == calls
        results = [message["content"] for message in plain["messages"] if message["role"] == "tool"]
        assert [turn["value"] for turn in by(shared, "observation")] == results
        tagged = [f"<tool_response>\n{result}\n</tool_response>" for result in results]
        users = [message["content"] for message in hermes["messages"] if message["role"] == "user"]
        assert [text for text in users if text.startswith("<tool_response>")] == tagged


def test_hermes_rows_are_plain_text_with_the_tools_in_the_prompt(run: list[Record], tmp_path: Path) -> None:
    for row in exported(run, tmp_path / "a.jsonl", format="hermes"):
        assert "tools" not in row
        assert all(set(message) == {"role", "content"} and message["content"] for message in row["messages"])
        listed = row["messages"][0]["content"].split("<tools>\n")[1].split("\n</tools>")[0]
        names = [json.loads(line)["function"]["name"] for line in listed.splitlines()]
        assert names == [tool.name for tool in load(row["metadata"]["domain"]).offered()]
        assert [message["role"] for message in row["messages"][1:]] == alternating("user", "assistant", row["messages"])


def test_hermes_rows_are_what_an_agent_without_native_calls_reads(tmp_path: Path) -> None:
    record = played("telecom", "train-3-1", "reference")
    row = exported([record], tmp_path / "a.jsonl", format="hermes")[0]
    history = TextHistory(load("telecom"), think_tool=False)
    for turn in record.transcript:
        if turn.role == "user":
            history.customer(turn.content)
        elif turn.role == "agent":
            history.answered(Completion(turn.content))
        elif turn.role == "call":
            call = Call("", turn.name, turn.content)
            history.answered(Completion("", (call,)))
        else:
            history.result(call, turn.content)
    assert [called_alike(message) for message in row["messages"]] == [
        called_alike(message) for message in history.messages[: len(row["messages"])]
    ]


def called_alike(message: dict[str, str]) -> tuple[str, Any]:
    """A message, its calls as values, since two ways to write JSON mean the same."""
    if not message["content"].startswith("<tool_call>"):
        return message["role"], message["content"]
    return message["role"], hermes_calls({"messages": [message]})


def test_sharegpt_rows_alternate_as_their_reader_wants(run: list[Record], tmp_path: Path) -> None:
    for row in exported(run, tmp_path / "a.jsonl", format="sharegpt"):
        turns = row["conversations"]
        assert len(turns) % 2 == 0
        assert {turn["from"] for turn in turns[::2]} <= {"human", "observation"}
        assert {turn["from"] for turn in turns[1::2]} <= {"gpt", "function_call"}
        assert turns[0]["from"] == "human"
        assert json.loads(row["tools"])[0]["parameters"]
        assert row["system"]


def by(row: dict[str, Any], speaker: str) -> list[dict[str, str]]:
    return [turn for turn in row["conversations"] if turn["from"] == speaker]


def hermes_calls(row: dict[str, Any]) -> list[Any]:
    texts = [message["content"] for message in row["messages"] if message["role"] == "assistant"]
    return [
        json.loads(text.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>"))
        for text in texts
        if text.startswith("<tool_call>")
    ]


def alternating(one: str, other: str, messages: list[Any]) -> list[str]:
    return [one if number % 2 == 0 else other for number in range(len(messages) - 1)]


# --- files ----------------------------------------------------------------------------------------------


def test_the_order_of_the_log_does_not_matter(run: list[Record], tmp_path: Path) -> None:
    write_log(tmp_path / "one", run)
    write_log(tmp_path / "two", run[::-1])
    made = [export_run(tmp_path / name, tmp_path / f"{name}.jsonl", Settings()) for name in ("one", "two")]
    assert made[0].dropped == made[1].dropped
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_a_log_read_back_holds_each_place_once_and_the_last_time(tmp_path: Path) -> None:
    good = played("retail", "train-3-10", "reference")
    failed = played("retail", "train-3-10", "reference", stop_after=1)
    other = played("retail", "train-3-9", "reference")
    folder = write_log(tmp_path / "run", [failed, good, other])
    assert list(run_records(folder)) == [other, good]
    assert list(run_records(folder / "episodes.jsonl")) == [other, good]


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    record = played("retail", "train-3-0", "reference")
    folder = write_log(tmp_path / "run", [record])
    log = folder / "episodes.jsonl"
    log.write_bytes(
        line_of(record) + line_of(record).replace(b'"steps":', b'"stps":').replace(b'"trial":0', b'"trial":1')
    )
    with pytest.raises(DataError, match=r"episodes.jsonl:2: .*steps"):
        list(run_records(folder))


def test_a_full_disk_is_a_plain_error_and_leaves_nothing_behind(run: list[Record], tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(TauEmotionError, match="cannot be written"):
            export(run, tmp_path / "a.jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


def test_split_by_gives_a_file_per_value(run: list[Record], tmp_path: Path) -> None:
    whole = exported(run, tmp_path / "sft.jsonl")
    counts = export(run, tmp_path / "sft.jsonl", Settings(split_by="domain"))
    assert set(counts.files) == {f"sft-{name}.jsonl" for name in DOMAINS}
    parts = [row for name in sorted(counts.files) for row in rows(tmp_path / name)]
    assert sorted(map(json.dumps, parts)) == sorted(map(json.dumps, whole))
    for name, number in counts.files.items():
        made = rows(tmp_path / name)
        assert len(made) == number
        assert {f"sft-{row['metadata']['domain']}.jsonl" for row in made} == {name}
    families = export(run, tmp_path / "f.jsonl", Settings(split_by="family")).files
    assert set(families) == {"f-anger.jsonl", "f-fear.jsonl", "f-enjoyment.jsonl", "f-neutral.jsonl"}


def test_test_tasks_are_refused_and_nothing_is_left_behind(tmp_path: Path) -> None:
    record = played("retail", "test-003", "reference")
    (tmp_path / "sft.jsonl").write_text("as before\n", encoding="utf-8")
    with pytest.raises(ContaminationError, match="retail/test-003/neutral/0 is a task of the test split"):
        export([played("retail", "train-3-1", "reference"), record], tmp_path / "sft.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["sft.jsonl"]
    assert (tmp_path / "sft.jsonl").read_text(encoding="utf-8") == "as before\n"
    row = exported([record], tmp_path / "sft.jsonl", allow_test=True)[0]
    assert row["metadata"]["split"] == "test"
    assert row["metadata"]["world_seed"] is None


@pytest.mark.parametrize("split_by", [None, "domain"])
def test_where_nothing_is_kept_there_is_no_file_and_an_older_one_stays(tmp_path: Path, split_by: str | None) -> None:
    (tmp_path / "sft.jsonl").write_text("as before\n", encoding="utf-8")
    failed = played("retail", "train-3-10", "null")
    for name in ("sft.jsonl", "new.jsonl"):
        counts = export([failed], tmp_path / name, Settings(split_by=split_by))
        assert (counts.read, counts.kept, counts.files) == (1, 0, {})
    assert [path.name for path in tmp_path.iterdir()] == ["sft.jsonl"]
    assert (tmp_path / "sft.jsonl").read_text(encoding="utf-8") == "as before\n"


def test_rows_of_several_runs_name_their_agents(tmp_path: Path) -> None:
    for name in ("reference", "friction"):
        config = make_config(["retail"], agent=name, split="train", tasks=2)
        run_sync(tmp_path / name, config)
    settings = Settings(limits=Limits(most_unnecessary_questions=None))
    counts = export_run([tmp_path / "reference", tmp_path / "friction"], tmp_path / "sft.jsonl", settings)
    agents = [row["metadata"]["agent"] for row in rows(tmp_path / "sft.jsonl")]
    assert agents == sorted(agents, reverse=True)
    assert set(agents) == {"reference", "friction"}
    assert counts.files == {"sft.jsonl": counts.kept}


def test_wrong_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'hermes'"):
        export([], tmp_path / "a.jsonl", Settings(format="hermess"))
    with pytest.raises(UnknownName, match="'domain'"):
        export([], tmp_path / "a.jsonl", Settings(split_by="domains"))
    with pytest.raises(DataError, match="nowhere"):
        export_run(tmp_path / "nowhere", tmp_path / "a.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_one_record_is_held_at_a_time(tmp_path: Path) -> None:
    """What is alive of the records while they are read does not grow."""
    sizes = []

    def stream() -> Any:
        for trial in range(20):
            record = played("retail", "train-3-4", "reference", trial=trial)
            sizes.append(sys.getrefcount(record))
            yield record

    export(stream(), tmp_path / "a.jsonl")
    assert len(set(sizes)) == 1


@pytest.mark.parametrize("name", DOMAINS)
def test_any_call_that_a_tool_takes_fits_its_schema_in_the_row(name: str) -> None:
    """Also when the agent wrote its numbers as strings; and what is in the row is taken the same way again."""
    domain = load(name)
    space = ActionSpace(domain.offered())
    space.seed(5)
    for _ in range(300):
        action = space.sample()
        if action["name"] == "respond":
            continue
        tool = domain.tools[action["name"]]
        plain = arguments(tool, json.dumps(action["arguments"]))
        assert problems(json.loads(plain), dict(tool.parameters)) == []
        assert arguments(tool, json.dumps(quoted(action["arguments"]))) == plain
        assert arguments(tool, plain) == plain
        assert set(json.loads(plain)) == set(action["arguments"])


def quoted(given: Any) -> Any:
    """The numbers as strings."""
    if isinstance(given, dict):
        return {key: quoted(value) for key, value in given.items()}
    if isinstance(given, list):
        return [quoted(value) for value in given]
    return str(given) if isinstance(given, int | float) and not isinstance(given, bool) else given
