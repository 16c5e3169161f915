"""Models by specification: shared, checked, and cheap until they are asked."""

import json
import subprocess
import sys

import pytest

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.envs.codec import make_codec
from tau_emotion_gym.errors import TauEmotionError, UnknownName
from tau_emotion_gym.llm import ChatRequest, Completion
from tau_emotion_gym.llm.models import BadOption, make_model, split_options
from tau_emotion_gym.users import make_user

SPEC = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}


class Echo:
    """A backend of somebody's own."""

    def __init__(self, prefix=""):
        self.prefix = prefix

    def complete(self, request):
        return Completion(self.prefix + request.messages[-1]["content"])

    def complete_many(self, requests):
        return [self.complete(request) for request in requests]

    async def acomplete(self, request):
        return self.complete(request)

    def describe(self):
        return {"kind": "echo", "prefix": self.prefix}


def test_the_same_specification_is_the_same_model():
    assert make_model(SPEC) is make_model(dict(reversed(SPEC.items())))
    assert make_model(SPEC) is not make_model({**SPEC, "temperature": 0.5})


def test_a_backend_of_ones_own():
    model = make_model({"kind": "test_models:Echo", "prefix": "> "})
    assert model.complete(ChatRequest([{"role": "user", "content": "hi"}])).text == "> hi"
    assert make_model({"kind": "test_models:Echo", "prefix": "> "}) is model


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"kind": "opanai", "model": "m"}, "did you mean 'openai'"),
        ({"kind": "test_models:Nothing"}, "Nothing"),
        ({"kind": "no_such_module:Model"}, "no_such_module"),
        ({**SPEC, "temprature": 1.0}, "did you mean 'temperature'"),
        ({"kind": "vllm", "model": "m", "base_url": "http://x"}, "unknown model option 'base_url'"),
    ],
)
def test_unknown_names_are_answered_with_the_valid_ones(spec, words):
    with pytest.raises(UnknownName, match=words):
        make_model(spec)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": ""}, '"model": is a name'),
        ({"temperature": "hot"}, r'^model option "temperature": Expected float \| null, got str$'),
        ({"temperature": -0.1}, '"temperature": is 0 or more'),
        ({"top_p": 0.0}, '"top_p"'),
        ({"max_tokens": 0}, '"max_tokens"'),
        ({"max_tokens": 1.5}, r'^model option "max_tokens": Expected int'),
        ({"stop": 3}, "stop"),
        ({"timeout": 0}, '"timeout"'),
        ({"retries": -1}, '"retries"'),
        ({"concurrency": 0}, '"concurrency"'),
        ({"requests_per_minute": 0}, '"requests_per_minute"'),
        ({"base_url": "localhost:8000"}, '^model option "base_url": a URL, which starts with http://'),
        ({"prices": {"prompt": 1}}, "completion"),
        ({"prices": {"prompt": 1, "completion": 2, "cached": 3}}, "cached"),
        ({"extra_body": [1]}, "extra_body"),
    ],
)
def test_wrong_values_are_named(options, words):
    with pytest.raises(BadOption, match=words) as caught:
        make_model({**SPEC, **options})
    assert isinstance(caught.value, TauEmotionError)
    assert isinstance(caught.value, ValueError)


def test_the_model_is_named():
    with pytest.raises(BadOption, match="model"):
        make_model({"kind": "openai"})


def test_a_key_in_a_specification_is_turned_away_unread():
    with pytest.raises(BadOption, match="api_key_env") as caught:
        make_model({**SPEC, "api_key": "Zq81-secret"})
    assert "Zq81" not in str(caught.value)


@pytest.mark.parametrize("spec", ["openai", None, {"model": "m"}, {"kind": 3}, {**SPEC, "stop": object()}])
def test_what_is_no_specification(spec):
    with pytest.raises(TypeError):
        make_model(spec)


def test_what_makes_no_model():
    with pytest.raises(TypeError, match="no ChatModel"):
        make_model({"kind": "builtins:dict"})


def test_options_of_the_model_and_the_rest():
    mine, rest = split_options("openai", {"model": "m", "temperature": 1, "tool_mode": "text", "retries": 3})
    assert mine == {"model": "m", "temperature": 1, "retries": 3}
    assert rest == {"tool_mode": "text"}
    assert split_options("vllm", {"model": "m", "engine": {}, "cue": True}) == (
        {"model": "m", "engine": {}},
        {"cue": True},
    )
    with pytest.raises(UnknownName):
        split_options("llama", {})


def test_a_key_among_flat_options_goes_to_the_model_which_turns_it_away():
    mine, rest = split_options("openai", {"model": "m", "api_key": "Zq81-secret"})
    assert rest == {}
    with pytest.raises(BadOption):
        make_model({"kind": "openai", **mine})


@pytest.mark.parametrize("kind", ["openai", "vllm"])
def test_descriptions_are_json_and_leave_throughput_out(kind):
    spec = {"kind": kind, "model": "m", "temperature": 0.0, "prices": {"prompt": 0.5, "completion": 2}}
    told = json.loads(json.dumps(make_model(spec).describe()))
    assert told["kind"] == kind
    assert (told["model"], told["temperature"]) == ("m", 0.0)
    assert told["prices"] == {"prompt": 0.5, "completion": 2}
    if kind == "openai":
        assert make_model({**spec, "concurrency": 3, "timeout": 1.0, "retries": 0}).describe() == told


@pytest.mark.parametrize("kind", ["openai", "vllm"])
def test_making_and_describing_loads_no_client(kind):
    code = (
        "import sys; from tau_emotion_gym.llm.models import make_model; "
        f"make_model({{'kind': {kind!r}, 'model': 'm'}}).describe(); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"openai", "httpx", "httpx2", "vllm", "torch"} & set(loaded)


@pytest.mark.parametrize("kind", ["openai", "vllm"])
def test_a_package_that_is_missing_is_named(kind):
    code = (
        f"import os, sys; sys.modules[{kind!r}] = None; os.environ['OPENAI_API_KEY'] = 'any'\n"
        "from tau_emotion_gym.llm.models import make_model\n"
        "from tau_emotion_gym.llm import ChatRequest, ModelRefused\n"
        f"try: make_model({{'kind': {kind!r}, 'model': 'm'}}).complete(ChatRequest([]))\n"
        "except ModelRefused as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"pip install 'tau-emotion-gym[{kind}]'" in done.stdout


@pytest.mark.parametrize("kind", [":Model", "no.such.module:Model", "json:Model", ".models:Model", "json:"])
@pytest.mark.parametrize("make", [make_model, make_agent, make_user, make_codec])
def test_a_path_that_leads_nowhere_is_an_unknown_name(make, kind):
    with pytest.raises(UnknownName, match=kind):
        make({"kind": kind})
