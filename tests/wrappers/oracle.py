"""An agent that knows the task and can only use macro-actions."""

from collections.abc import Iterator

from tau_emotion_gym.episode import Episode
from tau_emotion_gym.kit import TRANSFER, Call, Goal, Kind
from tau_emotion_gym.wrappers.dialogue import Dialogue
from tau_emotion_gym.wrappers.linker import Linker

MOST = 8


class Oracle:
    """Plays an episode by macro-actions' names."""

    def __init__(self, linker: Linker, episode: Episode) -> None:
        self.linker = linker
        self.episode = episode

    @property
    def dialogue(self) -> Dialogue:
        """The dialogue as it stands."""
        return self.linker.dialogues[self.episode]

    def actions(self) -> Iterator[str]:
        """The names, one by one; look at the episode between them."""
        reference = self.dialogue.reference
        goals = self.episode.task.goals
        if len(goals) == 1 and self.episode.domain.intents[goals[0].intent].emergency:
            yield from self._serve(0, goals[0])
        yield "acknowledge"
        yield from self._ask(-1)
        yield from self._run(reference.steps[0].call)
        for number, goal in enumerate(goals):
            yield from self._serve(number, goal)
        while True:
            yield "close"

    def _serve(self, number: int, goal: Goal) -> Iterator[str]:
        reference = self.dialogue.reference
        for _ in range(MOST):
            if number in self.dialogue.heard:
                break
            yield "close"
        if goal.kind in (Kind.DENY, Kind.CONDITIONAL):
            for at in reference.reads[number]:
                if goal.kind is Kind.DENY or at == reference.reads[number][0] or self.dialogue.ready(at):
                    yield from self._step(at)
            for _ in range(goal.insists + 1):
                yield "refuse"
        if goal.kind is Kind.DENY:
            return
        yield from self._ask(number)
        for at in reference.reads[number]:
            yield from self._step(at)
        if reference.writes[number]:
            for _ in range(MOST):
                if self.dialogue.agreed:
                    break
                yield "confirm"
        for at in reference.all[number]:
            yield from self._step(at)
        if goal.script.report:
            yield "report"
        for call in goal.calls:
            if call.name == TRANSFER:
                yield f"hand_off:{call.arguments['reason']}"

    def _ask(self, owner: int) -> Iterator[str]:
        reference = self.dialogue.reference
        for _ in range(MOST):
            missing = [
                fact.slot
                for at, fact in enumerate(reference.facts)
                if reference.owners[at] == owner and at not in self.dialogue.said
            ]
            if not missing:
                return
            yield f"ask:{missing[0]}"

    def _step(self, at: int) -> Iterator[str]:
        if at not in self.dialogue.done:
            yield from self._run(self.dialogue.reference.steps[at].call)

    def _run(self, call: Call) -> Iterator[str]:
        """Call it; before that look up what is not yet known, in any read that can be filled."""
        tools = self.episode.tools
        for _ in range(12):
            filled = self.linker.filled(self.dialogue)
            if (found := filled[call.name]) and found[1] == tools[call.name].bind(call.arguments):
                break
            new = [
                name
                for name, one in filled.items()
                if one is not None
                and name != "calculate"
                and not tools[name].writes
                and one[0] not in [dict(old) for old in self.dialogue.tried.get(name, [])]
            ]
            if not new:
                break
            yield f"call:{min(new, key=lambda name: len(self.dialogue.tried.get(name, [])))}"
        yield f"call:{call.name}"
