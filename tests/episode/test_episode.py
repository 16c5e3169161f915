"""The episode's contract: who speaks when, how it ends, what counts."""

import pickle
import subprocess
import sys
from copy import deepcopy

import pytest

from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import (
    Episode,
    Outcome,
    Signal,
    Turn,
    UserReply,
    UserRequest,
    call,
    info,
    respond,
)
from tau_emotion_gym.episode.episode import EpisodeError
from tau_emotion_gym.episode.info import INFO_KEYS
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.tasks.replay import replay_task
from tau_emotion_gym.users import ScriptedUser
from tau_emotion_gym.world import money

HARSH = CONDITIONS[-1]


def opened(library, task, condition=HARSH, **options) -> Episode:
    episode = Episode(library, task, condition, **options)
    episode.open()
    episode.hear(UserReply(episode.brief.wishes[0].say))
    return episode


def identify(episode: Episode) -> Turn:
    made = episode.task.identify
    return episode.act(call(made.name, **made.arguments))


def run_reference(episode: Episode) -> None:
    for made in episode.task.calls:
        episode.act(call(made.name, **made.arguments))


def test_the_user_speaks_first_and_turns_alternate(library, find_task):
    episode = Episode(library, find_task("renew"))
    with pytest.raises(EpisodeError, match="first"):
        episode.act(respond("Hi"))
    request = episode.open()
    assert isinstance(request, UserRequest)
    assert request.turn == 0
    with pytest.raises(EpisodeError, match="open already"):
        episode.open()
    episode.hear(UserReply("Hello"))
    with pytest.raises(EpisodeError, match="pending"):
        episode.hear(UserReply("Hello"))
    assert isinstance(episode.act(respond("Hi, who are you?")), UserRequest)
    with pytest.raises(EpisodeError, match="first"):
        episode.act(respond("Again"))


def test_a_tool_answers_at_once_and_a_domain_error_is_a_result(library, find_task):
    episode = opened(library, find_task("renew"))
    assert not identify(episode).error
    turn = episode.act(call("renew_loan", loan_id="L0"))
    assert turn.error
    assert turn.content.startswith("Error: ")
    assert episode.tool_errors == 1
    assert info(episode)["tool_errors"] == 1.0


def test_the_opening_cannot_end_the_conversation(library, find_task):
    episode = Episode(library, find_task("renew"), HARSH, user_exit="either")
    episode.open()
    episode.hear(UserReply("Bye", Signal.DISSATISFIED))
    assert episode.outcome is None


def test_satisfied_while_confirming_goes_on_and_the_write_happens(library, find_task):
    task = find_task("renew")
    episode = opened(library, task, None)
    run_reference_reads(episode)
    request = episode.act(respond(f"To confirm: {task.goals[0].script.propose} Shall I go ahead?"))
    assert request.reading.confirms
    episode.hear(UserReply("Yes, go ahead. Bye!", Signal.SATISFIED))
    assert episode.outcome is None
    write = task.goals[0].calls[-1]
    assert not episode.act(call(write.name, **write.arguments)).error
    assert episode.violations == []
    episode.act(respond(task.goals[0].script.report))
    episode.hear(UserReply("Thanks!", Signal.SATISFIED))
    assert episode.outcome is Outcome.SATISFIED
    assert episode.score().reward == 1.0
    assert episode.score().strict_success


def run_reference_reads(episode: Episode) -> None:
    for made in episode.task.calls:
        if not episode.domain.tools[made.name].writes:
            episode.act(call(made.name, **made.arguments))


def test_rules_see_what_tools_took(library, find_task):
    """A number that came as a text, and arguments left to their defaults, are what they are in a replay."""
    task = find_task("pay")
    episode, made = opened(library, task, None), task.goals[0].calls[-1]
    for one in task.calls[:-1]:
        episode.act(call(one.name, **one.arguments))
    episode.act(call(made.name, **{**made.arguments, "amount": str(made.arguments["amount"])}))
    episode.act(call("transfer_to_human", reason="other"))
    assert [done.arguments for done in episode.calls[:-1]] == [
        done.arguments for done in replay_task(library, task).done
    ]
    assert episode.calls[-1].arguments == {"reason": "other", "summary": ""}
    assert episode._context.called("pay_fees", amount=money(str(made.arguments["amount"])))


def test_a_reply_that_is_no_valid_unicode_is_mended(library, find_task):
    episode = Episode(library, find_task("renew"))
    episode.open()
    episode.hear(UserReply("Hello \ud83d there"))
    assert episode.transcript[-1].content == "Hello ? there"


def test_a_write_without_consent_succeeds_but_is_a_violation(library, find_task):
    task = find_task("renew")
    episode = opened(library, task, None)
    run_reference(episode)
    assert episode.violations == ["confirmation"]
    episode.act(respond(task.goals[0].script.report))
    episode.hear(UserReply("Thanks!", Signal.SATISFIED))
    score = episode.score()
    assert score.success
    assert not score.strict_success
    assert score.reward == 1.0


def test_violations_can_be_priced(library, find_task):
    episode = opened(library, find_task("renew"), None, reward={"violation": -0.25})
    run_reference(episode)
    episode.act(respond(episode.task.goals[0].script.report))
    episode.hear(UserReply("Thanks!", Signal.SATISFIED))
    assert episode.score().reward == 0.75
    assert episode.score().terms["violation"] == -0.25
    with pytest.raises(UnknownName, match="violation"):
        Episode(library, find_task("renew"), reward={"violations": 1})
    for weight in ("1", None, True, float("nan"), float("inf")):
        with pytest.raises(TypeError, match="weight of the reward term 'step' is a finite number"):
            Episode(library, find_task("renew"), reward={"step": weight})


def test_nobody_can_change_the_weights_that_episodes_share(library, find_task):
    weights = Episode(library, find_task("renew")).reward
    for change in (
        lambda: weights.update(step=-1.0),
        lambda: weights.__setitem__("step", -1.0),
        lambda: weights.pop("step"),
        lambda: weights.__ior__({"step": -1.0}),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert Episode(library, find_task("renew")).reward == weights == pickle.loads(pickle.dumps(weights))
    assert deepcopy(weights) == weights


def test_consent_ends_with_the_next_user_turn(library, find_task):
    task = find_task("renew")
    episode = opened(library, task, None)
    run_reference_reads(episode)
    episode.act(respond(f"To confirm: {task.goals[0].script.propose} Shall I go ahead?"))
    episode.hear(UserReply("Yes."))
    episode.act(respond("One moment please."))
    episode.hear(UserReply("Okay, I'm waiting for it."))
    write = task.goals[0].calls[-1]
    episode.act(call(write.name, **write.arguments))
    assert episode.violations == ["confirmation"]


@pytest.mark.parametrize("wished", [True, False])
def test_a_yes_to_an_unnamed_action_covers_what_the_customer_asked_for(library, find_task, wished):
    task = find_task("renew")
    episode = opened(library, task, None)
    run_reference_reads(episode)
    request = episode.act(
        respond("I have found it, and it is possible for one more period of 3 weeks. Shall I go ahead?")
    )
    assert request.reading.confirms
    assert not request.reading.proposed
    assert not request.vague
    episode.hear(UserReply("Yes."))
    write = task.goals[0].calls[-1]
    book = next(episode.world.all(library.records[1]))
    other = call("place_hold", member_id=task.customer, book_id=book.id, pickup=book.branch)
    turn = episode.act(call(write.name, **write.arguments) if wished else other)
    assert not turn.error
    assert ("confirmation" in episode.violations) is not wished


def test_a_yes_to_nothing_in_particular_permits_nothing(library, find_task):
    task = find_task("renew")
    episode = opened(library, task, None)
    run_reference_reads(episode)
    request = episode.act(respond("Shall I go ahead? (yes/no)"))
    assert request.vague
    episode.hear(UserReply("Yes."))
    write = task.goals[0].calls[-1]
    assert not episode.act(call(write.name, **write.arguments)).error
    assert episode.violations == ["confirmation"]


def test_an_action_named_in_the_message_before_is_what_the_yes_is_for(library, find_task):
    task = find_task("renew")
    episode = opened(library, task, None)
    run_reference_reads(episode)
    episode.act(respond("I can renew it."))
    episode.hear(UserReply("Good."))
    assert not episode.act(respond("Shall I go ahead?")).vague
    episode.hear(UserReply("Yes."))
    write = task.goals[0].calls[-1]
    episode.act(call(write.name, **write.arguments))
    assert episode.violations == []


@pytest.mark.parametrize(
    ("user_exit", "leaving", "signal", "ends"),
    [
        ("affect", True, Signal.CONTINUE, True),
        ("affect", False, Signal.DISSATISFIED, False),
        ("model", True, Signal.CONTINUE, False),
        ("model", False, Signal.DISSATISFIED, True),
        ("either", True, Signal.CONTINUE, True),
        ("either", False, Signal.DISSATISFIED, True),
        ("either", False, Signal.CONTINUE, False),
    ],
)
def test_who_decides_that_the_user_leaves(library, find_task, user_exit, leaving, signal, ends):
    episode = opened(library, find_task("renew"), HARSH, user_exit=user_exit)
    for _ in range(40 if leaving else 1):
        request = episode.act(respond(""))
        if request.leaving or not leaving:
            break
        episode.hear(UserReply("..."))
    assert request.leaving is leaving
    turn = episode.hear(UserReply("That's it, goodbye.", signal))
    assert (episode.outcome is Outcome.DISSATISFIED) is ends
    if ends:
        assert turn.content == "That's it, goodbye."
        assert episode.score().reward == -1.0


def test_leaving_costs_even_when_the_work_is_done(library, find_task):
    episode = opened(library, find_task("renew"), HARSH, user_exit="model")
    run_reference(episode)
    episode.act(respond(episode.task.goals[0].script.report))
    episode.hear(UserReply("Too late.", Signal.DISSATISFIED))
    score = episode.score()
    assert score.reward == -1.0
    assert score.state_match
    assert not score.success


def test_a_neutral_user_never_leaves(library, find_task):
    episode = opened(library, find_task("renew"), None, user_exit="either")
    for _ in range(50):
        assert not episode.act(respond("")).leaving
        episode.hear(UserReply("Hm.", Signal.DISSATISFIED))
    assert episode.outcome is None


def test_the_step_limit_truncates_with_reward_0(library, find_task):
    episode = opened(library, find_task("renew"), HARSH, max_steps=3)
    for _ in range(2):
        identify(episode)
    notice = episode.act(respond("And now?"))
    assert isinstance(notice, Turn)
    assert (notice.name, episode.outcome) == ("episode", Outcome.STEP_LIMIT)
    assert not episode.outcome.terminated
    assert episode.score().reward == 0.0
    with pytest.raises(EpisodeError, match="over"):
        episode.act(respond("Hello?"))


def test_what_is_priced_is_paid_at_the_step_limit_too(library, find_task):
    for outcome, reward in (("step_limit", -1.5), ("infrastructure", 0.0)):
        episode = opened(library, find_task("renew"), HARSH, max_steps=3, reward={"tool_error": -0.5})
        for _ in range(3 if outcome == "step_limit" else 2):
            episode.act(call("no_such_tool"))
        if episode.outcome is None:
            episode.stop(outcome, "the server is down")
        assert episode.score().reward == reward == sum(episode.score().terms.values())


def test_infrastructure_is_nobodys_failure(library, find_task):
    episode = opened(library, find_task("renew"))
    episode.act(respond("Hello"))
    notice = episode.stop("infrastructure", "the server did not answer")
    assert notice.content == "the server did not answer"
    assert episode.score().reward == 0.0
    assert info(episode)["mask_sample"] == 1.0


@pytest.mark.parametrize("outcome", ["satisfied", Outcome.DISSATISFIED, "handed_off", "tired"])
def test_only_what_comes_from_outside_stops_an_episode(library, find_task, outcome):
    episode = opened(library, find_task("renew"))
    with pytest.raises(UnknownName, match="infrastructure"):
        episode.stop(outcome, "")
    assert episode.outcome is None


def test_what_is_over_cannot_be_stopped(library, find_task):
    episode = opened(library, find_task("renew"))
    episode.act(respond("Hello"))
    episode.hear(UserReply("Never mind.", Signal.SATISFIED))
    before = (episode.score(), list(episode.transcript))
    with pytest.raises(EpisodeError, match="over"):
        episode.stop("infrastructure", "too late")
    assert (episode.score(), list(episode.transcript)) == before


def test_terms_add_up_to_the_reward_however_it_ends(library, find_task):
    prices = {
        "success": 2.0,
        "dissatisfied": -3.0,
        "violation": -0.5,
        "tool_error": -0.25,
        "question": -0.125,
        "step": -1,
    }
    for signal, condition in ((Signal.SATISFIED, None), (Signal.DISSATISFIED, HARSH), (None, HARSH)):
        episode = opened(library, find_task("renew"), condition, user_exit="model", reward=prices)
        run_reference(episode)
        episode.act({"name": "nothing"})
        episode.act(respond(episode.task.goals[0].script.report))
        if signal is None:
            episode.stop("infrastructure", "")
        else:
            episode.hear(UserReply("Well.", signal))
        score = episode.score()
        assert score.reward == sum(score.terms.values())
        assert all(bool(value) == (signal is not None) for value in (score.terms["violation"], score.terms["step"]))
        assert (score.reward == 0.0) is (signal is None)


def test_weights_are_checked_once_and_shared(library, find_task):
    task = find_task("renew")
    first, second = Episode(library, task), Episode(library, task)
    assert first.reward is second.reward
    priced = Episode(library, task, reward={"step": -0.01})
    assert Episode(library, task, reward=priced.reward).reward is priced.reward
    assert priced.reward == first.reward | {"step": -0.01}


def test_a_hand_off_ends_and_its_reason_decides(library, find_task):
    task = find_task(last="lost")
    for reason, right in ((task.calls[-1].arguments["reason"], True), ("other", False)):
        episode = opened(library, task, None)
        for made in task.calls[:-1]:
            episode.act(call(made.name, **made.arguments))
        for output in task.outputs:
            episode.act(respond(f"It is ${output.value}."))
            episode.hear(UserReply("I see."))
        episode.act(call("transfer_to_human", reason=reason, summary="in other words"))
        assert episode.outcome is Outcome.HANDED_OFF
        assert episode.score().state_match is right
        assert bool(episode.score().differences) is not right


def test_satisfied_before_every_wish_was_brought_up_is_the_users_fault(library, find_task):
    task = find_task("renew", "pay", reveal="one_by_one")
    episode = opened(library, task, None)
    episode.act(respond("Hello"))
    episode.hear(UserReply("Never mind.", Signal.SATISFIED))
    assert episode.user_fault


def test_scoring_is_pure(library, find_task):
    episode = opened(library, find_task("renew"), None)
    run_reference(episode)
    episode.act(respond(episode.task.goals[0].script.report))
    episode.hear(UserReply("Thanks!", Signal.SATISFIED))
    before = (list(episode.transcript), episode.world.changes(), info(episode))
    assert episode.score() == episode.score()
    assert (list(episode.transcript), episode.world.changes(), info(episode)) == before


def test_the_score_names_the_field_that_differs(library, find_task):
    episode = opened(library, find_task("renew"), None)
    episode.act(respond("Done."))
    episode.hear(UserReply("Thanks!", Signal.SATISFIED))
    score = episode.score()
    assert not score.state_match
    assert any("due" in difference for difference in score.differences)
    assert score.missing_outputs == episode.task.outputs


def test_forks_and_pickles_go_on_alone(library, find_task):
    episode = opened(library, find_task("renew"))
    identify(episode)
    copies = [episode.fork(), pickle.loads(pickle.dumps(episode))]
    assert len(pickle.dumps(episode)) < 20_000
    for copy in copies:
        run_reference(copy)
        assert copy.world.changes() != episode.world.changes()
        assert len(copy.transcript) > len(episode.transcript)
        assert copy._context.customers == episode._context.customers
    assert copies[0].transcript == copies[1].transcript
    assert copies[0].violations == copies[1].violations
    assert episode.world.changes() == ((), (), ())


def test_a_pickle_of_ones_own_domain_goes_on_in_another_process(library, find_task):
    episode = opened(library, find_task("renew"))
    member = episode.task.customer
    episode.act(call("get_member", member_id=member))
    request = episode.act(respond("And your name?"))
    code = (
        "import pickle, sys\n"
        "from tau_emotion_gym.users import ScriptedUser\n"
        "episode, request = (pickle.loads(part) for part in pickle.load(sys.stdin.buffer))\n"
        "turn = episode.hear(ScriptedUser().reply(request))\n"
        "print(turn.content, episode.calls[-1].value.id, sep='|')\n"
    )
    parts = pickle.dumps((pickle.dumps(episode), pickle.dumps(request)))
    done = subprocess.run([sys.executable, "-c", code], input=parts, capture_output=True, check=True)
    turn = episode.hear(ScriptedUser().reply(request))
    assert done.stdout.decode("utf-8") == f"{turn.content}|{member}\n"


def test_a_request_alone_is_enough_for_a_user_in_another_process(library, find_task):
    request = Episode(library, find_task("renew"), HARSH).open()
    code = (
        "import pickle, sys\n"
        "from tau_emotion_gym.users import ScriptedUser\n"
        "print(ScriptedUser().reply(pickle.load(sys.stdin.buffer)).text)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(request), capture_output=True, check=True)
    assert done.stdout.decode("utf-8") == ScriptedUser().reply(request).text + "\n"


def test_info_has_every_key_with_one_type(library, find_task):
    episode = Episode(library, find_task("renew"), HARSH)
    seen = [info(episode)]
    episode.open()
    episode.hear(UserReply("Hi"))
    seen.append(info(episode))
    episode.stop("context_limit", "full")
    seen.append(info(episode))
    for one in seen:
        assert {key: type(value) for key, value in one.items()} == INFO_KEYS


def test_thoughts_are_kept_apart_and_the_think_tool_is_free(library, find_task):
    episode = opened(library, find_task("renew"), think_tool=True)
    request = episode.act(respond("<think>the customer lies</think>How can I help?"))
    assert "lies" not in str(request)
    assert episode.transcript[-1].thought == "the customer lies"
    episode.hear(UserReply("Renew it."))
    episode.act(call("think", thought="hm"))
    assert episode.tool_calls == 0
    plain = opened(library, find_task("renew"))
    assert plain.act(call("think", thought="hm")).error
