"""Provenance in play: whether each value that an agent wrote had been said before."""

from collections.abc import Iterator, Sequence

from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.kit import THINK, Done, Fact
from tau_emotion_gym.tasks.provenance import Told, leaves
from tau_emotion_gym.world.records import field_types


def unsourced(episode: Episode) -> Iterator[str]:
    """The values that the agent wrote though no one had said them, as "tool path=value".

    A value counts as said when it belongs to a fact whose words an earlier message of the user holds, when
    an earlier tool result holds it, or when the policy or the tool's own default gives it.
    """
    domain = episode.domain
    facts = (*episode.task.identity, *(fact for goal in episode.task.goals for fact in goal.facts))
    heard, earlier = "", list[Done]()
    done = iter([call for call in episode.calls if call.ok])
    for turn, result in zip(episode.transcript, [*episode.transcript[1:], None], strict=True):
        if turn.role == "user":
            heard += "\n" + turn.content.lower()
        elif turn.role == "call" and turn.name != THINK and result is not None and not result.error:
            made = next(done)
            if domain.tools[made.name].writes:
                yield from _without_source(episode, said(facts, heard), earlier, made)
            earlier.append(made)


def said(facts: Sequence[Fact], heard: str) -> list[Fact]:
    """The facts whose words stand in what was heard (lower case)."""
    return [fact for fact in facts if states(heard, fact.spoken.lower())]


def _without_source(episode: Episode, facts: list[Fact], earlier: list[Done], made: Done) -> Iterator[str]:
    tool = episode.domain.tools[made.name]
    told = Told(episode.domain, facts)
    for done in earlier:
        told.add(done)
    bound, hints = tool.bind(made.arguments), field_types(tool.arguments)
    for name in made.arguments:
        for path, value in leaves(getattr(bound, name), hints[name], name):
            if told.source(tool, path, value) is None:
                yield f"{tool.name} {path}={value}"
