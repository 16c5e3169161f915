"""OpenEnv with a real server process and many sessions at once. Runs where openenv is installed."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("openenv")

from openenv.core import GenericEnvClient

from tau_emotion_gym.integrations import Desk, rows
from tau_emotion_gym.integrations.openenv import ServiceAction, TauEmotionClient
from tau_emotion_gym.integrations.openenv_server import ServiceEnvironment

pytestmark = [pytest.mark.openenv, pytest.mark.filterwarnings("default")]

TOY = Path(__file__).parents[1] / "toy" / "library"
SESSIONS = 12
ROWS = rows(TOY, SESSIONS, emotions=("anger", "neutral", "fear"))


@contextmanager
def serving(*options):
    """The address of a server in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tau_emotion_gym.integrations.openenv_server", str(TOY), "--port", str(port)]
    process = subprocess.Popen([*command, *options])
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="module")
def server():
    with serving("--sessions", str(SESSIONS), "--session-timeout", "60") as address:
        yield address


def wait_for(port, process):
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("the server does not answer")


def locally(row, reference):
    """The reference agent's actions, and what comes of them, without a server."""
    talk = Desk(TOY).talk()
    opening = talk.start(row)
    actions, seen = [], []
    for action in reference(talk):
        actions.append(action)
        seen.append(talk.act(action))
    return opening, actions, seen, talk.finish()


async def played(url, row, actions):
    async with TauEmotionClient(base_url=url) as client:
        result = await client.reset(**row)
        opening, seen = result.observation.messages, []
        for action in actions:
            assert not result.done
            result = await client.step(ServiceAction(**action))
            seen += result.observation.messages
        return opening, seen, result


def test_many_sessions_play_what_is_played_locally(server, reference):
    expected = [locally(row, reference) for row in ROWS]

    async def all_at_once():
        return await asyncio.gather(
            *[played(server, row, actions) for row, (_, actions, _, _) in zip(ROWS, expected, strict=True)]
        )

    for found, (opening, _, seen, result) in zip(asyncio.run(all_at_once()), expected, strict=True):
        last = found[2]
        assert found[0] == opening
        assert found[1] == seen
        assert (last.done, last.reward) == (True, result.reward) == (True, 1.0)
        assert last.metadata == {key: value for key, value in result._asdict().items() if key != "reward"}
        assert last.metadata["outcome"] in ("satisfied", "handed_off")


def test_messages_and_completions_do_as_well(server):
    with TauEmotionClient(base_url=server).sync() as client:
        begun = client.reset(**ROWS[0])
        assert [message["role"] for message in begun.observation.messages] == ["system", "user"]
        assert {tool["function"]["name"] for tool in begun.observation.tools} >= {"calculate", "transfer_to_human"}
        function = {"name": "calculate", "arguments": '{"expression": "1 + 1"}'}
        calls = [{"id": "a", "type": "function", "function": function}] * 2
        result = client.step(ServiceAction(message={"role": "assistant", "content": None, "tool_calls": calls}))
        assert [message["content"] for message in result.observation.messages] == ["2.00", "2.00"]
        assert result.observation.tools is None
        result = client.step(ServiceAction(message="<think>Hm.</think>How can I help? 🙂"))
        assert result.observation.messages[-1]["role"] == "user"
        assert (result.reward, result.done) == (0.0, False)
        assert result.metadata["info"]["steps"] == 3.0


def test_wrong_actions_of_an_agent_are_its_turns_and_wrong_messages_are_errors(server):
    async def wrong():
        async with GenericEnvClient(base_url=server) as client:
            await client.reset(task_id=ROWS[0]["task_id"])
            result = await client.step({"name": "make_coffee", "arguments": {}})
            assert result.observation["messages"][0]["content"].startswith("Error")
            result = await client.step({"name": "calculate", "arguments": '{"expression": '})
            assert result.observation["messages"][0]["content"].startswith("Error")
            for action in ({}, {"name": "calculate", "message": "both"}, {"mesage": "a typo"}, {"name": 7}):
                with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
                    await client.step(action)
            with pytest.raises(RuntimeError, match="task_ids"):
                await client.reset(task_ids="train-0-0")
            with pytest.raises(RuntimeError, match="train-x"):
                await client.reset(task_id="train-x")
            result = await client.step({"message": "Still there?"})
            assert result.metadata["info"]["steps"] == 3.0

    asyncio.run(wrong())


def test_a_limit_truncates_and_the_end_stays(server):
    with TauEmotionClient(base_url=server).sync() as client:
        client.reset(**ROWS[1])
        for _ in range(100):
            result = client.step(ServiceAction(name="calculate", arguments={"expression": "1"}))
        assert result.done
        assert result.reward == 0.0
        assert result.metadata["outcome"] == "step_limit"
        assert result.metadata["truncated"] is True
        again = client.step(ServiceAction(message="Hello?"))
        assert (again.done, again.metadata) == (True, result.metadata)
        assert client.reset(**ROWS[1]).done is False


def test_state_and_tasks_can_be_asked_for(server):
    with TauEmotionClient(base_url=server).sync() as client:
        client.reset(index=3, split="train", episode_id="mine")
        client.step(ServiceAction(message="How can I help?"))
        state = client.state()
        assert (state.episode_id, state.step_count, state.task_id) == ("mine", 1, "train-0-3")
        assert (state.domain, state.outcome) == ("library", "")
        assert state.episode_seed == rows(TOY, 1, first=3)[0]["episode_seed"]


def test_one_session_too_many_is_refused_and_places_are_given_back(server):
    async def crowd():
        clients = [TauEmotionClient(base_url=server) for _ in range(SESSIONS)]
        await asyncio.gather(*[client.connect() for client in clients])
        await asyncio.gather(*[client.reset(**row) for client, row in zip(clients, ROWS, strict=True)])
        with pytest.raises(RuntimeError, match="CAPACITY_REACHED"):
            async with TauEmotionClient(base_url=server) as late:
                await late.reset()
        await asyncio.gather(*[client.close() for client in clients])
        async with TauEmotionClient(base_url=server) as client:
            await client.reset()

    asyncio.run(crowd())


def test_sessions_that_fell_silent_give_their_place_back():
    async def silent(url):
        async with TauEmotionClient(base_url=url) as lost:
            await lost.reset()
            for _ in range(100):
                await asyncio.sleep(0.2)
                try:
                    async with TauEmotionClient(base_url=url) as late:
                        return (await late.reset()).done
                except RuntimeError as error:
                    if "CAPACITY_REACHED" not in str(error):
                        raise
        return None

    with serving("--sessions", "1", "--session-timeout", "1") as url:
        assert asyncio.run(silent(url)) is False


def test_rows_go_over_the_wire_as_they_are():
    assert json.loads(json.dumps(ROWS[0])) == ROWS[0]


def test_a_range_of_tasks_is_its_tasks_one_by_one():
    env = ServiceEnvironment(Desk(TOY))
    for split in ("train", "test"):
        own = [env.get_task(split, index) for index in range(2, 5)]
        assert env.get_task_range(split, 2, 5) == own
    assert env.get_task_range("train", -1) == [env.get_task("train", env.num_tasks("train") - 1)]
    assert env.get_task_range("train", 5, 2) == []
