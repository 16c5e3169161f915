"""Provenance in play: whether each value that an agent wrote had been said before."""

from collections.abc import Iterator

from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.kit import THINK
from tau_emotion_gym.tasks.arguments import leaves
from tau_emotion_gym.tasks.provenance import Told


def unsourced(episode: Episode) -> Iterator[str]:
    """The values that the agent wrote though no one had said them, as "tool path=value".

    A value counts as said when it belongs to a fact whose words an earlier message of the user holds, when
    an earlier tool result holds it, or when the policy or the tool's own default gives it.
    """
    task, tools = episode.task, episode.domain.tools
    unsaid = [*task.identity, *(fact for goal in task.goals for fact in goal.facts)]
    told = Told(episode.domain)
    done = iter([call for call in episode.calls if call.ok])
    for turn, result in zip(episode.transcript, [*episode.transcript[1:], None], strict=True):
        if turn.role == "user":
            heard = turn.content.lower()
            said = [fact for fact in unsaid if states(heard, fact.spoken.lower())]
            told.hear(said)
            unsaid = [fact for fact in unsaid if fact not in said]
        elif turn.role == "call" and turn.name != THINK and result is not None and not result.error:
            made = next(done)
            tool = tools[made.name]
            if tool.writes:
                written = leaves(tool, made.arguments, made.arguments)
                without = (leaf for leaf in written if told.source(tool, leaf.path, leaf.value) is None)
                yield from (f"{tool.name} {leaf.path}={leaf.value}" for leaf in without)
            told.add(made)
