"""The audit's parts: what counts as known, exits, manner, agents' faults, rates, and result files from elsewhere."""

from decimal import Decimal

import msgspec
import pytest
from planting import Planted, played

from tau_emotion_gym.emotions import CONDITIONS, resolve
from tau_emotion_gym.episode import Signal, Turn, UserReply
from tau_emotion_gym.evaluation.audit import (
    AgentFault,
    EpisodeAudit,
    Finding,
    Kind,
    audit,
    audit_record,
    findings_of,
    talk_of,
    text_talk,
)
from tau_emotion_gym.evaluation.audit.known import Known
from tau_emotion_gym.evaluation.audit.numbers import days, sums
from tau_emotion_gym.evaluation.audit.report import summary
from tau_emotion_gym.kit import load, names


def said(*texts: str, knows=(), **settings):
    """A talk in which the customer writes these messages, an agent answering between them."""
    turns = []
    for text in texts:
        turns += [Turn("user", "user", text), Turn("agent", "respond", "I see.")]
    return text_talk("t", turns[:-1], knows=knows, **settings)


def kinds(talk) -> list[str]:
    return [str(finding.kind) for finding in findings_of(talk)]


def says(text: str, condition: int | None = 7, at: int = 1, task: str = "test-003", agent: str = "reference"):
    """A scripted conversation in which one message of the user is another."""
    user = Planted(at, lambda request, reply: (UserReply(text, reply.signal, reply.memory), text))
    return played("retail", task, agent, condition, user)


# --- what counts as known ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "R7100266", "#R7100266", "R-7100266", "r7100266", "7100266", "ends in 0266", "the order is R7100266, thanks",
        "555-1234567", "555 1234567", "my card ending in 4410", "ana@post.example", "ANA@POST.EXAMPLE", "zip 71431",
    ],
)  # fmt: skip
def test_known_identifiers_are_known_in_any_form(text):
    known = Known(
        ["R7100266", "555-1234567", "my Amex ending in 4410", "ana@post.example", "Oakdale, LA 71431", "0012"]
    )
    assert list(known.unknown_ids(text)) == [] or text.startswith("zip")


@pytest.mark.parametrize(
    "text",
    [
        "R7100267", "order number 7100267", "A7100266", "it ends in 0267", "555-1234568", "(555) 123 4568",
        "bo@post.example", "card_123999", "PIN 4711", "booking PP3Q2Z", "zip 71432", "reservation QWXZKB",
    ],
)  # fmt: skip
def test_unknown_identifiers_are_found(text):
    known = Known(["R7100266", "555-1234567", "my Amex ending in 4410", "ana@post.example", "Oakdale, LA 71431"])
    assert [found.value for found in known.unknown_ids(text)]


@pytest.mark.parametrize(
    "text",
    [
        "500 mg", "24/7", "at 9:30", "10,000 miles", "iPhone 14", "since 2019", "the 2nd time", "100%",
        "I AM FURIOUS NOW", "3 days", "COVID-19", "in 1990s style", "a 30-day limit", "5G", "20GB", "10am",
        "WHERE IS MY ORDER",
    ],
)  # fmt: skip
def test_other_figures_are_no_identifiers(text):
    assert list(Known([]).unknown_ids(text)) == []


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("on May 15", (0, 5, 15)), ("15 May 2026", (2026, 5, 15)), ("2026-05-15", (2026, 5, 15)),
        ("5/15/2026", (2026, 5, 15)), ("the 15th of May", (0, 5, 15)), ("May fifteenth", (0, 5, 15)),
        ("the twenty-first of June", (0, 6, 21)), ("15.05.2026", (2026, 5, 15)), ("by the 15th.", (0, 0, 15)),
        ("Sept. 3rd, 2026", (2026, 9, 3)), ("MAY 15", (0, 5, 15)),
    ],
)  # fmt: skip
def test_days_are_read(text, reading):
    assert [reading in day.readings for day in days(text)] == [True]


@pytest.mark.parametrize(
    "text", ["I may 2 times", "24/7", "May I go?", "in March", "for the 3rd time", "version 1.2.3"]
)
def test_other_words_are_no_days(text):
    assert list(days(text)) == []


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("$42.50", "42.50"), ("42 dollars", "42"), ("USD 42.50", "42.50"), ("forty-two dollars", "42"),
        ("a hundred bucks", "100"), ("1,250.00 dollars", "1250"), ("two hundred and five dollars", "205"),
        ("$1.2k", "1200"), ("42 dollars and 50 cents", "42.50"), ("€42", "42"),
    ],
)  # fmt: skip
def test_sums_are_read(text, amount):
    assert [found.amount for found in sums(text)] == [Decimal(amount)]


def test_sums_may_be_rounded_but_not_made_up():
    known = Known(["It was $247.83."])
    assert not list(known.unknown_sums("So $247.83, $248 or $247, about $250."))
    assert [found.value for found in known.unknown_sums("No, $250!")] == ["$250"]


def test_what_the_agent_said_may_be_repeated_and_what_it_did_not_say_may_not():
    turns = [
        Turn("user", "user", "Where is it?"),
        Turn("tool", "get_order", '{"id": "R9999999", "total": 77.10}'),
        Turn("agent", "respond", "Order R1234567 comes on June 3 and costs $20.10."),
        Turn("user", "user", "R1234567 on June 3 for $20.10? And R9999999 for $77.10?"),
    ]
    found = findings_of(text_talk("t", turns, knows=()))
    assert [(finding.kind, finding.turn) for finding in found] == [(Kind.INVENTED_ID, 3), (Kind.INVENTED_AMOUNT, 3)]


def test_an_invention_is_reported_once():
    assert kinds(said("It's R1234567.", "As I said, R1234567.")) == ["invented_id"]


# --- the other rules --------------------------------------------------------------------------------------


def test_another_name_and_another_choice_contradict():
    domain = load("retail")
    task = next(t for t in domain.test_tasks.values() if t.identity[0].slot == "name")
    record = says("My name is Wilma Testperson.", task=task.id)
    assert "contradiction" in [str(finding.kind) for finding in audit_record(record).findings]
    own = says(f"My name is {task.identity[0].value}.", task=task.id)
    assert "contradiction" not in [str(finding.kind) for finding in audit_record(own).findings]


def test_a_yes_that_ends_the_conversation_is_an_early_exit():
    def change(request, reply):
        asks = request.reading is not None and request.reading.confirms
        return (UserReply("Yes. Bye!", Signal.SATISFIED, reply.memory), "Bye") if asks else None

    record = played("retail", "test-003", "reference", 7, Planted(2, change))
    assert [finding.kind for finding in audit_record(record).findings] == [Kind.EARLY_EXIT]


def test_a_farewell_without_an_end_is_a_late_exit():
    talk = said("Cancel it, please.", "Thank you, goodbye!", "Goodbye.")
    assert kinds(talk) == ["late_exit"]
    assert kinds(said("Cancel it.", "That's all, thanks.", "Wait, one more thing: my address?")) == []


def test_going_on_for_ever_is_a_late_exit():
    class Endless(Planted):
        def reply(self, request):
            made = super().reply(request)
            signal = Signal.CONTINUE if made.signal == Signal.SATISFIED else made.signal
            return UserReply(made.text if signal == made.signal else "Good to know.", signal, made.memory)

    record = played("retail", "test-003", "reference", None, Endless(-1, None), max_steps=30)
    assert record.outcome == "step_limit"
    assert [finding.kind for finding in audit_record(record, {"max_steps": 30}).findings] == [Kind.LATE_EXIT]


def test_exits_against_affect_are_told_and_are_no_fault():
    def leave(request, reply):
        return UserReply("I'm leaving.", Signal.DISSATISFIED, reply.memory), "leaving"

    record = played("retail", "test-003", "reference", 7, Planted(1, leave), user_exit="model")
    audited = audit_record(record, {"user_exit": "model"})
    assert [finding.kind for finding in audited.findings] == [Kind.EXIT_AGAINST_AFFECT]
    assert not audited.spoilt

    class Stays(Planted):
        def reply(self, request):
            made = super().reply(request)
            return UserReply("Go on, then.", Signal.CONTINUE, made.memory) if request.leaving else made

    record = played("retail", "test-011", "null", 7, Stays(-1, None), user_exit="model", max_steps=30)
    found = audit_record(record, {"user_exit": "model", "max_steps": 30}).findings
    assert Kind.EXIT_AGAINST_AFFECT in [finding.kind for finding in found]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("How can I help you today?", "speaks_as_agent"),
        ("Thank you for contacting us, I'd be happy to assist you.", "speaks_as_agent"),
        ("Ich möchte bitte meine Bestellung stornieren, das ist nicht mein Name.", "language"),
        ("No entiendo, quiero cancelar mi pedido por favor, gracias.", "language"),
        ("请取消我的订单", "language"),
    ],
)
def test_other_roles_and_languages(text, kind):
    assert kinds(said("Hello.", text)) == [kind]


def test_thanking_profusely_does_not_fit_a_cold_and_angry_customer():
    text = "Thank you so much! You're the best, I really appreciate it."
    cold = resolve("anger/frustration/cold", assigned=None, seed=1)
    warm = resolve("enjoyment/relief/warm", assigned=None, seed=1)
    found = {c.path: audit_record(says(text, CONDITIONS.index(c))).findings for c in (cold, warm)}
    assert [finding.kind for finding in found[cold.path]] == [Kind.OUT_OF_CHARACTER]
    assert not found[warm.path]


def test_adherence_tells_the_right_condition_from_another():
    right = wrong = telling = 0
    for number in range(24):
        condition = CONDITIONS[(number * 53) % 594]
        record = played("retail", f"test-{number:03}", "reference", condition.index)
        other = CONDITIONS[(condition.index + 297) % 594]
        swapped = msgspec.structs.replace(record, place=msgspec.structs.replace(record.place, emotion=other.path))
        fit = audit_record(record).adherence["family"]
        right, telling = right + fit.fitting, telling + fit.telling
        wrong += audit_record(swapped).adherence.get("family", fit).fitting if other.family != condition.family else 0
    assert right / telling > 0.75
    assert wrong < right / 3


# --- what the agent did wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize("domain", names(added=False))
def test_faults_of_agents_have_their_categories(domain):
    found = {
        agent: {
            fault
            for number in range(0, 100, 20)
            for fault in audit_record(played(domain, f"test-{number:03}", agent, number * 5)).agent_faults
        }
        for agent in ("reference", "friction", "refuse_all", "null")
    }
    assert found["reference"] == set()
    assert AgentFault.FRICTION in found["friction"]
    assert found["refuse_all"] & {AgentFault.MISSING_ACTION, AgentFault.INCOMPLETE}
    assert found["null"] <= {AgentFault.NEGLECT, AgentFault.UNFINISHED}


def test_changes_of_other_records_are_wrong_calls():
    record = played("retail", "test-003", "refuse_all", 7)
    for differences, fault in (
        (("orders/R1 address: expected a, reached (unchanged)",), AgentFault.MISSING_ACTION),
        (("orders/R1 address: expected (unchanged), reached b",), AgentFault.EXTRA_ACTION),
        (("orders/R1 address: expected a, reached b",), AgentFault.WRONG_CALL),
        (
            ("orders/R1 status: expected a, reached (unchanged)", "orders/R2 status: expected (unchanged), reached a"),
            AgentFault.WRONG_CALL,
        ),
    ):
        changed = msgspec.structs.replace(record, differences=differences, missing=())
        assert audit_record(changed).agent_faults == (fault,)


# --- rates ---------------------------------------------------------------------------------------------


def test_rates_count_the_failed_episodes_apart():
    clean = played("retail", "test-003", "reference", 7)
    spoilt = says("It's ghost@nowhere.example.", agent="null")
    failed = played("retail", "test-003", "null", 7)
    broken = msgspec.structs.replace(clean, outcome="infrastructure")
    found = audit([clean, spoilt, failed, broken], user="u")
    assert (found.excluded, len(found.episodes)) == (1, 3)
    assert (found.spoilt.hits, found.spoilt.of) == (1, 3)
    assert (found.spoilt_failed.hits, found.spoilt_failed.of) == (1, 2)
    assert found.spoilt_failed.low < 0.5 < found.spoilt_failed.high
    assert [(row.kind, row.findings, row.failed) for row in found.kinds] == [(Kind.INVENTED_ID, 1, 1)]


def test_trials_of_a_task_that_agree_are_worth_one_task():
    def audited(task, trial, spoilt):
        findings = (Finding(kind=Kind.INVENTED_ID, turn=1, quote="x", why="y"),) if spoilt else ()
        return EpisodeAudit(
            key=f"shop/{task}/task/{trial}",
            task=("shop", task),
            emotion="neutral",
            outcome="satisfied",
            success=True,
            messages=3,
            findings=findings,
        )

    def width(trials):
        rows = [audited(f"t{task}", trial, task < 6) for task in range(30) for trial in range(trials)]
        rate = summary(rows, user="u").spoilt
        assert (rate.hits, rate.of, rate.value) == (6 * trials, 30 * trials, pytest.approx(0.2))
        return rate.high - rate.low

    assert width(8) == pytest.approx(width(1), rel=0.1)


def test_an_empty_audit_has_no_rates():
    found = summary([], user="u")
    assert found.spoilt.value is None
    assert found.spoilt_failed.of == 0


def test_an_episode_that_cannot_be_played_again_is_read_as_text():
    record = played("retail", "test-003", "reference", 7)
    moved = msgspec.structs.replace(record, place=msgspec.structs.replace(record.place, task_id="gone-1"))
    audited = audit_record(moved)
    assert audited.messages == len(record.signals)
    assert any("invented" in check for check in audited.unchecked)


def test_the_audit_survives_the_log():
    found = audit([says("It's ghost@nowhere.example.")], user="u")
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found


def test_talks_of_episodes_without_a_word():
    record = played("retail", "test-003", "reference", 7)
    empty = msgspec.structs.replace(record, transcript=(), signals=())
    assert talk_of(empty).user_lines == []
