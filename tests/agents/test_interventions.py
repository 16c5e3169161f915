"""Interventions change what an agent asks, and nothing else."""

import asyncio

import pytest

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.agents.asking import joined, parts_of
from tau_emotion_gym.agents.base import ModelAgent
from tau_emotion_gym.agents.interventions import HOLDING, STILL_OPEN
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode, UserRequest, call, respond
from tau_emotion_gym.episode.brief import reader_of
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.kit import load, names
from tau_emotion_gym.llm import Usage
from tau_emotion_gym.users import ScriptedUser

DOMAINS = names(added=False)

KINDS = ("capped", "forced", "bundled", "split")


def conversation(agent, domain_name="retail", task_id="test-003", condition=None, steps=60):
    """An episode with an agent, at its end."""
    domain = load(domain_name)
    task = domain.test_tasks[task_id]
    episode = Episode(domain, task, condition, seed=3, max_steps=steps)
    agent.reset(domain, task)
    step, user = episode.open(), ScriptedUser()
    while episode.outcome is None:
        turn = episode.hear(user.reply(step)) if isinstance(step, UserRequest) else step
        if episode.outcome is None:
            step = episode.act(agent.act(turn.observation))
    return episode


def messages(episode):
    return [turn.content for turn in episode.transcript if turn.role == "agent"]


class Lines:
    """Says and does what it is given, one after the other, and keeps what it sees."""

    def __init__(self, *actions) -> None:
        self.actions = [respond(action) if isinstance(action, str) else action for action in actions]
        self.seen: list[str] = []

    def reset(self, domain, task) -> None:
        self.left = iter(self.actions)

    def act(self, observation):
        self.seen.append(observation["content"])
        return next(self.left, respond("That is all."))


def lines_agent(**_):
    return Lines("What is your email? What is your zip code?")


def wrapped(kind, inner, **options):
    """An intervention around an agent that exists."""
    made = make_agent({"kind": kind, "agent": "reference", **options})
    made.inner = inner
    domain = load("retail")
    made.reset(domain, domain.test_tasks["test-003"])
    return made


def says(agent, role, content, name="user"):
    action = agent.act({"role": role, "name": name, "content": content})
    return action["arguments"]["content"] if action["name"] == "respond" else action


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("domain", names(added=False))
def test_what_is_wrapped_stays_deterministic(domain, kind):
    def transcript():
        agent = make_agent({"kind": kind, "agent": "friction"})
        return [turn.content for turn in conversation(agent, domain, "test-011", CONDITIONS[100]).transcript]

    assert transcript() == transcript()


@pytest.mark.parametrize("kind", ["forced", "split"])
@pytest.mark.parametrize("domain", names(added=False))
def test_the_reference_agent_succeeds_under_harmless_interventions(domain, kind):
    for number in range(0, 100, 25):
        episode = conversation(make_agent({"kind": kind, "agent": "reference"}), domain, f"test-{number:03}")
        assert episode.score().strict_success


@pytest.mark.parametrize("domain", names(added=False))
def test_a_cap_holds(domain):
    for most in (0, 1, 2):
        agent = make_agent({"kind": "capped", "agent": "friction", "questions": most})
        episode = conversation(agent, domain, "test-020", steps=30)
        assert episode.events["necessary_question"] + episode.events["redundant_question"] <= most + sum(
            reader_of(episode.domain).read(text).confirms for text in messages(episode)
        )


def test_a_cap_that_is_not_reached_changes_nothing():
    plain = conversation(make_agent("friction"))
    capped = conversation(make_agent({"kind": "capped", "agent": "friction", "questions": 99}))
    assert capped.transcript == plain.transcript


def test_a_cap_leaves_the_rest_of_a_message():
    agent = wrapped("capped", Lines("Thanks! I found it. What is your email?", "And your zip code?"), questions=0)
    assert says(agent, "user", "Hi") == "Thanks! I found it."
    assert says(agent, "user", "Well?") == HOLDING


def test_a_cap_is_not_passed_by_a_list():
    asks = "Please give me:\n- your email\n- your zip code\n- your full name"
    agent = wrapped("capped", Lines(asks, "What is your email?"), questions=2)
    assert says(agent, "user", "Hi") == HOLDING
    assert says(agent, "user", "Well?") == "What is your email?"


def test_a_cap_keeps_requests_for_a_yes():
    asks = "To confirm: I will cancel order R1. Shall I go ahead?"
    agent = wrapped("capped", Lines(asks), questions=0)
    assert says(agent, "user", "Hi") == asks


def test_a_cap_allows_as_many_as_it_says_and_takes_lists_as_one():
    first = "Please give me:\n- your email\n- your zip code"
    agent = wrapped("capped", Lines(first, "What is your full name?"), questions=2)
    assert says(agent, "user", "Hi") == first
    assert says(agent, "user", "a@b.example, 12345") == HOLDING


@pytest.mark.parametrize(
    "change",
    [
        call("cancel_order", order_id="R1", reason="no_longer_needed"),
        {"name": "cancel_order", "arguments": '{"order_id": "R1", "reason": "no_longer_needed"}'},
    ],
)
def test_a_change_is_asked_for_first_and_made_after_a_yes(change):
    inner = Lines(change, "Done.")
    agent = wrapped("forced", inner)
    asked = says(agent, "user", "Cancel R1")
    reading = reader_of(load("retail")).read(asked)
    assert reading.confirms
    assert "cancel_order" in reading.proposed
    assert "R1" in asked
    assert says(agent, "user", "Yes, please.") == change
    assert says(agent, "tool", "{}", "cancel_order") == "Done."
    assert inner.seen == ["Cancel R1", "{}"]


def test_a_change_that_the_customer_declines_is_not_made():
    inner = Lines(call("cancel_order", order_id="R1", reason="no_longer_needed"), "All right.")
    agent = wrapped("forced", inner)
    says(agent, "user", "Hello")
    assert says(agent, "user", "No, not that one.") == "All right."
    assert "No, not that one." in inner.seen[-1]
    assert inner.seen[-1].startswith("Error")


def test_an_agent_that_asks_itself_is_not_made_to_ask_twice():
    plain = conversation(make_agent("reference"))
    assert conversation(make_agent({"kind": "forced", "agent": "reference"})).transcript == plain.transcript


def test_forcing_ends_changes_without_consent():
    before = after = 0
    for domain in DOMAINS:
        for number in range(0, 100, 20):
            before += len(conversation(make_agent("policy_ignorant"), domain, f"test-{number:03}").violations)
            agent = make_agent({"kind": "forced", "agent": "policy_ignorant"})
            after += len(conversation(agent, domain, f"test-{number:03}").violations)
    assert after < before / 2


def test_questions_are_held_and_asked_together():
    inner = Lines("What is your email?", "I see. What is your zip code?", call("list_products"), "Your name?")
    agent = wrapped("bundled", inner)
    assert says(agent, "user", "Hi")["name"] == "list_products"
    assert inner.seen == ["Hi", STILL_OPEN, STILL_OPEN]
    asked = says(agent, "tool", "[]", "list_products")
    assert all(part in asked for part in ("email", "zip code", "name"))


def test_what_is_said_beside_a_held_question_is_not_lost():
    inner = Lines("Your parcel is in Leeds. What is your email?", "Your parcel is in Leeds. What is your zip code?", "")
    agent = wrapped("bundled", inner)
    said = says(agent, "user", "Hi")
    assert said.count("Your parcel is in Leeds.") == 1
    assert said.startswith("Your parcel is in Leeds.")
    assert "email" in said
    assert "zip code" in said


def test_a_question_that_is_repeated_is_asked_once():
    agent = wrapped("bundled", Lines("What is your email?", "What is your email?"))
    assert says(agent, "user", "Hi") == "What is your email?"


def test_an_agent_that_only_asks_is_not_held_for_ever():
    agent = wrapped("bundled", Lines(*[f"What is your email, please, number {n}?" for n in range(50)]))
    assert "number 0" in says(agent, "user", "Hi")


def test_questions_are_asked_one_by_one_and_answered_together():
    inner = Lines("Hello! What is your email? What is your zip code?", "Thanks.")
    agent = wrapped("split", inner)
    assert says(agent, "user", "Hi") == "Hello! What is your email?"
    assert says(agent, "user", "a@b.example") == "What is your zip code?"
    assert says(agent, "user", "12345") == "Thanks."
    assert inner.seen == ["Hi", "a@b.example\n12345"]


@pytest.mark.parametrize(
    "text",
    [
        "One. Two? Three!",
        "Please tell me:\n1. your email\n2. your zip\n\nThank you.",
        "A line\n\nanother line\n- a list\n- of things",
        "No end",
        "“Quoted?” he said.",
        "Header:\n\n- a\n\n- b\nrest",
    ],
)
def test_parts_put_together_are_the_message(text):
    parts = parts_of(text, reader_of(load("retail")))
    assert "".join(joined(parts).split()) == "".join(text.split())


@pytest.mark.parametrize("action", [{"name": "respond"}, {"name": "respond", "arguments": "{"}, "text", None, {}])
@pytest.mark.parametrize("kind", KINDS)
def test_malformed_actions_pass(kind, action):
    inner = Lines()
    inner.actions = [action]
    assert wrapped(kind, inner).act({"role": "user", "name": "user", "content": "Hi"}) == action


class Model(Lines):
    """Looks like an agent with a model behind it."""

    def __init__(self, *actions) -> None:
        super().__init__(*actions)
        self.usage, self.asides = Usage(), {}

    def reset(self, domain, task, *, seed: int = 0) -> None:
        super().reset(domain, task)
        self.seed = seed
        self.usage = Usage(1, 10, 5)
        self.asides = {}

    async def aact(self, observation):
        self.asides[len(self.seen)] = f"thought {len(self.seen)}"
        return self.act(observation)

    def describe(self):
        return {"kind": "model"}


def model_agent(**_):
    return Model("What is your email?", call("list_products"), "Done.")


def test_an_agent_with_a_model_stays_one():
    agent = make_agent({"kind": "bundled", "agent": f"{__name__}:model_agent"})
    assert isinstance(agent, ModelAgent)
    domain = load("retail")
    agent.reset(domain, domain.test_tasks["test-003"], seed=9)
    assert agent.inner.seed == 9
    assert agent.usage == Usage(1, 10, 5)
    assert agent.describe() == {"kind": "bundled", "agent": {"kind": "model"}}
    action = asyncio.run(agent.aact({"role": "user", "name": "user", "content": "Hi"}))
    assert action["name"] == "list_products"
    assert agent.asides == {0: "thought 0\nthought 1"}


def test_an_agent_without_a_model_stays_one():
    agent = make_agent({"kind": "capped", "agent": "reference", "questions": 2})
    assert not isinstance(agent, ModelAgent)
    assert agent.describe() == {"kind": "capped", "questions": 2, "agent": "ReferenceAgent"}


def test_wrong_specifications_are_named():
    with pytest.raises(UnknownName, match="refrence"):
        make_agent({"kind": "capped", "agent": "refrence"})
    with pytest.raises(TypeError, match="questions is a whole number"):
        make_agent({"kind": "capped", "agent": "reference", "questions": -1})
    with pytest.raises(UnknownName, match="capped"):
        make_agent("caped")
