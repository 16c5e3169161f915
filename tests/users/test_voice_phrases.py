"""The phrase tables: schema, vocabulary, and what no phrase may say."""

import json
import re
from importlib.resources import files

import pytest

from tau_emotion_gym._draw import mix
from tau_emotion_gym.emotions.affect import Event
from tau_emotion_gym.emotions.conditions import CONDITIONS
from tau_emotion_gym.emotions.taxonomy import FAMILIES, LEAVES, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.users.phrases import books, slots
from tau_emotion_gym.users.phrases.books import Guard
from tau_emotion_gym.users.phrases.table import Table
from tau_emotion_gym.users.voice import Act, voice

DIMENSIONS = ("politeness", "urgency", "trust")
DOMAIN_WORDS = frozenset(
    re.findall(
        r"\w+",
        """order orders flight booking hotel room meal food courier meter tariff exam doctor prescription
        policy claim card payment refund refunds parcel delivery account bill invoice money luggage ticket
        appointment line plan loan restaurant kitchen voucher seat""",
    )
)


def phrases_of(node):
    """Every phrase below a node of a phrase file."""
    if isinstance(node, str):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from phrases_of(child)


def load(name):
    return json.loads(files("tau_emotion_gym.users.phrases").joinpath(f"{name}.json").read_text("utf-8"))


PHRASES = [
    (name, phrase)
    for name in (*FAMILIES, *DIMENSIONS, "behaviours", "events", "acts")
    for phrase in phrases_of(load(name))
]


def words(text):
    return set(re.findall(r"[a-z']+", text.lower()))


def test_every_leaf_has_words_enough():
    for family in FAMILIES:
        table = books.leaf_words(family)
        assert set(table) == {leaf.name for leaf in LEAVES if leaf.family == family}
        for leaf in table.values():
            assert len({*leaf.mild, *leaf.strong}) >= 12
            assert len(set(leaf.openings)) >= 8


def test_every_level_act_event_and_response_has_words():
    levels = books.levels()
    assert set(levels.politeness) == set(POLITENESS)
    assert set(levels.urgency) == set(URGENCY)
    assert set(levels.trust) == set(TRUST)
    assert set(books.acts()) == set(books.shapes()) == set(Act)
    assert set(books.events()) <= set(Event)
    assert set(books.behaviours()) == {name for leaf in LEAVES for name in slots.behaviours_of(leaf.name)}
    for name, row in books.behaviours().items():
        felt = {leaf.family for leaf in LEAVES if name in slots.behaviours_of(leaf.name)}
        assert set(row) == {"any"} or set(row) == felt, name


def test_acts_speak_in_every_politeness():
    for row in books.acts().values():
        assert set(row) in ({"any"}, set(POLITENESS))
        assert sum(map(len, row.values())) >= 8


def test_shapes_use_known_slots_and_keep_the_core_once():
    known = set().union(*(slots.slot_tables(condition, Guard.WISH) for condition in CONDITIONS[::28]))
    known |= {"core", "stake", "exit", "lead"}
    for act, row in books.shapes().items():
        for line in (*row.full, *row.curt, *row.plain):
            assert set(line.split()) <= known
            assert line.split().count("core") == 1
            assert line.split().count("stake") == (act in ("opening", "next_wish"))


def test_no_phrase_states_a_fact_or_belongs_to_a_domain():
    for name, phrase in PHRASES:
        assert phrase == phrase.strip(), name
        assert phrase[-1] in ".!?:…", (name, phrase)
        assert not re.search(r"[\d#@$€£<>*_\[\]{}|]", phrase), (name, phrase)
        assert not words(phrase) & DOMAIN_WORDS, (name, phrase)


def test_only_freezing_and_unknown_answers_claim_not_to_know():
    for name, phrase in PHRASES:
        if re.search(r"don't know|no idea|not sure|can't remember|forgot", phrase.lower()):
            assert name in ("behaviours", "acts"), phrase


@pytest.mark.parametrize("family", FAMILIES)
def test_leaves_of_a_family_have_their_own_words(family):
    spoken = {name: words(" ".join(phrases_of(table))) for name, table in load(family).items()}
    for name, own in spoken.items():
        others = set().union(*(said for other, said in spoken.items() if other != name))
        assert len(own - others) >= 40, name


def test_no_phrase_is_shared_between_leaves():
    said = [phrase for family in FAMILIES for phrase in phrases_of(load(family))]
    assert len(said) == len(set(said))


@pytest.mark.parametrize("act", Act)
def test_no_guard_starves_an_act(act):
    """Whatever a guard bars, each act keeps some markers of every dimension."""
    guard = {
        Act.CONFIRM_YES: Guard.YES,
        Act.CONFIRM_NO: Guard.NO,
        Act.UNKNOWN: Guard.UNKNOWN,
        Act.ACCEPT_REFUSAL: Guard.ACCEPT,
    }.get(act, Guard.PLAIN)
    for condition in CONDITIONS[:: 27 + 1]:
        tables = slots.slot_tables(condition, guard)
        for slot in ("civil", "urgency", "trust"):
            assert len(tables[slot]) >= 4, (slot, condition.path)


def test_a_table_runs_through_all_its_entries():
    table = Table("letters", "abcdefghij")
    assert {table.at(7, turn) for turn in range(20, 30)} == set("abcdefghij")
    assert len({tuple(table.at(mix(seed, 0, "key"), turn) for turn in range(10)) for seed in range(200)}) > 30


def test_a_damaged_file_is_refused_by_name():
    with pytest.raises(DataError, match=r"nowhere\.json"):
        books.read("nowhere.json", dict)
    with pytest.raises(DataError, match=r"acts\.json.*unknown field"):
        books.read("acts.json", books.Events)


def test_files_are_read_once():
    before = books.events()
    voice(CONDITIONS[0])
    assert books.events() is before
