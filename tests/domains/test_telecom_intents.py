"""What customers of the phone company want: every wish occurs, is told well, and is hard in the right way."""

import re
from collections import Counter

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.telecom import DOMAIN
from tau_emotion_gym.domains.telecom.records import Account
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import Goal, Intent, Kind, Situation
from tau_emotion_gym.world import World

TASKS = list(DOMAIN.test_tasks.values())
ALONE = [intent for intent in DOMAIN.intents.values() if not intent.follows]
MONEY = re.compile(r"\$\d")


def goals(intent: Intent) -> list[Goal]:
    """A goal for each customer whom the intent fits."""
    world = World(DOMAIN.test_base)
    customers = enumerate(DOMAIN.test_base.tables[Account].values())
    found = (intent.goal(Situation(world.fork(), customer, Draw(row, "test"))) for row, customer in customers)
    return [goal for goal in found if goal is not None]


def test_the_help_for_a_dead_line_depends_on_what_the_checks_find() -> None:
    helps = Counter(
        (goal.calls[-1].name, goal.calls[-1].arguments.get("topic")) for goal in goals(DOMAIN.intents["no_data"])
    )
    assert helps.keys() == {
        ("open_ticket", "outage"),
        ("refresh_sim", None),
        ("push_settings", None),
        ("open_ticket", "device"),
    }
    assert min(helps.values()) >= 10


def test_amounts_of_a_deed_stand_in_the_sentence_that_says_the_deed() -> None:
    reader = Reader(*DOMAIN.phrases())
    for intent in ALONE:
        if intent.kind is Kind.INFORM:
            continue
        for goal in goals(intent)[:20]:
            for sentence in re.split(r"(?<=[.!?])\s+", f"{goal.script.report} {goal.script.refuse}"):
                read = reader.read(sentence)
                assert not MONEY.search(sentence) or read.claims or read.refuses, sentence


def test_the_first_line_of_the_account_is_rarely_the_right_one() -> None:
    met = missed = 0
    for task in TASKS:
        tool = DOMAIN.tools[task.identify.name]
        found = tool.run(World(DOMAIN.test_base), tool.bind(task.identify.arguments)).lines
        wanted = {
            m.arguments["line_id"] for m in task.calls if DOMAIN.tools[m.name].writes and "line_id" in m.arguments
        }
        met += bool(wanted)
        missed += bool(wanted - {found[0].line_id})
    assert missed >= met / 2
