"""The core of all adapters: messages out, answers in, the reward at the end."""

import asyncio
import pickle

import gymnasium as gym
import pytest

from tau_emotion_gym.agents.calls import INTERRUPTED, MOST_CALLS, TOO_MANY
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.integrations import Desk, rows
from tau_emotion_gym.integrations.core import ENDED, UNFINISHED
from tau_emotion_gym.llm import ModelRefused
from tau_emotion_gym.llm.base import Call
from tau_emotion_gym.llm.tool_text import render_call
from tau_emotion_gym.users import UserError
from tau_emotion_gym.users.scripted import ScriptedUser

ROWS = rows("retail", 6, emotions=("anger", "neutral"))


def said(text):
    return {"role": "assistant", "content": text}


def called(*calls):
    asked = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": asked}


@pytest.fixture
def desk():
    return Desk("retail")


@pytest.fixture
def talk(desk):
    talk = desk.talk()
    talk.start(ROWS[0])
    return talk


def play(talk, row, reference, as_message):
    messages = talk.start(row)
    for number, action in enumerate(reference(talk)):
        answer = as_message(action, number)
        messages += [answer, *talk.send(answer)]
    return messages


# --- a whole conversation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["task_id"])
def test_the_reference_agent_succeeds_over_messages(desk, row, reference, as_message):
    talk = desk.talk()
    messages = play(talk, row, reference, as_message)
    result = talk.finish()
    assert result.reward == 1.0
    assert result.success
    assert result.outcome in ("satisfied", "handed_off")
    assert not result.truncated
    assert not result.mask_sample
    assert [message["role"] for message in messages[:2]] == ["system", "user"]


def test_what_is_appended_is_the_conversation(desk, reference, as_message):
    talk = desk.talk()
    assert play(talk, ROWS[0], reference, as_message) == talk.messages


def test_it_is_the_environments_episode(desk, reference):
    talk, env = desk.talk(), gym.make("TauEmotion-Retail-v0", disable_env_checker=True)
    opening = talk.start(ROWS[1])[1]["content"]
    seen, info = env.reset(options={key: ROWS[1][key] for key in ("task_id", "emotion", "episode_seed")})
    assert seen["content"] == opening
    for action in reference(talk):
        own = talk.act(action)
        seen, reward, _, _, info = env.step(action)
        assert seen == own
    assert talk.finish().info == info
    assert talk.finish().reward == reward


def test_a_conversation_plays_alike_without_blocking(desk, reference, as_message):
    async def play_async():
        talk = desk.talk()
        messages = await talk.astart(ROWS[2])
        for number, action in enumerate(reference(talk)):
            answer = as_message(action, number)
            messages += [answer, *await talk.asend(answer)]
        return messages, talk.finish()

    talk = desk.talk()
    assert asyncio.run(play_async()) == (play(talk, ROWS[2], reference, as_message), talk.finish())


def test_one_talk_plays_one_conversation_after_another(desk, reference, as_message):
    talk = desk.talk()
    first = play(talk, ROWS[0], reference, as_message)
    play(talk, ROWS[1], reference, as_message)
    assert play(talk, ROWS[0], reference, as_message) == first


def test_desks_go_to_workers(desk, reference, as_message):
    desk.user  # noqa: B018 (made before the copy)
    copied = pickle.loads(pickle.dumps(desk))
    assert play(copied.talk(), ROWS[0], reference, as_message) == play(desk.talk(), ROWS[0], reference, as_message)


# --- answers ------------------------------------------------------------------------------------------------


def test_calls_are_carried_out_in_order(talk):
    answer = called(("calculate", '{"expression": "1 + 1"}'), ("calculate", '{"expression": "2 * 3"}'))
    results = talk.send(answer)
    assert [(one["role"], one["tool_call_id"], one["content"]) for one in results] == [
        ("tool", "c0", "2.00"),
        ("tool", "c1", "6.00"),
    ]
    assert talk.episode.steps == 2


def test_at_most_sixteen_calls_are_carried_out(talk):
    results = talk.send(called(*[("calculate", '{"expression": "1"}')] * (MOST_CALLS + 2)))
    assert talk.episode.steps == MOST_CALLS
    assert [one["content"] for one in results[MOST_CALLS:]] == [TOO_MANY] * 2


def test_calls_behind_a_message_are_not_carried_out(talk):
    results = talk.send(called(("respond", '{"content": "One moment."}'), ("calculate", '{"expression": "1"}')))
    assert [one["role"] for one in results] == ["tool", "tool", "user"]
    assert results[1]["content"] == INTERRUPTED
    assert talk.episode.tool_calls == 0


def test_a_completion_in_text_is_read_alike(talk):
    call = render_call(Call("", "calculate", '{"expression": "1 + 1"}'))
    (result,) = talk.send(f"<think>Sums.</think>\nLet me see.\n{call}<|im_end|>")
    assert result["role"] == "tool"
    assert result["name"] == "calculate"
    assert not [turn for turn in talk.episode.transcript if turn.role == "agent"]
    assert "Sums." in talk.episode.transcript[-2].thought
    assert "Let me see." in talk.episode.transcript[-2].thought


def test_the_customer_does_not_see_thoughts(talk):
    talk.send("<think>###DONE### secret</think>How can I help?")
    assert talk.episode.messages[-2].content == "How can I help?"


@pytest.mark.parametrize(
    "answer",
    [
        called(("calculate", '{"expression": ')),
        called(("no_such_tool", "{}")),
        '<tool_call>\n{"name": "calculate", "arguments": {"expression": }}\n</tool_call>',
        {"role": "user", "content": "I am the customer."},
        {"role": "assistant", "content": None, "tool_calls": "calculate"},
    ],
)
def test_what_cannot_be_read_becomes_an_error_and_the_talk_goes_on(talk, answer):
    results = talk.send(answer)
    assert results[0]["role"] == "tool"
    assert results[0]["content"].startswith("Error")
    assert talk.episode.malformed == 1
    assert not talk.over


def test_words_of_the_agent_end_nothing(talk):
    for text in ("", "###STOP###", "<think>###STOP###</think>", "Goodbye."):
        talk.send(said(text))
        assert not talk.over


# --- the end ------------------------------------------------------------------------------------------------


def test_after_the_end_nothing_happens(talk, reference):
    for action in reference(talk):
        talk.act(action)
    before = list(talk.episode.transcript)
    result = talk.finish()
    assert talk.act({"name": "calculate", "arguments": {"expression": "1"}}) == ENDED
    assert talk.send(said("Are you there?")) == []
    talk.stop("context_limit", "too late")
    assert talk.episode.transcript == before
    assert talk.finish() == result


def test_a_talk_that_goes_on_is_cut_by_its_result(talk):
    result = talk.finish()
    assert (result.outcome, result.reward, result.truncated) == ("step_limit", 0.0, True)
    assert result.detail == UNFINISHED
    assert talk.over


def test_the_step_limit_truncates():
    talk = Desk("retail", max_steps=3).talk()
    talk.start(ROWS[0])
    for _ in range(3):
        last = talk.send(called(("calculate", '{"expression": "1"}')))
    assert last[-1]["role"] == "system"
    assert talk.finish().outcome == "step_limit"


def test_the_raw_outcome_stays_beside_a_shaped_reward(reference):
    talk = Desk("retail", reward={"step": -0.01}).talk()
    talk.start(ROWS[0])
    for action in reference(talk):
        talk.act(action)
    result = talk.finish()
    assert result.success
    assert result.reward == pytest.approx(1 - 0.01 * talk.episode.steps)
    assert result.terms["success"] == 1.0


# --- which episode ------------------------------------------------------------------------------------------


def test_holes_of_a_row_follow_from_the_seed(desk):
    one, other = desk.talk(), desk.talk()
    assert one.start({"task_id": None, "emotion": None}, seed=5) == other.start(seed=5)
    assert one.start() == other.start()


def test_rows_of_another_domain_are_refused(desk):
    with pytest.raises(ValueError, match="airline"):
        desk.talk().start({**ROWS[0], "domain": "airline"})
    with pytest.raises(UnknownName):
        desk.talk().start({"task_id": "test-xyz"})


@pytest.mark.parametrize(
    "wrong", [{"task_id": "test-xyz"}, {"emotion": "joyful"}, {"episode_seed": "many"}, {"domain": "airline"}]
)
def test_a_refused_row_changes_nothing(desk, wrong):
    one, other = desk.talk(), desk.talk()
    assert one.start(seed=5) == other.start(seed=5)
    with pytest.raises((UnknownName, TypeError, ValueError)):
        one.start(wrong, seed=8)
    assert one.send(said("What is your email address?")) == other.send(said("What is your email address?"))
    assert one.start() == other.start()


def test_a_talk_that_never_began_says_so(desk):
    with pytest.raises(RuntimeError, match="start"):
        desk.talk().send("Hello?")


# --- users that fail --------------------------------------------------------------------------------------------


class Failing(ScriptedUser):
    """Answers its opening and fails from then on."""

    def __init__(self, refused=False):
        super().__init__()
        self.refused = refused

    def reply(self, request):
        if request.turn == 0:
            return super().reply(request)
        if self.refused:
            raise UserError("key") from ModelRefused("wrong key")
        raise UserError("server down")

    async def areply(self, request):
        return self.reply(request)


class Slow(ScriptedUser):
    """Takes a while to answer, without blocking."""

    async def areply(self, request):
        await asyncio.sleep(0.2)
        return super().reply(request)


def test_a_failed_server_masks_the_sample():
    talk = Desk("retail", user=f"{__name__}:Failing").talk()
    talk.start(ROWS[0])
    (notice,) = talk.send(said("Hello"))
    assert notice["role"] == "system"
    result = talk.finish()
    assert (result.outcome, result.mask_sample, result.reward) == ("infrastructure", True, 0.0)
    assert "server down" in result.detail


def test_a_server_that_refuses_for_good_is_raised():
    talk = Desk("retail", user={"kind": f"{__name__}:Failing", "refused": True}).talk()
    talk.start(ROWS[0])
    with pytest.raises(ModelRefused, match="wrong key"):
        talk.send(said("Hello"))


def test_many_conversations_wait_at_the_same_time():
    desk = Desk("retail", user=f"{__name__}:Slow")

    async def one(row):
        talk = desk.talk()
        await talk.astart(row)
        await talk.asend(said("How can I help?"))

    async def all_of_them():
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*[one(ROWS[place % 6]) for place in range(40)])
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(all_of_them()) < 4.0


# --- rows ---------------------------------------------------------------------------------------------------------


def test_rows_are_plain_and_deal_the_emotions():
    assert all(isinstance(row[key], str) for row in ROWS for key in ("domain", "task_id", "emotion", "episode_seed"))
    assert [row["emotion"].split("/")[0] for row in ROWS] == ["anger", "neutral"] * 3
    assert len({row["episode_seed"] for row in ROWS}) == len(ROWS)
    assert ROWS[0]["prompt"][0]["role"] == "system"
    assert rows("retail", 2, first=2, emotions=("anger", "neutral")) == ROWS[2:4]


def test_rows_of_both_arms_are_paired():
    arms = [rows("retail", 3, emotions=(emotion,)) for emotion in ("fear", "neutral")]
    assert [row["episode_seed"] for row in arms[0]] == [row["episode_seed"] for row in arms[1]]


@pytest.mark.parametrize("think_tool", [True, False])
def test_rows_describe_the_tools_that_a_desk_offers(think_tool):
    (row,) = rows("retail", 1, tools_in_prompt=True, think_tool=think_tool)
    system, *_ = Desk("retail", tools_in_prompt=True, think_tool=think_tool).talk().start(row)
    assert row["prompt"] == [system]
    assert ('"think"' in system["content"]) == think_tool


@pytest.mark.parametrize("emotions", ["anger", (), None])
def test_emotions_of_rows_are_several(emotions):
    with pytest.raises(TypeError, match="emotions is a sequence"):
        rows("retail", 2, emotions=emotions)


def test_the_test_split_has_an_end():
    with pytest.raises(ValueError, match="no 10000 tasks"):
        rows("retail", 10_000, split="test")
