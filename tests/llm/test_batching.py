"""Waiting coroutines become batches: nothing lost, nothing mixed up, one batch at a time."""

import asyncio
import threading
import time

import pytest

from tau_emotion_gym.llm.batching import Batcher


class Doubler:
    """Answers with twice the number; remembers its batches, and the threads that they ran in."""

    def __init__(self, pause=0.0):
        self.batches = []
        self.threads = set()
        self.running = 0
        self.most_running = 0
        self.pause = pause

    def __call__(self, numbers):
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self.batches.append(list(numbers))
        self.threads.add(threading.current_thread())
        time.sleep(self.pause)
        self.running -= 1
        return [ValueError(f"odd {number}") if number % 2 else 2 * number for number in numbers]


async def ask_all(batcher, numbers):
    return await asyncio.gather(*map(batcher.ask, numbers), return_exceptions=True)


def test_what_waits_together_is_one_batch():
    double = Doubler()
    assert asyncio.run(ask_all(Batcher(double), range(0, 40, 2))) == list(range(0, 80, 4))
    assert double.batches == [list(range(0, 40, 2))]


def test_an_error_stands_in_its_place():
    first, second, third = asyncio.run(ask_all(Batcher(Doubler()), [2, 3, 4]))
    assert (first, third) == (4, 8)
    assert str(second) == "odd 3"


def test_an_error_of_the_whole_batch_reaches_all():
    def fail(numbers):
        raise RuntimeError("down")

    batcher = Batcher(fail)
    answers = asyncio.run(ask_all(batcher, [1, 2]))
    assert [str(answer) for answer in answers] == ["down", "down"]
    assert [str(answer) for answer in asyncio.run(ask_all(batcher, [1]))] == ["down"]


def test_nobody_waits_for_ever_for_a_thread_that_has_ended():
    def leave(numbers):
        if numbers == [1]:
            raise SystemExit(7)
        return numbers[1:]

    batcher = Batcher(leave)
    for number, message in ((1, "the batch ended with SystemExit: 7"), (2, "0 answers to 1 questions")):
        with pytest.raises(RuntimeError, match=message):
            asyncio.run(asyncio.wait_for(batcher.ask(number), 5))


def test_while_a_batch_runs_the_next_one_gathers():
    async def late(batcher, number):
        await asyncio.sleep(0.1)
        return await batcher.ask(number)

    async def go(batcher):
        return await asyncio.gather(batcher.ask(0), *[late(batcher, number) for number in range(2, 22, 2)])

    double = Doubler(pause=0.3)
    asyncio.run(go(Batcher(double, quiet=0.02)))
    assert [len(batch) for batch in double.batches] == [1, 10]
    assert len(double.threads) == 1


def test_several_event_loops_share_the_batches():
    double = Doubler(pause=0.02)
    batcher = Batcher(double)
    answers = {}
    threads = [
        threading.Thread(
            target=lambda n=n: answers.update({n: asyncio.run(ask_all(batcher, range(2 * n, 2 * n + 8, 2)))})
        )
        for n in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: [2 * k for k in range(2 * n, 2 * n + 8, 2)] for n in range(5)}
    assert double.most_running == 1


def test_who_gives_up_leaves_the_batch():
    async def go(batcher):
        first = asyncio.create_task(batcher.ask(0))
        await asyncio.sleep(0.1)
        gone = asyncio.create_task(batcher.ask(2))
        stays = asyncio.create_task(batcher.ask(4))
        await asyncio.sleep(0.02)
        gone.cancel()
        return await first, await stays

    double = Doubler(pause=0.3)
    assert asyncio.run(go(Batcher(double))) == (0, 8)
    assert double.batches == [[0], [4]]


def test_steady_newcomers_do_not_keep_a_batch_open_for_ever():
    async def go(batcher):
        tasks = []
        for number in range(0, 100, 2):
            tasks.append(asyncio.create_task(batcher.ask(number)))
            await asyncio.sleep(0.005)
        return await asyncio.gather(*tasks)

    double = Doubler()
    assert asyncio.run(go(Batcher(double, quiet=0.05, longest_wait=0.1))) == list(range(0, 200, 4))
    assert len(double.batches) >= 2


def test_the_thread_ends_when_nobody_asks():
    double = Doubler()
    asyncio.run(ask_all(Batcher(double), [2]))
    (thread,) = double.threads
    thread.join(5)
    assert not thread.is_alive()


@pytest.mark.parametrize("rounds", [50])
def test_every_question_is_answered_whenever_it_comes(rounds):
    async def go(batcher):
        return [await batcher.ask(2 * number) for number in range(rounds)]

    assert asyncio.run(go(Batcher(Doubler(), quiet=0.0, longest_wait=0.001))) == [4 * n for n in range(rounds)]
