"""OpenEnv: what goes over the wire, and the client. The server is in `openenv_server`.

    async with TauEmotionClient(base_url="http://localhost:8000") as client:
        result = await client.reset(task_id="train-0-0", emotion="anger")
        result = await client.step(ServiceAction(message="How can I help you?"))

Needs the extra: pip install 'tau-emotion-gym[openenv]'. One client is one session of the server, which plays one
conversation after another; `client.sync()` is the blocking form.
"""

from typing import Any, Self

try:
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import Field, model_validator
    from pydantic_core import PydanticCustomError
except ImportError as error:
    raise ImportError("this needs openenv: pip install 'tau-emotion-gym[openenv]'") from error


class ServiceAction(Action):
    """What the agent does: exactly one of `name` (with `arguments`) and `message`.

    A tool or arguments that do not exist are no error of the protocol: the environment answers with an error turn.

    Attributes:
        name: a tool's name, or "respond".
        arguments: its arguments, or their JSON text.
        message: an assistant message in the OpenAI format, or a model's completion as it wrote it.
    """

    name: str | None = Field(default=None, description='A tool\'s name, or "respond" for a message to the customer')
    arguments: dict[str, Any] | str = Field(default_factory=dict, description="The arguments, or their JSON text")
    message: dict[str, Any] | str | None = Field(
        default=None, description="An assistant message in the OpenAI format, or the text of a completion"
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.name is None) == (self.message is None):
            raise PydanticCustomError("one_of_both", "an action has either 'name' or 'message'")
        return self


class ServiceObservation(Observation):
    """What the agent sees next.

    Attributes:
        messages: to be appended to the conversation; after a reset, the system message and the opening.
        tools: OpenAI function definitions; after a reset only.
        done: the conversation is over.
        reward: 0.0 until the end.
        metadata: `info` always; at the end also `outcome`, `success`, `truncated`, `mask_sample`, `terms`, `detail`.
    """

    messages: list[dict[str, Any]] = Field(default_factory=list, description="Messages to append to the conversation")
    tools: list[dict[str, Any]] | None = Field(default=None, description="Function definitions, after a reset")


class ServiceState(State):
    """Which episode a session plays.

    Attributes:
        domain, task_id, emotion, episode_seed: the episode.
        outcome: why it ended; "" while it goes on.
    """

    domain: str = ""
    task_id: str = ""
    emotion: str = ""
    episode_seed: str = ""
    outcome: str = ""


class TauEmotionClient(EnvClient[ServiceAction, ServiceObservation, ServiceState]):
    """One session of a server: `reset(task_id=…, emotion=…, episode_seed=…)`, `step(ServiceAction(…))`, `state()`.

    Arguments are those of `openenv.core.EnvClient`.
    """

    def _step_payload(self, action: ServiceAction) -> dict[str, Any]:
        found: dict[str, Any] = action.model_dump(exclude_defaults=True)
        return found

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ServiceObservation]:
        reward, done = payload.get("reward"), bool(payload.get("done", False))
        observation = ServiceObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=observation, reward=reward, done=done, metadata=observation.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> ServiceState:
        return ServiceState(**payload)
