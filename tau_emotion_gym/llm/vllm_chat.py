"""Models in this process, by vLLM: one batch of conversations at a time."""

import json
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from tau_emotion_gym.llm.base import ChatRequest, Completion, ContextOverflow, ModelError, ModelRefused, Usage
from tau_emotion_gym.llm.batching import Batcher
from tau_emotion_gym.llm.failures import is_overflow
from tau_emotion_gym.llm.options import EngineOptions
from tau_emotion_gym.llm.reading import well_formed, well_formed_json

TEMPLATE_OPTIONS = "chat_template_kwargs"
"""The field of `extra_body` that goes to the chat template, as on vLLM's server; the others are sampling parameters."""

MODEL_DEFAULTS = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
"""Sampling parameters that a model may bring along in its generation config."""


class VLLMChat:
    """A model that vLLM runs in this process.

    It is loaded at the first request, once per process for all who use the same model with the same engine options.
    """

    def __init__(self, options: EngineOptions) -> None:
        self._options = options

    def __repr__(self) -> str:
        return f"VLLMChat({self.describe()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (msgspec.to_builtins(self._options),)

    def describe(self) -> dict[str, Any]:
        """The model, its engine options and its decoding."""
        engine = {"engine": self._options.engine} if self._options.engine else {}
        return {"kind": "vllm", **self._options.described(), **engine}

    def complete(self, request: ChatRequest) -> Completion:
        """The answer to one request.

        Raises:
            ModelError: no answer could be had.
        """
        (answer,) = self.complete_many([request])
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[Completion | ModelError]:
        """Answers to several requests in one batch, in order; an error stands in its place."""
        if not requests:
            return []
        return _engine(self._options).answer([Job(request, self._options) for request in requests])

    async def acomplete(self, request: ChatRequest) -> Completion:
        """`complete` in a batch with what else waits for this engine, without blocking the event loop."""
        return await _waiting_room(self._options).ask(Job(request, self._options))


class Job(NamedTuple):
    """A request and the options of the model that it was put to."""

    request: ChatRequest
    options: EngineOptions


class Engine:
    """A loaded model, used by one thread at a time.

    When vLLM itself fails in the midst of a batch (out of memory, a bug), unfinished requests stay in it and would
    spoil every later batch: from then on everything is refused.
    """

    def __init__(self, llm: Any) -> None:
        self._llm = llm
        self._lock = threading.Lock()
        self._broken: ModelRefused | None = None

    def answer(self, jobs: Sequence[Job]) -> list[Completion | ModelError]:
        """Answers in order: one `LLM.chat` for all jobs with the same tools and template options."""
        answers: dict[int, Completion | ModelError] = {}
        with self._lock:
            for places in _alike(jobs):
                group = [jobs[place] for place in places]
                answers.update(zip(places, self._chat(group), strict=True))
        return [answers[place] for place in range(len(jobs))]

    def _chat(self, jobs: Sequence[Job]) -> Sequence[Completion | ModelError]:
        """One batch; where a job makes vLLM refuse the whole, the halves are tried, so that it fails alone."""
        if self._broken:
            return [self._broken] * len(jobs)
        try:
            return self._batch(jobs)
        except ModelError as error:
            return [error] * len(jobs)
        except Exception as error:
            if self._llm.llm_engine.has_unfinished_requests():
                self._broken = ModelRefused(f"vLLM failed and cannot go on: {type(error).__name__}: {error}")
                return [self._broken] * len(jobs)
            if len(jobs) == 1:
                return [_error(jobs[0], error)]
        half = len(jobs) // 2
        return [*self._chat(jobs[:half]), *self._chat(jobs[half:])]

    def _batch(self, jobs: Sequence[Job]) -> list[Completion]:
        request, options = jobs[0]
        outputs = self._llm.chat(
            [well_formed_json(list(job.request.messages)) for job in jobs],
            [self._sampling(job) for job in jobs],
            use_tqdm=False,
            tools=list(request.tools) or None,
            chat_template_kwargs=_template_options(options),
        )
        return [_completion(job, output) for job, output in zip(jobs, outputs, strict=True)]

    def _sampling(self, job: Job) -> Any:
        from vllm import SamplingParams

        default = self._llm.get_default_sampling_params()
        values = {name: getattr(default, name) for name in MODEL_DEFAULTS}
        values |= {"max_tokens": None, **job.options.decoding(), "seed": job.request.seed}
        values |= {name: value for name, value in _extra(job.options).items() if name != TEMPLATE_OPTIONS}
        try:
            return SamplingParams(**values)
        except (TypeError, ValueError) as error:
            raise ModelRefused(
                f"model {job.options.model!r}: vLLM takes no such sampling parameters: {error}"
            ) from None


_engines: dict[tuple[int, str], Engine] = {}
_rooms: dict[tuple[int, str], Batcher[Job, Completion]] = {}
"""Loaded models, and those who wait for them, by process and engine options."""

_loading = threading.Lock()


def _key(options: EngineOptions) -> tuple[int, str]:
    return os.getpid(), json.dumps([options.model, options.engine], sort_keys=True)


def _waiting_room(options: EngineOptions) -> Batcher[Job, Completion]:
    key = _key(options)
    if key not in _rooms:
        _rooms.setdefault(key, Batcher(lambda jobs: _engine(options).answer(jobs)))
    return _rooms[key]


def _engine(options: EngineOptions) -> Engine:
    key = _key(options)
    with _loading:
        if key not in _engines:
            _engines[key] = Engine(_loaded(options))
        return _engines[key]


def _loaded(options: EngineOptions) -> Any:
    try:
        from vllm import LLM
    except ImportError as error:
        raise ModelRefused(
            f"a model of kind 'vllm' needs the vllm package: pip install 'tau-emotion-gym[vllm]' ({error})"
        ) from None
    try:
        return LLM(model=options.model, **(options.engine or {}))
    except Exception as error:
        raise ModelRefused(f"vLLM cannot load the model {options.model!r}: {error}") from error


def _again(options: dict[str, Any]) -> VLLMChat:
    return VLLMChat(msgspec.convert(options, EngineOptions))


def _alike(jobs: Sequence[Job]) -> Iterable[list[int]]:
    """Places of the jobs that fit into one call."""
    groups: dict[str, list[int]] = {}
    for place, (request, options) in enumerate(jobs):
        alike = json.dumps([list(request.tools), _template_options(options)], sort_keys=True, default=dict)
        groups.setdefault(alike, []).append(place)
    return groups.values()


def _extra(options: EngineOptions) -> dict[str, Any]:
    return options.extra_body or {}


def _template_options(options: EngineOptions) -> Any:
    return _extra(options).get(TEMPLATE_OPTIONS)


def _completion(job: Job, output: Any) -> Completion:
    """A completion from vLLM's output; the tool calls are read from the text where tools were offered."""
    from tau_emotion_gym.llm.tool_text import parse_tool_text

    best = output.outputs[0]
    text = well_formed(best.text)
    text, calls = parse_tool_text(text) if job.request.tools else (text, ())
    return Completion(
        text=text,
        calls=calls,
        finish="tool_calls" if calls else (best.finish_reason or "stop"),
        usage=Usage(1, len(output.prompt_token_ids or ()), len(best.token_ids)),
    )


def _error(job: Job, error: Exception) -> ModelError:
    """vLLM's own error as ours: some of its versions raise ValueError for a wrong request, others their own types."""
    kind = ContextOverflow if is_overflow(str(error)) else ModelError
    return kind(f"model {job.options.model!r} in vLLM: {type(error).__name__}: {error}")
