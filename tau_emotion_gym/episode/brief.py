"""What a user is told about its part, made from a task and a condition."""

from functools import cache

import msgspec

from tau_emotion_gym._draw import pick
from tau_emotion_gym.emotions import EmotionCondition
from tau_emotion_gym.episode import values
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.episode.requests import Brief, Wish, digest_of
from tau_emotion_gym.episode.turns import Turn
from tau_emotion_gym.kit import Domain, Goal, Output, Task


@cache
def reader_of(domain: Domain) -> Reader:
    """The reader of agents' text in a domain's words, compiled once."""
    return Reader(*domain.phrases())


def make_brief(domain: Domain, task: Task, condition: EmotionCondition | None, seed: int) -> Brief:
    """The user's part in one episode: which words it uses for its wishes is drawn from the seed."""
    known = [(fact, -1) for fact in task.identity]
    known += [(fact, number) for number, goal in enumerate(task.goals) for fact in goal.facts]
    return Brief(
        domain=domain.name,
        folder=str(domain.folder),
        task_id=task.id,
        seed=seed,
        condition=condition,
        identity=task.identity,
        wishes=_wishes(domain, task, condition, seed),
        reveal=task.reveal,
        today=domain.base(task.world).today,
        facts=tuple([fact for fact, _ in known]),
        owners=tuple([owner for _, owner in known]),
    )


def _wishes(domain: Domain, task: Task, condition: EmotionCondition | None, seed: int) -> tuple[Wish, ...]:
    """The task's wishes in words; none gives a reason for the feeling that another one has given."""
    wishes: list[Wish] = []
    given: set[str] = set()
    for number, goal in enumerate(task.goals):
        stake = ""
        if condition is not None:
            stakes = domain.intents[goal.intent].stakes[condition.family]
            fresh = [sentence for sentence in stakes if sentence not in given]
            stake = pick(fresh or stakes, seed, number, "stake")
            given.add(stake)
        wishes.append(_wish(domain, goal, stake, seed, number))
    return tuple(wishes)


def _wish(domain: Domain, goal: Goal, stake: str, seed: int, number: int) -> Wish:
    intent = domain.intents[goal.intent]
    fill = goal.fill
    fallback = pick(intent.fallback, seed, number, "fallback").format_map(fill) if intent.fallback else ""
    tools = domain.tools
    phrasings = intent.phrasings
    first = pick(range(len(phrasings)), seed, number, "phrasing")
    other = pick(range(len(phrasings) - 1), seed, number, "again")
    return Wish(
        kind=goal.kind,
        say=phrasings[first].format_map(fill),
        again=phrasings[other + (other >= first)].format_map(fill),
        stake=stake.format_map(fill),
        facts=goal.facts,
        actions=frozenset([call.name for call in goal.calls if tools[call.name].writes]),
        outputs=tuple([_blank(output) for output in goal.outputs]),
        answers=tuple([digest_of(o.kind, values.normal(o.kind, o.value)) for o in goal.outputs]),
        insists=goal.insists,
        insist=tuple([text.format_map(fill) for text in intent.insist]),
        fallback=fallback,
        emergency=intent.emergency,
        chained=bool(intent.follows),
    )


def _blank(output: Output) -> Output:
    return msgspec.structs.replace(output, value="")


def revealed(domain: Domain, brief: Brief, transcript: list[Turn]) -> bool:
    """Whether the user has brought up every wish: its words, one of its facts, or its action was said."""
    said = "\n".join([turn.content for turn in transcript if turn.role == "user"])
    implied = [wish for wish in brief.wishes if wish.say not in said]
    if not implied:
        return True
    said = said.lower()
    return all(_brought_up(domain, wish, said) for wish in implied)


def _brought_up(domain: Domain, wish: Wish, said: str) -> bool:
    if wish.say.lower() in said or any(states(said, fact.spoken.lower()) for fact in wish.facts):
        return True
    if any(word.split(" ~ ")[0] in said for name in wish.actions for word in domain.tools[name].says):
        return True
    words = {word for word in wish.say.lower().split() if len(word) > 4}
    return not wish.facts and not wish.actions and 2 * sum(word in said for word in words) >= len(words)
