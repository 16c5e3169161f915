"""A blocking call beside an event loop, in a thread that nobody waits for at the end."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """`function()` in a thread of its own.

    Unlike a pool's, the thread is a daemon, and there is no limit to how many: a call that hangs holds up neither
    the other calls nor the end of the process.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        else:
            future.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = function()
        except StopIteration as stopped:
            error = RuntimeError(f"{function!r} raised StopIteration")
            error.__cause__ = stopped
        except BaseException as raised:
            error = raised  # type: ignore[assignment]
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True).start()
    return await future
