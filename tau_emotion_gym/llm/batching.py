"""Many waiting coroutines, one batch at a time: for backends that answer batches, not single requests."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from time import monotonic
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")

QUIET = 0.01
"""Seconds without a newcomer after which a batch is closed: episodes that were answered together ask again together."""

LONGEST_WAIT = 0.1
"""Seconds that a batch is kept open, at most."""


class Batcher(Generic[Question, Answer]):
    """Collects what is waiting and answers it in one call, in one worker thread that lives while there is work.

    While a batch runs, the next one gathers. Works for several event loops at once.

    Args:
        answer_many: answers to several questions, in order; an `Exception` in a place is raised there.
        quiet: seconds without a newcomer that close a batch.
        longest_wait: seconds that a batch stays open at most.
    """

    def __init__(
        self,
        answer_many: Callable[[Sequence[Question]], Sequence[Answer | Exception]],
        *,
        quiet: float = QUIET,
        longest_wait: float = LONGEST_WAIT,
    ) -> None:
        self._answer_many = answer_many
        self._quiet = quiet
        self._longest_wait = longest_wait
        self._changed = threading.Condition()
        self._waiting: list[tuple[Question, Future[Answer]]] = []
        self._working = False

    async def ask(self, question: Question) -> Answer:
        """The answer, when the batch that the question went into is done."""
        future: Future[Answer] = Future()
        with self._changed:
            self._waiting.append((question, future))
            self._changed.notify()
            if not self._working:
                self._working = True
                threading.Thread(target=self._work, name="tau-emotion-batches", daemon=True).start()
        return await asyncio.wrap_future(future)

    def _work(self) -> None:
        while batch := self._next():
            self._answer([(question, future) for question, future in batch if future.set_running_or_notify_cancel()])

    def _next(self) -> list[tuple[Question, Future[Answer]]]:
        """The next batch; none where nobody asks any more, and then the thread ends."""
        with self._changed:
            self._gather()
            batch, self._waiting = self._waiting, []
            self._working = bool(batch)
            return batch

    def _gather(self) -> None:
        until = monotonic() + self._longest_wait
        while (left := until - monotonic()) > 0:
            if not self._changed.wait(min(self._quiet, left)):
                return

    def _answer(self, batch: Sequence[tuple[Question, Future[Answer]]]) -> None:
        if not batch:
            return
        answers: Sequence[Answer | Exception]
        try:
            answers = self._answer_many([question for question, _ in batch])
            if len(answers) != len(batch):
                raise RuntimeError(f"{len(answers)} answers to {len(batch)} questions")
        except Exception as error:
            answers = [error] * len(batch)
        except BaseException as error:  # whoever waits would wait for ever if it ended the thread
            answers = [RuntimeError(f"the batch ended with {type(error).__name__}: {error}")] * len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
