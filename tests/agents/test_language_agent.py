"""What an agent with a language model behind it makes of the model's answers."""

import asyncio
import json
import pickle

import pytest
from puppets import Script, check_request

from tau_emotion_gym.agents import make_agent, play
from tau_emotion_gym.agents.base import ModelAgent
from tau_emotion_gym.agents.instructions import instructions, template
from tau_emotion_gym.agents.language import INTERRUPTED, MOST_CALLS, TOO_MANY, LanguageAgent
from tau_emotion_gym.episode import Episode, Outcome, Signal, UserReply, respond
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.llm import Call, Completion, ContextOverflow, ModelError, ModelRefused, Usage
from tau_emotion_gym.llm.options import BadOption
from tau_emotion_gym.users import ScriptedUser, UserError

SCRIPT = {"kind": "puppets:Script"}
HELLO = {"role": "user", "name": "user", "content": "Hello, I have a question."}


@pytest.fixture
def script():
    """`script(answer, …)`: what the model will answer; returns the list of what it is asked."""

    def prepare(*answers):
        Script.answers, Script.asked = list(answers), []
        return Script.asked

    return prepare


@pytest.fixture
def agent_of(library, find_task):
    """`agent_of(mode)`: a fresh agent on a task."""

    def fresh(mode="native", seed=7, **options):
        agent = LanguageAgent(SCRIPT, tool_mode=mode, **options)
        agent.reset(library, find_task("renew"), seed=seed)
        return agent

    return fresh


def result(content, name="tool"):
    return {"role": "tool", "name": name, "content": content}


def calls(*named, text="", **parts):
    return Completion(
        text, tuple(Call(f"id{i}", name, arguments) for i, (name, arguments) in enumerate(named)), **parts
    )


MODES = pytest.mark.parametrize("mode", ["native", "text"])


# --- messages and calls ---------------------------------------------------------------------------------


@MODES
def test_an_answer_without_calls_goes_to_the_customer(script, agent_of, mode):
    asked = script("Hello! What is it?", "")
    agent = agent_of(mode)
    assert agent.act(HELLO) == respond("Hello! What is it?")
    assert agent.act(HELLO) == respond("")
    assert [message["role"] for message in asked[1].messages] == ["system", "user", "assistant", "user"]
    assert agent.asides == {}


@MODES
def test_calls_are_carried_out_in_order_and_text_beside_them_is_kept_back(script, agent_of, mode):
    asked = script(calls(("find", '{"a": 1}'), ("look", '{"b": "x"}'), text="One moment.", reasoning="Hm."), "Done.")
    agent = agent_of(mode)
    assert agent.act(HELLO) == {"name": "find", "arguments": {"a": 1}}
    assert agent.act(result("first")) == {"name": "look", "arguments": {"b": "x"}}
    assert len(asked) == 1
    assert agent.act(result("second")) == respond("Done.")
    assert agent.asides == {0: "Hm.\nOne moment."}
    told = json.dumps(asked[1].messages[1:])
    assert told.index("One moment.") < told.index("first") < told.index("second")
    assert "Hm." not in told


def test_native_calls_keep_their_ids_and_results_carry_them(script, agent_of):
    script(calls(("find", "{}"), ("look", "{}")), calls(("again", "{}")), Completion("", (Call("", "x", "{}"),)), "Bye")
    agent = agent_of()
    for observation in (HELLO, *map(result, "1234")):
        agent.act(observation)
    made = [call["id"] for message in agent.messages for call in message.get("tool_calls", ())]
    assert made[:2] == ["id0", "id1"]
    assert len(set(made)) == 4
    assert all(made)
    results = [(m["tool_call_id"], m["content"]) for m in agent.messages if m["role"] == "tool"]
    assert results == list(zip(made, "1234", strict=True))


def test_in_text_mode_tools_stand_in_the_prompt_and_results_in_one_message(script, agent_of, library):
    written = 'I look.\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call><tool_call>{"name": "b"}</tool_call>'
    asked = script(written, "Done.")
    agent = agent_of("text")
    agent.act(HELLO)
    agent.act(result("one"))
    agent.act(result("two"))
    assert not asked[0].tools
    system = asked[0].messages[0]["content"]
    assert system.startswith(instructions(library))
    for tool in library.offered():
        assert json.loads(next(line for line in system.splitlines() if f'"name":"{tool.name}"' in line)) == tool.schema
    assert asked[1].messages[2:] == (
        {"role": "assistant", "content": written},
        {
            "role": "user",
            "content": "<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>",
        },
    )


def test_native_tools_are_those_that_the_domain_offers(script, agent_of, library):
    asked = script("a", "b")
    agent_of().act(HELLO)
    agent_of(think_tool=True).act(HELLO)
    assert list(asked[0].tools) == [tool.schema for tool in library.offered()]
    assert list(asked[1].tools) == [tool.schema for tool in library.offered(think_tool=True)]


def test_calls_that_the_server_left_in_the_text_count_as_native_ones(script, agent_of):
    asked = script('Sure. <tool_call>{"name": "find", "arguments": {"a": 1}}</tool_call>', "Done.")
    agent = agent_of()
    assert agent.act(HELLO) == {"name": "find", "arguments": {"a": 1}}
    agent.act(result("found"))
    assistant = asked[1].messages[2]
    assert assistant["content"] == "Sure."
    assert assistant["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"a": 1}'}
    assert agent.asides == {0: "Sure."}


@MODES
def test_of_very_many_calls_the_first_are_carried_out_and_each_gets_an_answer(script, agent_of, mode):
    asked = script(calls(*[(f"t{i}", "{}") for i in range(MOST_CALLS + 3)]), "Done.")
    agent = agent_of(mode)
    made = [agent.act(HELLO)] + [agent.act(result(f"result {i}")) for i in range(MOST_CALLS)]
    assert [action["name"] for action in made] == [f"t{i}" for i in range(MOST_CALLS)] + ["respond"]
    told = "\n".join(message["content"] or "" for message in asked[1].messages)
    assert told.count(TOO_MANY) == 3
    assert told.index(f"result {MOST_CALLS - 1}") < told.index(TOO_MANY)


@MODES
def test_a_message_sent_as_a_call_ends_the_other_calls(script, agent_of, mode):
    names_ = [("respond", '{"content": "Hi"}'), *[(f"t{i}", "{}") for i in range(MOST_CALLS)]]
    asked = script(calls(*names_), "Yes?")
    agent = agent_of(mode)
    assert agent.act(HELLO) == respond("Hi")
    assert agent.act(HELLO | {"content": "And now?"}) == respond("Yes?")
    told = [message["content"] or "" for message in asked[1].messages]
    assert "\n".join(told).count(INTERRUPTED) == MOST_CALLS - 1
    assert "\n".join(told).count(TOO_MANY) == 1
    assert told[-1].endswith("And now?")


# --- what cannot be read ----------------------------------------------------------------------------------

BROKEN = [
    ('{"loan_id": "L1"', '{"loan_id": "L1"'),
    ('{"loan_id": "L1"}{"loan_id": "L2"}', '{"loan_id": "L1"}{"loan_id": "L2"}'),
    ("{'loan_id': 'L1'}", "{'loan_id': 'L1'}"),
    ('["L1"]', '["L1"]'),
    ('{"fee": NaN}', '{"fee": NaN}'),
    ("[" * 5000, "[" * 5000),
    ("", {}),
    ('{"loan_id": "L1"}', {"loan_id": "L1"}),
]


@pytest.mark.parametrize(("written", "arguments"), BROKEN)
@MODES
def test_arguments_that_are_no_object_go_on_as_they_are(script, agent_of, mode, written, arguments):
    asked = script(calls(("renew_loan", written), finish="length"), "Sorry.")
    agent = agent_of(mode)
    assert agent.act(HELLO) == {"name": "renew_loan", "arguments": arguments}
    agent.act(result("Error: …"))
    assert len(asked) == 2


@MODES
def test_a_broken_call_is_an_error_turn_that_the_model_sees(script, library, find_task, mode):
    broken = Completion('<tool_call>{"name": "renew_loan", "arguments": {"loan', finish="length")
    asked = script(broken, ModelError("enough"))
    episode = Episode(library, find_task("renew"))
    play(episode, ScriptedUser(), LanguageAgent(SCRIPT, tool_mode=mode))
    assert episode.malformed == 1
    assert episode.transcript[-2].error
    assert "not valid JSON" in asked[1].messages[-1]["content"]


NASTY = [
    Call("", "", ""),
    Call("\ud800", "\ud800", '"\ud800"'),
    Call("i" * 500, "n" * 500, "null"),
    Call("x", "Finde Bücher!\n", '"{}"'),
    Call("x", "think", "{}"),
]


@MODES
@pytest.mark.parametrize("nasty", NASTY)
def test_nothing_that_a_model_calls_makes_the_next_request_invalid(script, library, find_task, mode, nasty):
    asked = script(Completion("\ud800", (nasty, nasty)), ModelError("enough"))
    episode = Episode(library, find_task("renew"))
    play(episode, ScriptedUser(), LanguageAgent(SCRIPT, tool_mode=mode))
    assert episode.malformed == 2
    assert len(asked) == 2


# --- thoughts ---------------------------------------------------------------------------------------------


@MODES
def test_thoughts_stay_while_tools_are_used_and_go_when_the_customer_writes(script, agent_of, mode):
    thinking = '<think>I wonder.</think>\n<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>'
    asked = script(thinking, "<think>Now I know.</think>It is so.", "Bye.")
    agent = agent_of(mode)
    agent.act(HELLO)
    assert agent.act(result("found")) == respond("<think>Now I know.</think>It is so.")
    agent.act(HELLO | {"content": "Thanks"})
    assert "I wonder." in json.dumps(asked[1].messages)
    later = json.dumps(asked[2].messages)
    assert "I wonder." not in later
    assert "Now I know." not in later
    assert "It is so." in later
    assert "<think>I wonder.</think>" in json.dumps(asked[1].messages), "what was asked must not change afterwards"


def test_the_customer_never_sees_a_thought(script, library, find_task):
    script("<think>A difficult one.</think>Hello.", "never closed</think>Hello again.", "<think>and", ModelError("end"))
    episode = Episode(library, find_task("renew"))
    play(episode, ScriptedUser(), LanguageAgent(SCRIPT))
    said = [turn for turn in episode.transcript if turn.role == "agent"]
    assert [turn.content for turn in said] == ["Hello.", "Hello again.", ""]
    assert [turn.thought for turn in said] == ["A difficult one.", "never closed", "and"]


# --- the end ----------------------------------------------------------------------------------------------


def test_calls_after_the_one_that_ended_the_episode_are_not_carried_out(script, library, find_task):
    hand_over = json.dumps({"reason": library.reasons[0], "summary": ""})
    asked = script(calls(("transfer_to_human", hand_over), ("calculate", '{"expression": "1"}')))
    episode = Episode(library, find_task("renew"))
    score = play(episode, ScriptedUser(), LanguageAgent(SCRIPT))
    assert score.outcome is Outcome.HANDED_OFF
    assert episode.tool_calls == len(asked) == 1


def test_after_a_notice_the_model_is_not_asked(script, agent_of):
    asked = script()
    agent = agent_of()
    assert agent.act(result("The server failed.", name="episode")) == respond("")
    assert asyncio.run(agent.aact(result("The server failed.", name="episode"))) == respond("")
    assert not asked


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(ModelError("no answer"), Outcome.INFRASTRUCTURE), (ContextOverflow("too long"), Outcome.CONTEXT_LIMIT)],
)
def test_a_model_that_fails_ends_the_episode(script, library, find_task, error, outcome):
    script("Hello.", error)
    episode = Episode(library, find_task("renew"))
    score = play(episode, ScriptedUser(), LanguageAgent(SCRIPT))
    assert (score.outcome, episode.detail, score.reward) == (outcome, str(error), 0.0)


def test_a_model_that_refuses_everything_is_an_error_for_whoever_plays(script, library, find_task):
    script(ModelRefused("wrong key"))
    with pytest.raises(ModelRefused, match="wrong key"):
        play(Episode(library, find_task("renew")), ScriptedUser(), LanguageAgent(SCRIPT))


class Refused(ScriptedUser):
    def reply(self, request):
        raise UserError("the user's model refused") from ModelRefused("wrong key")


def test_a_user_whose_model_refuses_everything_too(library, find_task):
    with pytest.raises(ModelRefused, match="wrong key"):
        play(Episode(library, find_task("renew")), Refused(), make_agent("reference"))


class Silent(ScriptedUser):
    def reply(self, request):
        return UserReply("", Signal.CONTINUE)


def test_a_user_without_an_opening_is_an_error_in_the_user(library, find_task):
    with pytest.raises(ValueError, match="opening is empty"):
        play(Episode(library, find_task("renew")), Silent(), make_agent("reference"))


# --- bookkeeping ------------------------------------------------------------------------------------------


def test_tokens_are_summed_and_a_reset_begins_anew(script, agent_of, library, find_task):
    script(*[Completion("Hm.", reasoning="why", usage=Usage(1, 10, 2))] * 2)
    agent = agent_of()
    agent.act(HELLO)
    agent.act(HELLO)
    assert agent.usage == Usage(2, 20, 4)
    assert agent.asides == {0: "why", 1: "why"}
    agent.reset(library, find_task("renew"))
    assert (agent.usage, agent.asides, len(agent.messages)) == (Usage(), {}, 1)


def test_sampling_seeds_follow_from_the_episodes_seed(script, agent_of):
    asked = script(*["Hm."] * 6)
    for seed in (1, 2, 1):
        agent = agent_of(seed=seed)
        agent.act(HELLO)
        agent.act(HELLO)
    seeds = [request.seed for request in asked]
    assert seeds[:2] == seeds[4:]
    assert len(set(seeds)) == 4


@MODES
def test_without_blocking_it_does_the_same(script, agent_of, mode):
    answers = [calls(("find", "{}"), ("look", "{}"), text="Wait."), "Done."]
    turns = [HELLO, result("1"), result("2")]
    asked = script(*answers)
    agent = agent_of(mode)
    actions = [agent.act(turn) for turn in turns]
    seen = list(asked)
    asked = script(*answers)
    other = agent_of(mode)

    async def converse():
        return [await other.aact(turn) for turn in turns]

    assert asyncio.run(converse()) == actions
    assert asked == seen
    assert (agent.usage, agent.asides) == (other.usage, other.asides)


def test_it_is_a_model_agent_that_pickles_and_describes_itself(script, agent_of):
    asked = script("Hi", "Hi")
    agent = agent_of()
    assert isinstance(agent, ModelAgent)
    assert not isinstance(make_agent("reference"), ModelAgent)
    pickle.loads(pickle.dumps(agent)).act(HELLO)
    agent.act(HELLO)
    assert asked[0] == asked[1]
    native, text = agent.describe(), agent_of("text").describe()
    assert native["model"] == {"model": "Script"}
    assert json.loads(json.dumps(native)) == native
    assert native["prompt"] != text["prompt"]
    assert (native["tool_mode"], text["tool_mode"]) == ("native", "text")


# --- configuration ----------------------------------------------------------------------------------------


def test_an_agent_by_name_and_flat_options():
    spec = {
        "kind": "openai",
        "model": "m",
        "base_url": "http://127.0.0.1:1/v1",
        "temperature": 0.5,
        "tool_mode": "text",
    }
    described = make_agent(spec).describe()
    assert described["tool_mode"] == "text"
    assert described["model"]["temperature"] == 0.5
    assert make_agent({"kind": "vllm", "model": "m", "think_tool": True}).describe()["think_tool"] is True
    assert make_agent({"kind": "llm", "model": SCRIPT}).describe()["model"] == {"model": "Script"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": "m", "tool_mod": "text"}, UnknownName, "did you mean 'tool_mode'"),
        ({"model": "m", "temprature": 1}, UnknownName, "did you mean 'temperature'"),
        ({"model": "m", "tool_mode": "xml"}, UnknownName, "valid: native, text"),
        ({"model": "m", "api_key": "sk-1"}, BadOption, "api_key_env"),
        ({"model": "m", "temperature": -1}, BadOption, "temperature"),
        ({"tool_mode": "text"}, BadOption, "model"),
    ],
)
def test_wrong_options_are_named_at_once(options, error, message):
    with pytest.raises(error, match=message) as caught:
        make_agent({"kind": "openai", **options})
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize("name", names(added=False))
def test_the_prompt_is_one_for_all_and_holds_the_policy(name):
    prompt = instructions(load(name))
    assert load(name).policy.strip() in prompt
    assert prompt.startswith(template().partition("{policy}")[0])
    assert "{" not in prompt


def test_check_request_finds_what_strict_servers_refuse(script, agent_of):
    asked = script(calls(("find", "{}")), "Done.")
    agent = agent_of()
    agent.act(HELLO)
    agent.act(result("found"))
    request = asked[1]
    check_request(request)
    for wrong in (request.messages[:-1], request.messages[:2] + request.messages[3:], request.messages[1:]):
        with pytest.raises((AssertionError, IndexError)):
            check_request(type(request)(wrong, request.tools))
