"""Blocking calls side by side, in threads that do not keep the interpreter from ending."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


def fan_out(answer: Callable[[Question], Answer], questions: Sequence[Question], workers: int) -> list[Answer]:
    """Answers in the order of the questions, at most `workers` asked at a time.

    An exception of `answer` ends the work and is raised. An interrupt lets nobody start again, and leaves those that
    are under way to themselves.
    """
    waiting = deque(enumerate(questions))
    answers: dict[int, Answer] = {}
    errors: list[BaseException] = []

    def work() -> None:
        while waiting:
            try:
                place, question = waiting.popleft()
            except IndexError:
                return
            try:
                answers[place] = answer(question)
            except BaseException as error:
                errors.append(error)
                waiting.clear()

    threads = [
        threading.Thread(target=work, name=f"tau-emotion-model-{number}", daemon=True)
        for number in range(min(workers, len(questions)))
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        waiting.clear()
    if errors:
        raise errors[0]
    return [answers[place] for place in range(len(questions))]
