"""English verbs in their forms: "renew" is also "renews", "renewed", "renewing"."""

from collections.abc import Iterable

from tau_emotion_gym.episode.phrases import cues

_PREFIXES = ("re", "un", "over")


def forms(phrase: str) -> Iterable[str]:
    """The phrase with its first word inflected as a verb or a noun would be."""
    word, space, rest = phrase.partition(" ")
    stem = word[:-1] if word.endswith("e") else word
    found = [word, word + "s", stem + "ing", *_past(word)]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        found.append(word[:-1] + "ies")
    if _doubles(word):
        found.append(word + word[-1] + "ing")
    if word.endswith(("s", "sh", "ch", "x")):
        found.append(word + "es")
    return dict.fromkeys(form + space + rest for form in found)


def pasts(phrase: str) -> Iterable[str]:
    """The phrase with its first word in the past tense and as a participle."""
    word, space, rest = phrase.partition(" ")
    return dict.fromkeys(form + space + rest for form in _past(word))


def _past(verb: str) -> list[str]:
    """The forms that a regular verb would have, and those of an irregular one ("unfreeze" like "freeze")."""
    found = [verb + "d" if verb.endswith("e") else verb + "ed"]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        found.append(verb[:-1] + "ied")
    if _doubles(verb):
        found.append(verb + verb[-1] + "ed")
    irregular = cues().irregular
    for prefix in ("", *_PREFIXES):
        if verb.startswith(prefix) and (bare := verb.removeprefix(prefix)) in irregular:
            found += [prefix + form for form in irregular[bare]]
    return found


def _doubles(verb: str) -> bool:
    """Whether the last consonant may be doubled: "cancelled", "swapped"."""
    end = verb[-3:]
    return len(end) == 3 and end[2] not in "aeiouwxy" and end[1] in "aeiou" and end[0] not in "aeiou"
