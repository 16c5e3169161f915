"""Rules that every domain has, and what an intent must say."""

import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import (
    Context,
    Done,
    Goal,
    Kind,
    Situation,
    authentication,
    confirmation,
    intent,
    one_customer,
    only,
    placeholders,
    rule,
)
from tau_emotion_gym.kit.intent import FAMILIES

SAID = ("a", "b", "c", "d", "e", "f")
STAKES = dict.fromkeys(FAMILIES, ("x", "y"))


class Arguments:
    """Stands for a tool's bound arguments."""

    owner = "C1"


WORLD = object()


def test_authentication_wants_a_customer():
    check = authentication("Identify first.", "get").check
    assert not check(Context(WORLD), Arguments())
    assert check(Context(WORLD, customers=["C1"]), Arguments())


def test_one_customer():
    check = one_customer("One only.", lambda world, arguments: arguments.owner, "get").check
    assert check(Context(WORLD, customers=["C1"]), Arguments())
    assert not check(Context(WORLD, customers=["C2"]), Arguments())
    assert not check(Context(WORLD, customers=["C1", "C2"]), Arguments())
    nobody = one_customer("One only.", lambda world, arguments: None, "get").check
    assert nobody(Context(WORLD), Arguments())


def test_confirmation_wants_consent_to_this_very_write():
    made = confirmation("Ask first.", "Arguments")
    assert made.in_play
    assert not made.check(Context(WORLD, consents={"other"}), Arguments())
    assert made.check(Context(WORLD, consents={"Arguments"}), Arguments())


def test_context_knows_what_was_called():
    done = [Done("get", {"key": "A"}, True, 1), Done("put", {"key": "B"}, False, None)]
    context = Context(WORLD, done, ["C1", "C2"])
    assert context.called("get")
    assert context.called("get", key="A")
    assert not context.called("get", key="B")
    assert not context.called("put")
    assert context.customer == "C1"
    assert Context(WORLD).customer is None


def test_a_rule_governs_something():
    with pytest.raises(TypeError, match="needs the tools"):
        rule("Always.")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"phrasings": SAID[:5]}, "at least six phrasings, not 5"),
        ({"phrasings": (*SAID[:6], SAID[2])}, "occur twice"),
        ({"stakes": {"anger": ("x",)}}, "what is at stake for each of"),
        ({"stakes": STAKES | {"joy": ("x",)}}, "what is at stake for each of"),
        ({"kind": Kind.CONDITIONAL}, "how the customer takes the fallback"),
    ],
)
def test_an_intent_says_enough(changes, reason):
    parts = {"kind": Kind.FULFIL, "phrasings": SAID, "stakes": STAKES} | changes
    with pytest.raises(TypeError, match=reason):
        intent(parts.pop("kind"), **parts)


def test_an_intent_marks_its_goals():
    @intent(Kind.DENY, phrasings=SAID, stakes=STAKES)
    def wish(s: Situation) -> Goal | None:
        return Goal(fill={"a": "b"}) if s.customer else None

    assert wish.goal(Situation(WORLD, "C1", Draw(1))) == Goal(intent="wish", kind=Kind.DENY, fill={"a": "b"})
    assert wish.goal(Situation(WORLD, None, Draw(1))) is None


def test_only_gives_what_is_unique():
    assert only(["a"]) == "a"
    assert only([]) is None
    assert only(["a", "b"]) is None


def test_placeholders():
    assert placeholders("{a} and {b.c} but {{not}} this") == {"a", "b.c"}
