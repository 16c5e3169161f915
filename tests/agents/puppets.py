"""Models for tests: one that answers as the reference agent would, and one that reads its answers from a list.

Both check that what they are asked is what strict servers take.
"""

import json
import re
from itertools import pairwise

from tau_emotion_gym.agents import ReferenceAgent
from tau_emotion_gym.kit import TRANSFER, load
from tau_emotion_gym.llm import Call, ChatRequest, Completion, Usage
from tau_emotion_gym.llm.tool_text import render_call

RESPONSE = re.compile(r"<tool_response>\n(.*?)\n</tool_response>", re.S)
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Model:
    """What every backend has, over `answer`."""

    def answer(self, request: ChatRequest) -> Completion:
        raise NotImplementedError

    def complete(self, request):
        check_request(request)
        return self.answer(request)

    def complete_many(self, requests):
        return [self.complete(request) for request in requests]

    async def acomplete(self, request):
        return self.complete(request)

    def describe(self):
        return {"model": type(self).__name__}


class Puppet(Model):
    """Says and does what the reference agent does, from the messages alone.

    Args:
        domain, task: what the reference agent knows.
        form: "native" or "text".
        most: calls in one answer at most.
    """

    def __init__(self, domain, task, form="native", most=1):
        self.domain = load(domain)
        self.task = self.domain.test_tasks[task]
        self.form = form
        self.most = most

    def answer(self, request):
        agent = ReferenceAgent()
        agent.reset(self.domain, self.task)
        for observation in observations(request.messages):
            action = agent.act(observation)
        usage = Usage(1, len(request.messages), 1)
        if action["name"] == "respond":
            return Completion(action["arguments"]["content"], usage=usage)
        calls = []
        while action["name"] != "respond" and len(calls) < self.most:
            calls.append(Call("", action["name"], json.dumps(action["arguments"])))
            if action["name"] == TRANSFER:
                break
            action = agent.act({"role": "tool", "name": action["name"], "content": ""})
        if self.form == "native":
            return Completion("", tuple(calls), finish="tool_calls", usage=usage)
        return Completion("\n".join(map(render_call, calls)), usage=usage)


class Script(Model):
    """Gives prepared answers in order, and keeps what it was asked."""

    answers: list
    asked: list

    def answer(self, request):
        type(self).asked.append(request)
        answer = type(self).answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Completion(answer) if isinstance(answer, str) else answer


def observations(messages):
    """What an agent observed, from the messages of either form."""
    for message in messages:
        if message["role"] == "tool":
            yield {"role": "tool", "name": "", "content": message["content"]}
        elif message["role"] == "user" and (found := RESPONSE.findall(message["content"])):
            yield from ({"role": "tool", "name": "", "content": content} for content in found)
        elif message["role"] == "user":
            yield {"role": "user", "name": "user", "content": message["content"]}


def check_request(request):
    """Assert that a strict server takes these messages."""
    assert request.seed is None or 0 <= request.seed < 2**31
    json.dumps([*request.messages, *request.tools]).encode()
    roles = [message["role"] for message in request.messages]
    assert roles[:2] == ["system", "user"]
    assert "system" not in roles[1:]
    assert roles[-1] in ("user", "tool")
    assert all(before != after or before == "tool" for before, after in pairwise(roles))
    names = {tool["function"]["name"] for tool in request.tools}
    open_calls, seen = [], set()
    for message in request.messages:
        if message["role"] == "tool":
            assert message.keys() == {"role", "content", "tool_call_id"}
            assert message["tool_call_id"] == open_calls.pop(0)
            continue
        assert not open_calls, "a call without a result"
        assert message.keys() <= {"role", "content", "tool_calls"}
        calls = message.get("tool_calls", [])
        assert isinstance(message["content"], str) or (calls and message["content"] is None)
        assert not calls or names, "native calls in text mode"
        for call in calls:
            assert call.keys() == {"id", "type", "function"}
            assert NAME.fullmatch(call["function"]["name"])
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["id"] not in seen
            seen.add(call["id"])
            open_calls.append(call["id"])
    assert not open_calls
