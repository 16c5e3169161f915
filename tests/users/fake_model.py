"""Models in this process that answer as a test says, named in specifications as "fake_model:Name"."""

from collections.abc import Callable, Sequence

from tau_emotion_gym.llm import ChatRequest, Completion, ModelError, Usage

ASKED: list[list[ChatRequest]] = []
"""The calls of every `FakeModel`: what came together is one entry."""

SCRIPTS: dict[str, Callable[[ChatRequest], object]] = {}
"""Answers by name: a text, a `Completion`, or a `ModelError` to raise. Tests add their own."""


class FakeModel:
    """Answers with `SCRIPTS[script]`, or always with the same text."""

    def __init__(self, script: str = "", text: str = "") -> None:
        self.answer = SCRIPTS[script] if script else lambda request: text

    def complete(self, request: ChatRequest) -> Completion:
        ASKED.append([request])
        answer = self._answer(request)
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[Completion | ModelError]:
        ASKED.append(list(requests))
        return [self._answer(request) for request in requests]

    async def acomplete(self, request: ChatRequest) -> Completion:
        return self.complete(request)

    def describe(self) -> dict[str, object]:
        return {"model": "fake"}

    def _answer(self, request: ChatRequest) -> Completion | ModelError:
        answer = self.answer(request)
        if isinstance(answer, str):
            return Completion(answer, usage=Usage(1, 100, 10))
        return answer
