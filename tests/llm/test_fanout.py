"""Blocking calls side by side: in order, bounded, and gone when the interpreter ends."""

import subprocess
import sys
import threading
import time

import pytest

from tau_emotion_gym.llm.fanout import fan_out


def test_answers_are_in_order():
    assert fan_out(lambda n: (time.sleep(0.001 * (n % 7)), n)[1], range(50), 8) == list(range(50))
    assert fan_out(str, [], 8) == []


def test_no_more_than_allowed_at_a_time():
    running = []
    most = []
    lock = threading.Lock()

    def answer(number):
        with lock:
            running.append(number)
            most.append(len(running))
        time.sleep(0.01)
        with lock:
            running.remove(number)

    fan_out(answer, range(20), 3)
    assert max(most) == 3


def test_an_exception_ends_the_work_and_is_raised():
    asked = []

    def answer(number):
        asked.append(number)
        if number == 3:
            raise KeyError("three")
        time.sleep(0.01)

    with pytest.raises(KeyError, match="three"):
        fan_out(answer, range(1000), 2)
    assert len(asked) < 10


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_does_not_wait_for_a_server_that_hangs():
    code = (
        "import signal, threading, time\n"
        "from tau_emotion_gym.llm.fanout import fan_out\n"
        "interrupt = lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)\n"
        "threading.Timer(0.2, interrupt).start()\n"
        "try: fan_out(time.sleep, [60] * 10, 4)\n"
        "except KeyboardInterrupt: print('left')"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "left", done.stderr
    assert time.monotonic() - began < 20
