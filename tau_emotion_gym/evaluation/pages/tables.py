"""The tables that hand-written pages show, each made from the code."""

from collections.abc import Callable, Mapping

from tau_emotion_gym.emotions import LEAVES, POLITENESS, TRUST, URGENCY, Event
from tau_emotion_gym.emotions.amounts import affect_table
from tau_emotion_gym.episode import DEFAULT_REWARD, INFO_KEYS, Outcome
from tau_emotion_gym.episode.info import EVENT_KEYS
from tau_emotion_gym.evaluation.pages.markdown import code, grid, signed
from tau_emotion_gym.kit import Kind
from tau_emotion_gym.users.phrases.books import leaf_words
from tau_emotion_gym.world import Compare

_INFO_MEANINGS = {
    "task_id": "the task",
    "domain": "the domain's name",
    "emotion": "the condition as a path; empty for neutral",
    "episode_seed": "decides every random choice of the customer; a string, since a 64-bit integer fits no float",
    "outcome": "why the episode ended; empty until then",
    "satisfaction": "how well served the customer feels now, 0 to 1",
    "patience": "how much more effort and delay it takes now, 0 to 1",
    "state_match": "1.0 when the final state is an expected one; 0.0 before the end",
    "outputs_match": "1.0 when everything that had to be told was told; 0.0 before the end",
    "success": "1.0 when both match and the customer was satisfied or rightly handed over",
    "violations": "rules broken so far",
    "strict_success": "1.0 for success without a violation",
    "tool_errors": "calls that failed or were malformed so far",
    "questions": "things asked of the customer so far",
    "tool_calls": "tool calls so far, `think` and malformed ones left out",
    "steps": "actions so far",
    "user_fault": "1.0 when the customer said it was satisfied with a wish not yet brought up",
    "mask_sample": "1.0 when a server failed: leave the episode out of training and metrics",
}


def info_table() -> str:
    """Every key of `info` with its type and meaning."""
    meanings = {row.name: row.meaning for row in affect_table().events}
    events = {key: f"how often so far: {_lowered(meanings[Event(event)])}" for event, key in EVENT_KEYS}
    known: Mapping[str, str] = _INFO_MEANINGS | events
    return grid(("key", "type", "meaning"), ((code(key), kind.__name__, known[key]) for key, kind in INFO_KEYS.items()))


def _lowered(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")


def leaves_table() -> str:
    """The 22 leaves with the Atlas's intensity and responses, and a sentence in the leaf's own words."""
    return grid(
        ("family", "leaf", "intensity", "constructive responses", "destructive responses", "sounds like"),
        (
            (
                leaf.family,
                leaf.name,
                f"{leaf.intensity[0]} to {leaf.intensity[1]}",
                ", ".join(leaf.constructive) or "–",
                ", ".join(leaf.destructive) or "–",
                f"“{leaf_words(leaf.family)[leaf.name].strong[0]}”",
            )
            for leaf in LEAVES
        ),
    )


def levels_table() -> str:
    """The three dimensions and their levels."""
    levels = {"politeness": POLITENESS, "urgency": URGENCY, "trust": TRUST}
    return grid(("dimension", "levels"), ((name, ", ".join(names)) for name, names in levels.items()))


def outcomes_table() -> str:
    """The outcomes, and whether they terminate or truncate."""
    meaning = {
        Outcome.SATISFIED: "the customer is done and says so",
        Outcome.DISSATISFIED: "the customer leaves because of how it was treated",
        Outcome.HANDED_OFF: "the agent passed the conversation to a human",
        Outcome.STEP_LIMIT: "the agent used up its actions",
        Outcome.CONTEXT_LIMIT: "the agent's model cannot take a longer conversation",
        Outcome.INFRASTRUCTURE: "a server failed; nobody in the conversation is at fault",
    }
    return grid(
        ("outcome", "Gymnasium", "meaning"),
        ((code(o.value), "terminated" if o.terminated else "truncated", meaning[o]) for o in Outcome),
    )


def reward_table() -> str:
    """The reward terms and their default weights."""
    counted = {
        "success": "once, for success",
        "dissatisfied": "once, when the customer leaves dissatisfied",
        "violation": "for each rule broken",
        "tool_error": "for each call that failed or was malformed",
        "question": "for each thing asked of the customer",
        "step": "for each action",
    }
    rows = ((code(term), signed(weight), counted[term]) for term, weight in DEFAULT_REWARD.items())
    return grid(("term", "default weight", "counts"), rows)


def compare_table() -> str:
    """How record fields compare in matching."""
    how = {
        Compare.EXACT: ("the default", "equal values; a sequence in the same order"),
        Compare.SET: ("`Annotated[tuple[X, ...], SET]`", "order and repetitions do not matter"),
        Compare.MULTISET: ("`Annotated[tuple[X, ...], MULTISET]`", "order does not matter, repetitions do"),
        Compare.FREE_TEXT: ("`FreeText`", "prose of the agent: never decides"),
        Compare.IGNORED: ("`Annotated[X, IGNORED]`", "never decides"),
    }
    return grid(("mode", "written as", "equal when"), ((mode.value, *how[mode]) for mode in Compare))


def kinds_table() -> str:
    """The kinds of goals and what they are made of."""
    made = {
        Kind.FULFIL: ("the wish is granted", "reads, then writes", "`propose`, `report`"),
        Kind.CONDITIONAL: (
            "the first wish is impossible, the second best is granted",
            "reads that show it is impossible, then the writes of the fallback",
            "`refuse`, `propose`, `report`; the intent's `fallback`",
        ),
        Kind.DENY: ("policy forbids it: a refusal with the reason", "reads only", "`refuse` with the outputs"),
        Kind.INFORM: (
            "a figure that has to be worked out",
            "reads, `calculate` where there is a sum",
            "`report` with the outputs",
        ),
        Kind.HAND_OFF: (
            "a human must take over",
            "reads, then `transfer_to_human` last",
            "`report`, said before the hand-off",
        ),
    }
    return grid(
        ("kind", "right end", "calls of the reference", "script"),
        ((code(f"Kind.{kind.name}"), *made[kind]) for kind in Kind),
    )


TABLES: Mapping[str, Callable[[], str]] = {
    "info": info_table,
    "leaves": leaves_table,
    "levels": levels_table,
    "outcomes": outcomes_table,
    "reward": reward_table,
    "compare": compare_table,
    "kinds": kinds_table,
}
"""Name in a page's comment → the table."""
