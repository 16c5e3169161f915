"""Invented people and codes: fresh each time, and never shared by test and training worlds."""

import re

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Registry
from tau_emotion_gym.kit.people import TEST_DIGITS, TRAIN_DIGITS, names


def registry(*, train: bool, seed: int = 1) -> Registry:
    return Registry(Draw(seed, "people"), train=train)


def test_codes_are_fresh_and_end_as_their_world():
    for train, digits in ((False, TEST_DIGITS), (True, TRAIN_DIGITS)):
        made = registry(train=train)
        codes = [made.digits("R", 3) for _ in range(300)] + [made.letters("", 3) for _ in range(300)]
        assert len(set(codes)) == 600
        assert all(code[-1] in digits for code in codes)
        assert all(re.fullmatch(r"R[1-9]\d\d|[A-Z]{2}\d", code) for code in codes)


def test_the_two_kinds_of_world_share_no_person():
    test, train = (
        {(p := made.person()).email: p for _ in range(300)} for made in (registry(train=False), registry(train=True))
    )
    assert not set(test) & set(train)
    assert not {p.last for p in test.values()} & {p.last for p in train.values()}
    assert not {p.phone for p in test.values()} & {p.phone for p in train.values()}


def test_people_are_whole():
    made = registry(train=False)
    for _ in range(200):
        person = made.person()
        assert re.fullmatch(r"[^@\s']+@(mailbox|post|inbox)\.example", person.email)
        assert person.email == person.email.lower()
        assert re.fullmatch(r"555-\d{7}", person.phone)
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", person.birth_date)
        assert re.fullmatch(r"\d{5}", person.zip)
        assert re.fullmatch(r"[A-Z]{2}", person.state)
        assert re.fullmatch(r"[^\sA-Z']+_[^\sA-Z']+", person.handle)


def test_near_duplicates_on_request():
    place = names().places[3]
    twins = [registry(train=False, seed=seed).person(first="Nora", place=place) for seed in (1, 2)]
    assert [(t.first, t.city, t.state, t.zip[:3]) for t in twins] == [("Nora", place.city, place.state, place.zip)] * 2
    assert twins[0].email != twins[1].email


def test_the_same_seed_gives_the_same_people():
    one, two = registry(train=True, seed=9), registry(train=True, seed=9)
    assert [one.person() for _ in range(20)] == [two.person() for _ in range(20)]
