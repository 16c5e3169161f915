"""A record holds a whole episode: it survives the log, and can be played again without user or agent."""

import msgspec
import pytest
from recorded import recorded

from tau_emotion_gym.agents import Agent, make_agent
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.rollouts import Place, Record, ReplayError, line_of, record_from, record_of, replay
from tau_emotion_gym.users import ScriptedUser


def played(domain_name: str, task_id: str, agent: Agent, condition: int, actions: int = 1000) -> Record:
    domain = load(domain_name)
    task = domain.test_tasks[task_id]
    episode = Episode(domain, task, CONDITIONS[condition], seed=11)
    place = Place(domain_name, task_id, "task", 0, "11", CONDITIONS[condition].path)
    return recorded(episode, ScriptedUser(), agent, place, actions)


@pytest.mark.parametrize("agent", ["reference", "friction", "first_match", "null", "transfer_only"])
@pytest.mark.parametrize("domain", names(added=False))
def test_a_record_survives_the_log_and_plays_again(domain: str, agent: str) -> None:
    for number in range(0, 100, 20):
        record = played(domain, f"test-{number:03}", make_agent(agent), number * 5)
        assert record_from(line_of(record)) == record
        episode = replay(record)
        assert tuple(episode.transcript) == record.transcript
        assert record_of(episode, record.place, record.signals) == record


class Wild:
    """Sends what no schema allows, thinks aloud, and then nothing."""

    def reset(self, domain: object, task: object) -> None:
        self.actions = iter(
            [
                {"name": "no_such_tool", "arguments": {"a": 1}},
                "cancel everything",
                {"name": "transfer_to_human", "arguments": '{"reason": '},
                {"name": "respond", "arguments": {"content": "<think>Hm.</think>One moment, please."}},
                {"name": "calculate", "arguments": {"expression": "1"}, "thought": "one\n"},
                {"name": "calculate", "arguments": {}, "thought": "</think> two"},
                {"name": "respond", "arguments": {"content": "  One moment more. "}, "thought": "<think>three"},
                {"name": "calculate", "arguments": {"expression": "1"}, "id": "call_1"},
                {"name": "respond", "arguments": {"content": "Hello"}, "type": "function"},
                {"name": "calculate", "arguments": {"expression": "1"}, "thought": 4},
                {"name": "respond", "arguments": {"content": "</thi<think>hm</think>nk> One moment."}},
                {"name": "respond", "arguments": {"content": "One.\x00\u2028 <thi<think>x</think>nk>y</think>"}},
                {"name": "respond", "arguments": {"content": "\ud83d" + "long " * 100_000}},
            ]
        )

    def act(self, observation: object) -> object:
        return next(self.actions, {"name": "respond", "arguments": {"content": ""}})


def test_malformed_actions_and_thoughts_play_again() -> None:
    record = played("retail", "test-003", Wild(), 7)
    again = record_of(replay(record), record.place, record.signals)
    assert record.malformed == 7
    assert record == again == record_from(line_of(record))


@pytest.mark.parametrize("actions", [0, 2])
def test_an_episode_that_a_server_stopped_plays_again(actions: int) -> None:
    record = played("retail", "test-003", make_agent("reference"), 7, actions)
    assert record.excluded
    assert record_of(replay(record), record.place, record.signals) == record


def test_a_record_that_does_not_fit_is_refused() -> None:
    record = played("retail", "test-003", make_agent("reference"), 7)
    short = msgspec.structs.replace(record, transcript=record.transcript[:1], signals=record.signals[:1])
    with pytest.raises(ReplayError, match="retail/test-003/task/0: the record ends as satisfied"):
        replay(short)
    with pytest.raises(ReplayError, match="cannot be played again"):
        replay(msgspec.structs.replace(record, signals=()))
