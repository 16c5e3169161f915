"""Agents that do no work; what they score is the floor of every table."""

from collections.abc import Mapping

from tau_emotion_gym.episode import Action, call, respond
from tau_emotion_gym.kit import TRANSFER, Domain, Task


class NullAgent:
    """Answers every turn with an empty message."""

    def reset(self, domain: Domain, task: Task) -> None:
        """Nothing to prepare."""

    def act(self, observation: Mapping[str, str]) -> Action:
        """An empty message."""
        return respond("")


class RefuseAllAgent:
    """Refuses whatever is asked, with an apology."""

    def reset(self, domain: Domain, task: Task) -> None:
        """Nothing to prepare."""

    def act(self, observation: Mapping[str, str]) -> Action:
        """A refusal."""
        return respond(
            "I'm sorry, I understand that this matters to you, but I can't do that because our policy does not "
            "allow it. Is there anything else I can help you with?"
        )


class TransferOnlyAgent:
    """Hands every conversation over at once, with the domain's first reason."""

    def reset(self, domain: Domain, task: Task) -> None:
        """Take note of the domain's reasons."""
        self._reason = domain.reasons[0]

    def act(self, observation: Mapping[str, str]) -> Action:
        """A hand-off."""
        return call(TRANSFER, reason=self._reason, summary="The customer needs help.")
