"""Which moves cost the customer's patience, and that necessary ones never do."""

import pytest

from tau_emotion_gym.emotions import CONDITIONS, NECESSARY_MOVES, Event
from tau_emotion_gym.episode import Episode, UserReply, call, respond
from tau_emotion_gym.episode.events import Ledger, states
from tau_emotion_gym.kit import Fact, load, names
from tau_emotion_gym.users.lines import LINES
from tau_emotion_gym.users.voice import voice

FROZEN = sorted({voice(CONDITIONS[300]).behave("freeze", seed=1, turn=turn) for turn in range(40)})


def after(library, task, *moves):
    """The events of the last message after a dialogue of (agent message, user reply) and calls."""
    episode = Episode(library, task, CONDITIONS[-1])
    episode.open()
    episode.hear(UserReply("I need something done."))
    events = ()
    for move in moves:
        if isinstance(move, tuple):
            events = episode.act(respond(move[0])).events
            episode.hear(UserReply(move[1]))
        else:
            episode.act(move)
    return set(events)


def identity(task):
    return " ".join(fact.spoken for fact in task.identity)


@pytest.fixture
def task(find_task):
    return find_task("renew")


def ask(library, *slots):
    return " ".join(library.slots[slot].ask[0] for slot in slots)


def test_authentication_and_asking_again_for_the_unanswered_cost_nothing(library, task):
    slots = [fact.slot for fact in task.identity]
    events = after(library, task, (ask(library, *slots), "Why?"), (ask(library, *slots), "Because?"))
    assert events <= NECESSARY_MOVES


def test_asking_for_what_was_said_is_redundant(library, task):
    slots = [fact.slot for fact in task.identity]
    events = after(library, task, (ask(library, *slots), identity(task)), (ask(library, *slots), "Again?"))
    assert Event.REDUNDANT_QUESTION in events


def test_asking_once_more_for_what_the_customer_does_not_know_is_redundant(library, task):
    unknown = next(s for s in library.slots if s not in {f.slot for f in (*task.identity, *task.goals[0].facts)})
    question = ask(library, unknown)
    assert Event.REDUNDANT_QUESTION not in after(library, task, (question, "I don't know."))
    assert Event.REDUNDANT_QUESTION in after(library, task, (question, "I don't know."), (question, "Still not."))


def test_a_necessary_confirmation_is_free_and_a_second_one_after_yes_is_not(library, task):
    propose = f"To confirm: {task.goals[0].script.propose} Shall I go ahead?"
    assert Event.CONFIRMATION_REQUEST in after(library, task, (propose, "Hold on."))
    assert Event.CONFIRMATION_REQUEST in after(library, task, (propose, "Hold on."), (propose, "Hm."))
    assert Event.REDUNDANT_QUESTION in after(library, task, (propose, "Yes."), (propose, "Yes!"))


def test_progress_needs_a_call_that_worked(library, task):
    identify = call(task.identify.name, **task.identify.arguments)
    assert Event.PROGRESS in after(library, task, identify, ("I found you.", "Good."))
    broken = call(task.identify.name)
    assert Event.PROGRESS not in after(library, task, broken, ("I found you.", "Good."))


def test_silence_starts_three_calls_after_the_reference(library, task):
    episode = Episode(library, task, CONDITIONS[-1])
    episode.open()
    episode.hear(UserReply("Hello"))
    for _ in range(len(task.calls) + 3):
        episode.act(call(task.identify.name, **task.identify.arguments))
    assert episode.events[Event.LONG_SILENCE] == 0
    episode.act(call(task.identify.name, **task.identify.arguments))
    assert episode.events[Event.LONG_SILENCE] == 1


def test_empty_and_waiting_messages_stall(library, task):
    assert Event.STALLING in after(library, task, ("", "?"))
    assert Event.STALLING in after(library, task, ("One moment please.", "?"))


def test_refusals_tone_and_length_are_noticed(library, task):
    assert Event.REFUSAL_WITH_REASON in after(
        library, task, ("I can't renew it because it was renewed twice already.", "Oh.")
    )
    assert Event.DISMISSIVE in after(library, task, ("Calm down. What is it?", "Excuse me?"))
    assert Event.OVERLONG_MESSAGE in after(library, task, ("The library is open. " * 80, "I see."))
    assert Event.ACKNOWLEDGEMENT in after(library, task, ("I'm so sorry about this, I understand.", "Thanks."))


def test_a_fact_counts_as_said_only_as_whole_words():
    ledger = Ledger([Fact("bags", "3"), Fact("zip", "12345")])
    ledger.hear("My number is 30 and 123456.")
    assert ledger.said == 0
    ledger.hear("The ZIP is 12345.")
    assert ledger.said == 0b10
    ledger.hear("3, thanks.")
    assert ledger.said == 0b11


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [("a #r12.", "#r12", True), ("a #r123", "#r12", False), ("rat", "a", False), ("a rat", "rat", True)],
)
def test_states(text, phrase, found):
    assert states(text, phrase) is found


def test_one_thing_at_a_time_drips_and_asking_again_does_not(library, find_task):
    task = find_task("renew")
    slots = [fact.slot for fact in (*task.identity, *task.goals[0].facts)]
    ledger = Ledger([*task.identity, *task.goals[0].facts, Fact("extra", "x"), Fact("more", "y")])

    def asked(*names):
        return ledger.questions(names, library.slots, identified=False, acted=False)

    for _ in range(4):
        assert Event.DRIPPED_QUESTION not in asked(slots[0])
    assert Event.DRIPPED_QUESTION not in asked("extra")
    assert Event.DRIPPED_QUESTION in asked("more")


def test_asking_again_for_what_a_customer_could_not_bring_out_costs_nothing(library, task):
    unknown = next(s for s in library.slots if s not in {f.slot for f in (*task.identity, *task.goals[0].facts)})
    question = ask(library, unknown)
    puts_off = [(question, text) for text in FROZEN]
    assert after(library, task, *puts_off, (question, "I don't know.")) <= NECESSARY_MOVES | {Event.AVOIDABLE_QUESTION}
    for says in ("No idea.", library.slots[unknown].unknown[0]):
        assert Event.REDUNDANT_QUESTION in after(library, task, *puts_off, (question, says), (question, "?"))


def test_every_way_of_not_knowing_is_understood():
    for name in names(added=False):
        for slot in load(name).slots.values():
            for says in (*slot.unknown, *LINES.do_not_know):
                ledger = Ledger([])
                for expected in ([], [Event.REDUNDANT_QUESTION]):
                    found = ledger.questions([slot.name], {slot.name: slot}, identified=False, acted=False)
                    assert found == expected, (name, slot.name, says)
                    ledger.hear(says)


def test_a_confirmation_of_something_else_than_what_was_agreed_is_necessary(library, find_task):
    task = find_task("renew", "pay", reveal="together")
    first, second = (f"To confirm: {goal.script.propose} Shall I go ahead?" for goal in task.goals)
    assert Event.CONFIRMATION_REQUEST in after(library, task, (first, "Yes."), (second, "Yes."))
    assert Event.REDUNDANT_QUESTION in after(library, task, (first, "Yes."), (first, "Yes!"))


def repeated(library, task, text, times, condition=CONDITIONS[-1]):
    """The episode after the same message so many times, with a user who only waits."""
    episode = Episode(library, task, condition)
    episode.open()
    episode.hear(UserReply("I need something done."))
    for _ in range(times):
        request = episode.act(respond(text))
        if request.leaving:
            break
        episode.hear(UserReply("And?"))
    return episode, request


@pytest.mark.parametrize(
    "text",
    [
        "How can I help you today?",
        "What is your favourite colour?",
        "I can offer you a coupon instead.",
        "It's done. I have renewed it.",
        "The library is open until 8:00.",
        "I'm so sorry to hear that. How can I help you today?",
    ],
)
def test_a_message_that_moves_nothing_wears_out_at_the_second_time(library, task, text):
    episode, _ = repeated(library, task, text, 2)
    assert episode.events[Event.STALLING] == 1
    assert repeated(library, task, text, 40)[1].leaving


def test_kindness_counts_once_until_something_moves(library, task):
    episode, _ = repeated(library, task, "I'm so sorry to hear that. How can I help you today?", 3)
    assert episode.events[Event.ACKNOWLEDGEMENT] == 1
    episode.act(call(task.identify.name, **task.identify.arguments))
    episode.act(respond("I'm so sorry. I found you."))
    assert episode.events[Event.ACKNOWLEDGEMENT] == 2


def test_news_and_a_closing_line_in_two_messages_are_no_stalling(library, task):
    identify = call(task.identify.name, **task.identify.arguments)
    assert Event.STALLING not in after(library, task, identify, ("Your loan is due on May 3.", "Good."))


def test_asking_for_a_yes_to_nothing_in_particular_wears_out(library, task):
    assert repeated(library, task, "Shall I go ahead?", 40)[1].leaving


def test_the_same_request_after_a_no_is_redundant_and_after_a_pause_it_is_not(library, task):
    wrong = "To confirm: I will charge your card to pay all your fees. Shall I go ahead?"
    no, pause = (wrong, "No, I didn't ask for that."), (wrong, "Hold on, let me think.")
    assert Event.REDUNDANT_QUESTION in after(library, task, no, (wrong, "No!"))
    assert Event.REDUNDANT_QUESTION not in after(library, task, pause, (wrong, "Hm."))


def test_a_greeting_is_free_once(library, task):
    hello = ("Hello! You have reached the library.", "Hi.")
    assert Event.STALLING not in after(library, task, hello)
    assert Event.STALLING in after(library, task, hello, hello)
