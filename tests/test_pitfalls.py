"""Kinds of faults that neighbouring packages had, where no other test covers the kind."""

import ast
import pickle
from pathlib import Path
from types import SimpleNamespace

import gymnasium as gym
import msgspec
import pytest

import tau_emotion_gym
from tau_emotion_gym.agents import play
from tau_emotion_gym.agents.reference import ReferenceAgent
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.envs.spaces import ActionSpace
from tau_emotion_gym.episode import Episode, Outcome, Signal, UserReply, UserRequest, call, info, respond
from tau_emotion_gym.episode.scoring import tells
from tau_emotion_gym.kit import TRANSFER, Call, Fact, Output, load, names
from tau_emotion_gym.tasks import soundness
from tau_emotion_gym.tasks.arguments import Leaf, Step
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.users import ScriptedUser

SHIPPED = names(added=False)
HARSH = CONDITIONS[-1]


def opened(domain, task, condition=HARSH, **options) -> Episode:
    episode = Episode(domain, task, condition, **options)
    episode.hear(ScriptedUser().reply(episode.open()))
    return episode


# --- ground truth and reward -----------------------------------------------------------------------------


class Sparing(ReferenceAgent):
    """Makes no look-up but the one that identifies the customer."""

    def _run(self, calls):
        kept = [made for made in calls if made is self.task.identify or self.domain.tools[made.name].writes]
        yield from super()._run(kept)


class Talkative(ReferenceAgent):
    """Says that it hands over, and does not."""

    def _run(self, calls):
        for made in calls:
            yield (
                respond("I am transferring you to a human colleague now.")
                if made.name == TRANSFER
                else call(made.name, **made.arguments)
            )


def test_a_reference_is_one_way_and_not_the_only_one(library):
    for index in range(60):
        task = train_task(library, 11, index)
        score = play(Episode(library, task, None), ScriptedUser(), Sparing())
        assert score.strict_success, (task.id, score)


def test_talking_about_a_hand_off_is_none(library, find_task):
    for task in (find_task(last="lost"), find_task("stuck")):
        score = play(Episode(library, task, None, max_steps=30), ScriptedUser(), Talkative())
        assert not score.success
        assert not score.state_match
        assert any("hand_offs" in difference for difference in score.differences)


class Entry(msgspec.Struct, frozen=True):
    id: str
    day: str


@pytest.mark.parametrize(("day", "facts", "doubled"), [("1", (), True), ("2", (), False), ("1", ("A",), False)])
def test_of_two_records_that_fit_equally_none_can_be_expected(library, day, facts, doubled):
    listed = Step(SimpleNamespace(name="list_loans", value=(Entry("A", "1"), Entry("B", day))), [])
    chosen = Step(SimpleNamespace(name="renew_loan", value=None), [Leaf("loan_id", "loan", "A")])
    found = soundness.twin(library, [Fact("loan", value) for value in facts], [listed, chosen], 1)
    assert (found is not None) is doubled


@pytest.mark.parametrize(
    ("message", "output", "told"),
    [
        ("It costs 75 cents.", Output("money", "0.75"), True),
        ("It costs $0.75.", Output("money", "0.75"), True),
        ("It costs $1.75.", Output("money", "0.75"), False),
        ("$1, $2, $3, $4, $5 and $42.50", Output("money", "42.50"), True),
        ("$1, $2, $3, $4, $5, $6 and $42.50", Output("money", "42.50"), False),
        ("It goes back to your card, not to a voucher.", Output("choice", "card", options=("card", "voucher")), True),
        ("It is blue and not red.", Output("choice", "blue", options=("red", "blue", "green")), True),
        ("It is red, blue or green.", Output("choice", "blue", options=("red", "blue", "green")), False),
        ("It comes on March 5th.", Output("date", "2026-03-05"), True),
        ("It comes on 05/03/2026 or 3/5.", Output("date", "2026-03-05"), True),
        ("It comes on the 5 of March.", Output("date", "2026-03-05"), True),
        ("It comes on March 15.", Output("date", "2026-03-05"), False),
        ("It comes in March.", Output("date", "2026-03-05"), False),
        ("It comes on September *2*1.", Output("date", "2026-09-21"), True),
        ("It costs **$4**2.50.", Output("money", "42.50"), True),
    ],
)
def test_guessing_everything_is_telling_nothing(message, output, told):
    assert tells(message, output, 2026) is told


# --- conversation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["###STOP###", "Goodbye. ###STOP###", "###TRANSFER###", "<stop>", "/done", "[END]"])
def test_a_stop_token_of_the_agents_has_no_power(library, find_task, text):
    episode = opened(library, find_task("renew"))
    reply = ScriptedUser().reply(episode.act(respond(text)))
    assert reply.signal is Signal.CONTINUE
    episode.hear(reply)
    assert episode.outcome is None


@pytest.mark.parametrize("text", ["", " ", "\n\n", "<think>nothing but this</think>", "<think>cut off"])
def test_an_empty_message_is_a_legal_step(library, find_task, text):
    episode = opened(library, find_task("renew"))
    request = episode.act(respond(text))
    assert isinstance(request, UserRequest)
    assert request.transcript[-1].content.strip() == ""
    assert episode.hear(ScriptedUser().reply(request)).content
    assert (episode.steps, episode.tool_errors) == (1, 0)


def test_a_full_context_is_an_outcome_of_its_own(library, find_task):
    episode = opened(library, find_task("renew"))
    episode.stop("context_limit", "the model takes 4,096 tokens")
    assert episode.outcome is Outcome.CONTEXT_LIMIT
    found = info(episode)
    assert (found["outcome"], found["mask_sample"], found["tool_errors"]) == ("context_limit", 0.0, 0.0)
    assert episode.score().reward == 0.0


# --- determinism and isolation -----------------------------------------------------------------------------


def test_one_seed_is_one_episode_however_often(library):
    env = TauEmotionEnv(library.folder, emotion="random", split="train")
    results = []
    for _ in range(6):
        observation, found = env.reset(seed=7)
        results.append(pickle.dumps((observation, found, env.step(respond("Hello, what is your name?")))))
        env.reset()
    assert len(set(results)) == 1


CLOCKS = {"now", "today", "utcnow", "time", "monotonic", "perf_counter", "time_ns"}
CHANCES = {"random", "secrets", "uuid", "time"}
WITH_CLOCKS = {"llm", "rollouts", "integrations", "cli", "testing.py"}
"""What waits for servers and trainers, and measures how long; nothing in it decides what is played."""


def test_nothing_reads_a_clock_or_a_global_generator():
    """The domain's clock is the only one; `testing` looks at the global generators to see that they rest."""
    root = Path(tau_emotion_gym.__file__).parent
    for path in root.rglob("*.py"):
        area = path.relative_to(root).parts[0]
        if area in WITH_CLOCKS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import):
                assert not {alias.name.split(".")[0] for alias in node.names} & CHANCES, where
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in CHANCES, where
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                clock = isinstance(owner, ast.Name) and owner.id in ("datetime", "date", "time", "dt")
                assert not (clock and node.func.attr in CLOCKS), where


# --- tool calls --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SHIPPED, "library"])
def test_every_reference_call_lies_in_the_action_space(library, name):
    domain = library if name == "library" else load(name)
    space = ActionSpace(domain.offered())
    for task in domain.test_tasks.values():
        for made in task.calls:
            assert {"name": made.name, "arguments": made.arguments} in space, (task.id, made)


@pytest.mark.parametrize("name", [*SHIPPED, "library"])
def test_arguments_of_other_calls_never_raise(library, name):
    """Ids and amounts that exist but do not belong together: rules and tools answer, whatever the world holds."""
    domain = library if name == "library" else load(name)
    tasks = list(domain.test_tasks.values())
    made = [one for task in tasks for one in task.calls]
    for number, task in enumerate(tasks[:25]):
        episode = opened(domain, task, None, max_steps=10_000)
        for at, one in enumerate(made):
            other: Call = made[(at * 7 + number) % len(made)]
            if one.name == TRANSFER or (at + number) % 5:
                continue
            arguments = {**one.arguments, **{k: v for k, v in other.arguments.items() if k in one.arguments}}
            assert episode.act(call(one.name, **arguments)).role == "tool"


# --- Gymnasium ---------------------------------------------------------------------------------------------


def test_reset_and_close_in_any_order(library):
    env = TauEmotionEnv(library.folder)
    env.close()
    first = env.reset(seed=1)
    env.step(respond("Hello"))
    assert env.reset(seed=1) == first
    env.close()
    env.close()
    assert env.reset(seed=1) == first


def test_long_talks_are_seen_turn_by_turn(library):
    env = gym.wrappers.OrderEnforcing(TauEmotionEnv(library.folder, emotion=None))
    env.reset(seed=1)
    sizes = [len(env.step(respond("One moment, please."))[0]["content"]) for _ in range(40)]
    assert max(sizes[20:]) <= 2 * max(sizes[:20])


def test_the_same_reply_at_another_signal_is_the_users_alone(library, find_task):
    """An agent cannot end a conversation by what it says: only the user's signal does."""
    for signal, ends in ((Signal.CONTINUE, False), (Signal.SATISFIED, True)):
        episode = opened(library, find_task("renew"))
        episode.act(respond("You are satisfied now. Goodbye!"))
        episode.hear(UserReply("Goodbye!", signal))
        assert (episode.outcome is not None) is ends
