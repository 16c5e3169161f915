"""TRL: conversations for `GRPOTrainer` as a `rollout_func`, in which the model writes to the customer as it is.

    trainer = GRPOTrainer(model, rollout_func=Rollout("retail"), reward_funcs=[conversation_reward], args=…,
                          train_dataset=Dataset.from_list(rollout_rows(rows("retail", 1000))))

All conversations of a batch go on in step: one generation for those that wait for the model, then all their
customers and tools at once. What was sampled is never tokenised again; `env_mask` is 1 on it and 0 on all else, and on
all of a conversation that a server broke off.
Generation is the trainer's own: transformers, vLLM in the process ("colocate") or vLLM as a server. Nothing of TRL
is imported here: written for TRL 1.16.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tau_emotion_gym.envs.chat import Message
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.errors import TauEmotionError, unknown
from tau_emotion_gym.integrations.core import Desk, Result, Talk
from tau_emotion_gym.integrations.rows import Row
from tau_emotion_gym.integrations.tokens import TemplateTokens
from tau_emotion_gym.integrations.trl import log_outcomes

T = TypeVar("T")

FULL = "The conversation no longer fits into max_completion_length or the model's context."


def rollout_rows(rows: Iterable[Row]) -> list[dict[str, str]]:
    """Rows for the data set of a `rollout_func`, which sees prompts alone: the prompt names the episode, as JSON."""
    return [{"prompt": msgspec.json.encode({**row, "prompt": None}).decode()} for row in rows]


def conversation_reward(result: list[Result], log_metric: Callable[[str, float], None], **_: Any) -> list[float | None]:
    """The reward function that goes with `Rollout`: None where a server failed, which TRL leaves out of its group."""
    log_outcomes(result, log_metric)
    return [None if one.mask_sample else one.reward for one in result]


class Rollout:
    """A `rollout_func`.

    Args:
        domain: name of the domain, or path of its folder, or several, among which rows choose.
        turn_tokens: most tokens of one answer; `max_completion_length`, which all turns share, when None.
        settings: further arguments of `Desk`.

    Raises:
        UnknownName, TypeError, ValueError: as `Desk`.
    """

    def __init__(
        self, domain: str | Path | Sequence[str | Path], *, turn_tokens: int | None = None, **settings: Any
    ) -> None:
        several = [domain] if isinstance(domain, str | Path) else domain
        desks = [Desk(one, **settings) for one in several]
        self._desks = {desk.domain.name: desk for desk in desks}
        self._turn_tokens = turn_tokens
        self._loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, Any]:
        """Play one conversation per prompt.

        Returns:
            `prompt_ids`, `completion_ids`, `logprobs` (None where the trainer's generation gives none), `env_mask`,
            and `result`, a `Result` per conversation, which reward functions get as a list.

        Raises:
            TauEmotionError: several processes share one vLLM server, which would wait for each other for ever.
            ModelRefused: a customer's server refuses every request.
        """
        if trainer.use_vllm and trainer.vllm_mode == "server" and trainer.accelerator.num_processes > 1:
            raise TauEmotionError("several processes cannot share a vLLM server here; use vllm_mode='colocate'")
        tokens = TemplateTokens(
            trainer._tokenizer,
            ends=trainer.eos_token_ids,
            template=trainer.chat_template,
            settings=trainer.chat_template_kwargs,
        )
        seats = self._begun([msgspec.json.decode(prompt) for prompt in prompts], tokens, trainer)
        while waiting := [seat for seat in seats if seat.waiting]:
            with _turn_limit(trainer, self._turn_tokens):
                answers, logprobs = trainer._generate_single_turn([seat.ids for seat in waiting], None, {}, 1)
            for place, seat in enumerate(waiting):
                seat.take(answers[place], logprobs[place] if logprobs else None)
            self._together(seat.play() for seat in waiting)
        results = [seat.talk.finish() for seat in seats]
        return {
            "prompt_ids": [seat.prompt_ids for seat in seats],
            "completion_ids": [seat.completion_ids for seat in seats],
            "logprobs": [seat.logprobs for seat in seats] if all(seat.has_logprobs for seat in seats) else None,
            "env_mask": [
                [0] * len(seat.mask) if result.mask_sample else seat.mask
                for seat, result in zip(seats, results, strict=True)
            ],
            "result": results,
        }

    def _begun(self, rows: Sequence[Mapping[str, Any]], tokens: TemplateTokens, trainer: Any) -> "list[Seat]":
        talks = [self._desk(row).talk() for row in rows]
        openings = self._together(talk.astart(row) for talk, row in zip(talks, rows, strict=True))
        room = _room(trainer)
        return [
            Seat(talk, opening, tokens, trainer._tokenizer, room) for talk, opening in zip(talks, openings, strict=True)
        ]

    def _desk(self, row: Mapping[str, Any]) -> Desk:
        name = row["domain"]
        if name not in self._desks:
            raise unknown("domain of this rollout", name, self._desks)
        return self._desks[name]

    def _together(self, tasks: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """Run coroutines side by side, always on one event loop, which models' clients cling to."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="tau-emotion-rollout", daemon=True).start()

        async def all_of_them() -> list[T]:
            return await asyncio.gather(*tasks)

        return asyncio.run_coroutine_threadsafe(all_of_them(), self._loop).result()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loop": None}


class Seat:
    """One conversation with its tokens.

    Args:
        talk: the conversation, begun.
        opening: its first messages.
        tokens: how its messages become tokens.
        tokenizer: reads what the model wrote.
        room: most tokens of completion, and of all.
    """

    def __init__(
        self,
        talk: Talk,
        opening: list[Message],
        tokens: TemplateTokens,
        tokenizer: Any,
        room: tuple[int, int],
    ) -> None:
        self.talk = talk
        self.prompt_ids = tokens.prompt(opening, talk.desk.tools)
        self.completion_ids: list[int] = []
        self.logprobs: list[float | None] = []
        self.mask: list[int] = []
        self.has_logprobs = True
        self._answer: list[int] = []
        self._cut = False
        self._tokens = tokens
        self._tokenizer = tokenizer
        self._room = min(room[0], room[1] - len(self.prompt_ids))
        if talk.over or self._room < 1:
            self._give_up()

    @property
    def ids(self) -> list[int]:
        """All tokens so far."""
        return self.prompt_ids + self.completion_ids

    @property
    def waiting(self) -> bool:
        """Whether it is the model's turn."""
        return not self.talk.over

    def take(self, answer: Sequence[int], logprobs: Sequence[float | None] | None) -> None:
        """Take in the tokens of an answer, as far as there is room."""
        left = self._room - len(self.completion_ids)
        self._cut = len(answer) > left or (len(answer) == left and answer[-1] not in self._tokens.ends)
        self._answer = list(answer[:left])
        self.has_logprobs = self.has_logprobs and logprobs is not None
        self._add(self._answer, 1, list(logprobs[:left]) if logprobs is not None else [None] * len(self._answer))

    async def play(self) -> None:
        """Carry the answer to the conversation, and what it brings about behind it."""
        if self._cut:
            self.talk.stop(Outcome.CONTEXT_LIMIT, FULL)
            return
        written = self._answer
        ended = bool(written) and written[-1] in self._tokens.ends
        if ended:
            written = written[:-1]
        messages = await self.talk.asend(self._tokenizer.decode(written, skip_special_tokens=False))
        if self.talk.over:
            self._give_up()
            return
        behind = self._tokens.behind(messages, ended=ended)
        if len(self.completion_ids) + len(behind) >= self._room:
            self.talk.stop(Outcome.CONTEXT_LIMIT, FULL)
            self._give_up()
            return
        self._add(behind, 0, [0.0] * len(behind))

    def _give_up(self) -> None:
        """The conversation is over; a completion without any token is none that a trainer takes."""
        self.talk.stop(Outcome.CONTEXT_LIMIT, FULL)
        if not self.completion_ids:
            self._add([self._tokenizer.eos_token_id], 0, [0.0])

    def _add(self, ids: Sequence[int], mask: int, logprobs: Sequence[float | None]) -> None:
        self.completion_ids += ids
        self.mask += [mask] * len(ids)
        self.logprobs += logprobs


def _room(trainer: Any) -> tuple[int, int]:
    """(most tokens of a completion, most tokens of all)."""
    if trainer.use_vllm and trainer.vllm_mode == "colocate":
        most = trainer.vllm_generation.llm.llm_engine.model_config.max_model_len
    else:
        most = trainer.model.config.max_position_embeddings
    return int(trainer.max_completion_length), int(most) - 1


@contextmanager
def _turn_limit(trainer: Any, limit: int | None) -> Iterator[None]:
    """While it lasts, the trainer generates no more than this many tokens at once."""
    if limit is None:
        yield
        return
    holder, name = (
        (trainer.vllm_generation, "max_completion_length")
        if trainer.use_vllm
        else (trainer.generation_config, "max_new_tokens")
    )
    before = getattr(holder, name)
    setattr(holder, name, min(limit, before))
    try:
        yield
    finally:
        setattr(holder, name, before)
