"""verl: conversations as an agent loop.

In the file that `actor_rollout_ref.rollout.agent.agent_loop_config_path` names:

    - name: tau_retail
      _target_: tau_emotion_gym.integrations.verl.TauAgentLoop
      desk: {domain: retail, user: scripted}

and in the data set, rows made by `loop_rows("tau_retail", rows("retail", 1000))`. verl makes a loop for each sample and
runs many of them in one event loop, so nothing here blocks it. Needs the extra `verl`; written for verl 0.9.
"""

import time
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from tau_emotion_gym.envs.chat import Message
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.integrations.core import Result, Talk
from tau_emotion_gym.integrations.desks import desk_of, desk_settings
from tau_emotion_gym.integrations.rows import Row

try:
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput
except ImportError as error:
    raise ImportError(
        "this needs verl, cachetools, uvicorn and fastapi: pip install 'tau-emotion-gym[verl]'"
    ) from error

KEPT = ("strict_success", "satisfaction", "patience", "violations", "tool_errors", "questions", "steps", "mask_sample")
"""Numbers of a conversation's `info` that verl reports, as `tau_…`; success is its `acc`."""


def loop_rows(name: str, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows for verl's data set, each with the name of its agent loop."""
    return [
        {
            **row,
            "agent_name": name,
            "data_source": f"tau_emotion/{row['domain']}",
            "reward_model": {"style": "rule", "ground_truth": ""},
            "extra_info": {"index": index},
        }
        for index, row in enumerate(rows)
    ]


class TauAgentLoop(AgentLoopBase):
    """One conversation of a sample.

    The reward is the episode's own, on the last token; `reward_extra_info` has the raw outcome. Tokens that the model
    did not write have mask 0, and where a server failed all tokens have, so that the sample teaches nothing; where it
    failed before the model was asked, the response is one such token. Out of tokens means cut (`context_limit`), out of
    `multi_turn.max_assistant_turns` too (`step_limit`). An answer that ends with the last token that fits is carried
    out.

    Args:
        desk: arguments of `Desk`. With `tools_in_prompt`, for templates that take no tools, rows need it as well, and
            `think_tool`, if it is on.
        tools: verl's own tools: none are used.
        arguments: of `AgentLoopBase`.
    """

    def __init__(self, *arguments: Any, desk: Mapping[str, Any], tools: Any = None, **named: Any) -> None:
        super().__init__(*arguments, **named)
        given = OmegaConf.to_container(desk) if OmegaConf.is_config(desk) else desk
        self._desk = desk_of(desk_settings(**given))
        self._tools = None if given.get("tools_in_prompt") else self._desk.tools
        self._most_tokens = self.rollout_config.response_length
        self._most_turns = self.rollout_config.multi_turn.max_assistant_turns

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """Play the row's episode."""
        talk = self._desk.talk()
        _, *opening = await talk.astart(row)
        messages: list[Message] = [*row["raw_prompt"], *opening]
        tokens = _Tokens(self, await self.ct_build_initial_tokens(messages, tools=self._tools), self._tools)
        request, turns = uuid4().hex, 0
        while not talk.over and not (self._most_turns and turns >= self._most_turns):
            text = await tokens.generate(request, sampling_params)
            turns += 1
            if not self._whole(tokens):
                self._cut(talk)
                break
            said = [*messages, {"role": "assistant", "content": text}]
            messages = [*said, *await talk.asend(text)]
            if not talk.over and tokens.written < self._most_tokens:
                await tokens.add(said, messages)
            if tokens.written >= self._most_tokens:
                self._cut(talk)
        if not tokens.written:
            tokens.fill(logprobs=bool(sampling_params.get("logprobs")))
        return self._output(tokens, talk.finish(), turns)

    def _whole(self, tokens: "_Tokens") -> bool:
        """Whether the answer fits with its end; one that fills the response without its end was broken off."""
        left = self._most_tokens - tokens.written
        return left > 0 or (left == 0 and bool(tokens.ids[-1] == self.tokenizer.eos_token_id))

    def _cut(self, talk: Talk) -> None:
        talk.stop(Outcome.CONTEXT_LIMIT, f"{self._most_tokens} tokens are used up")

    def _output(self, tokens: "_Tokens", result: Result, turns: int) -> AgentLoopOutput:
        most, written = self._most_tokens, tokens.written
        start = len(tokens.ids) - written
        mask = [0] * written if result.mask_sample else tokens.mask
        return AgentLoopOutput(
            prompt_ids=tokens.ids[:start],
            response_ids=tokens.ids[start:][:most],
            response_mask=mask[:most],
            response_logprobs=tokens.logprobs[:most] if tokens.logprobs else None,
            reward_score=result.reward,
            num_turns=2 * turns + 1,
            metrics=AgentLoopMetrics(generate_sequences=tokens.seconds),
            extra_fields={
                **tokens.extra,
                "turn_scores": [],
                "tool_rewards": [],
                "reward_extra_info": _numbers(result),
                "tau_detail": result.detail,
            },
        )


class _Tokens:
    """The tokens of one sample: the prompt, what the model wrote, and what came back.

    Attributes:
        ids: all of them.
        mask: behind the prompt, 1 for those that the model wrote.
        logprobs: beside `mask`; None where the server gives none.
        seconds: how long the server took.
        extra: what the server said besides.
    """

    def __init__(self, loop: AgentLoopBase, prompt: list[int], tools: Any) -> None:
        self._loop = loop
        self._tools = tools
        self.ids = prompt
        self.mask: list[int] = []
        self.logprobs: list[float] | None = None
        self.seconds = 0.0
        self.extra: dict[str, Any] = {}

    @property
    def written(self) -> int:
        """The length of the response: of all behind the prompt."""
        return len(self.mask)

    def fill(self, *, logprobs: bool) -> None:
        """Put one token that the model did not write, since verl has no place for an empty response.

        Args:
            logprobs: whether other samples have them, as all of a batch must.
        """
        self.ids = [*self.ids, self._loop.tokenizer.eos_token_id]
        self.mask = [0]
        self.logprobs = [0.0] if logprobs else None

    async def generate(self, request: str, sampling: dict[str, Any]) -> str:
        """Let the model go on; its text, with its marks."""
        loop = self._loop
        began = time.perf_counter()
        output = await loop.server_manager.generate(request_id=request, prompt_ids=self.ids, sampling_params=sampling)
        self.seconds += time.perf_counter() - began
        self.extra.update(output.extra_fields)
        before = [] if self.logprobs is None and output.log_probs else self.logprobs
        merged, self.mask, self.logprobs = await loop.ct_merge_assistant_token(
            self.ids, output.token_ids, self.mask, before, assistant_logprobs=output.log_probs or None
        )
        self.ids = merged.token_ids
        return str(loop.tokenizer.decode(output.token_ids, skip_special_tokens=False))

    async def add(self, said: list[Message], messages: list[Message]) -> None:
        """Append the messages behind those that were said."""
        merged, self.mask, self.logprobs = await self._loop.ct_merge_context_msg(
            said, messages, self.ids, self.mask, self.logprobs, tools=self._tools
        )
        self.ids = merged.token_ids


def _numbers(result: Result) -> dict[str, float]:
    kept = {f"tau_{key}": result.info[key] for key in KEPT}
    outcomes = {f"tau_outcome_{outcome}": float(result.outcome == outcome) for outcome in Outcome}
    return {"acc": float(result.success), **kept, **outcomes}
