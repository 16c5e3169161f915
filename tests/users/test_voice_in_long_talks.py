"""The voice after many turns: still the leaf's, and not the same sentence over and over."""

import re
from collections import Counter
from itertools import cycle, islice

import numpy as np
import pytest

from tau_emotion_gym.emotions.affect import Affect
from tau_emotion_gym.emotions.conditions import CONDITIONS
from tau_emotion_gym.emotions.taxonomy import FAMILIES, LEAVES
from tau_emotion_gym.users.voice import Act, voice

CORE = "It's R204-7."
COURSE = (Act.ANSWER, Act.ANSWER, Act.CONFIRM_YES, Act.NEXT_WISH, Act.ANSWER, Act.WAIT, Act.INSIST, Act.FALLBACK)
EVENTS = ((), (), (), ("redundant_question",), (), ("long_silence",))


def talk(condition, seed, turns=20):
    """What the voice adds to a plain core in a conversation of many turns."""
    yield voice(condition).speak(Act.OPENING, CORE, seed=seed, turn=0).replace(CORE, "")
    for turn, act in enumerate(islice(cycle(COURSE), turns - 1), start=1):
        text = voice(condition).speak(
            act,
            CORE,
            seed=seed,
            turn=turn,
            affect=Affect(0.5, 0.5),
            acknowledged=turn % 5 == 0,
            events=EVENTS[turn % len(EVENTS)],
        )
        yield text.replace(CORE, "")


@pytest.mark.parametrize("start", range(9))
def test_no_remark_is_made_more_than_twice(start):
    for condition in CONDITIONS[start::9]:
        said = Counter(
            sentence
            for text in talk(condition, seed=condition.index)
            for sentence in re.split(r"(?<=[.!?…:])\s+", text.strip())
            if len(sentence.split()) > 2
        )
        assert not [sentence for sentence, times in said.items() if times > 2], condition.path


def bag(texts, places):
    counts = np.zeros(len(places))
    for word in re.findall(r"[a-z']+", " ".join(texts).lower()):
        if word in places:
            counts[places[word]] += 1
    return counts


def test_late_messages_are_told_apart_by_what_early_ones_taught():
    """Naive Bayes, taught by the turns before the eighth, names the leaf from those after the fifteenth."""
    talks = [list(talk(condition, seed, turns=30)) for condition in CONDITIONS for seed in (3, 4)]
    truth = np.array([condition.index // 27 for condition in CONDITIONS for _ in range(2)])
    words = sorted({word for said in talks for text in said for word in re.findall(r"[a-z']+", text.lower())})
    places = {word: place for place, word in enumerate(words)}
    early = np.array([bag(said[:8], places) for said in talks])
    late = np.array([bag(said[15:], places) for said in talks])
    taught = np.stack([early[truth == leaf].sum(axis=0) + 0.2 for leaf in range(len(LEAVES))])
    scores = late @ np.log(taught / taught.sum(axis=1, keepdims=True)).T
    family = np.array([FAMILIES.index(leaf.family) for leaf in LEAVES])
    guess = scores.argmax(axis=1)
    assert (family[guess] == family[truth]).mean() >= 0.8
    within = np.where(family[None, :] == family[truth][:, None], scores, -np.inf).argmax(axis=1)
    assert (within == truth).mean() >= 0.5
