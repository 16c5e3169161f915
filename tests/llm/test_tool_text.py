"""Tool calls as text: a table of what models write, round trips in every notation, and fuzzing."""

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_emotion_gym.llm import Call
from tau_emotion_gym.llm.tool_text import MOST_CALLS, ToolText, parse_tool_text, render_call, tools_prompt

EXAMPLES = 60


class Case(msgspec.Struct, forbid_unknown_fields=True):
    """A text, the (name, arguments, id) of its calls, and what is left of it."""

    name: str
    given: str
    calls: list[list[str]]
    text: str


CASES = msgspec.json.decode((Path(__file__).parent / "tool_texts.json").read_bytes(), type=list[Case])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_models_write(case):
    read = parse_tool_text(case.given)
    assert [(call.name, call.arguments, call.id) for call in read.calls] == [
        (*call, "")[:3] for call in map(tuple, case.calls)
    ]
    assert read.text == case.text


def test_the_table_is_large_and_its_names_differ():
    assert len({case.name for case in CASES}) == len(CASES) >= 70


# --- round trips ------------------------------------------------------------------------------------------

NAMES = st.text("abcxyz_", min_size=1, max_size=12)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["</tool_call>", '"}', "\\", "<think>", "```", "[TOOL_CALLS]", "}{", "\n{", "<|python_tag|>", "{'", "\u2028"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
CALLS = st.lists(st.tuples(NAMES, st.dictionaries(NAMES, VALUES, max_size=4)), min_size=1, max_size=4)


def hermes(calls):
    return "\n".join(render_call(Call("", name, json.dumps(arguments))) for name, arguments in calls)


def hermes_unclosed(calls):
    return hermes(calls).removesuffix("\n</tool_call>")


def llama(calls):
    return "; ".join(json.dumps({"name": name, "parameters": arguments}) for name, arguments in calls)


def python_tag(calls):
    return f"<|python_tag|>{llama(calls)}<|eom_id|>"


def mistral(calls):
    return "[TOOL_CALLS] " + json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls])


def mistral_named(calls):
    return "".join(f"[TOOL_CALLS]{name}[ARGS]{json.dumps(arguments)}" for name, arguments in calls)


def openai(calls):
    return json.dumps({"tool_calls": [openai_call(*call) for call in calls]}, indent=2)


def openai_list(calls):
    return json.dumps([openai_call(*call) for call in calls], ensure_ascii=False)


def openai_call(name, arguments):
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def fenced(calls):
    return "\n".join(f"```json\n{json.dumps({'name': n, 'arguments': a}, indent=1)}\n```" for n, a in calls)


FORMS = [hermes, hermes_unclosed, llama, python_tag, mistral, mistral_named, openai, openai_list, fenced]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@settings(max_examples=EXAMPLES, deadline=None)
@given(calls=CALLS)
def test_calls_come_back_from_every_notation(form, calls):
    read = parse_tool_text(form(calls))
    assert [(call.name, json.loads(call.arguments)) for call in read.calls] == calls
    assert read.text == ""


@settings(max_examples=EXAMPLES, deadline=None)
@given(calls=st.lists(st.tuples(NAMES, st.dictionaries(NAMES, st.text("aZ1 ,.#-é", min_size=1)))))
def test_text_parameters_come_back_from_the_elements_of_coders(calls):
    text = "\n".join(
        f"<tool_call>\n<function={name}>\n"
        + "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
        + "</function>\n</tool_call>"
        for name, arguments in calls
    )
    assert [(call.name, json.loads(call.arguments)) for call in parse_tool_text(text).calls] == calls


@settings(max_examples=EXAMPLES, deadline=None)
@given(name=TEXTS.filter(bool), arguments=TEXTS)
def test_even_a_broken_call_comes_back_from_its_rendering(name, arguments):
    assert parse_tool_text(render_call(Call("", name, arguments))).calls == (Call("", name, arguments.strip()),)


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    calls=CALLS, before=st.sampled_from(["", "Let me look.", "<think>so</think>"]), after=st.sampled_from(["", "Ok?"])
)
def test_text_around_calls_is_kept(calls, before, after):
    read = parse_tool_text(f"{before}\n{hermes(calls)}\n{after}")
    assert len(read.calls) == len(calls)
    assert read.text.split() == f"{before} {after}".split()


# --- fuzzing ----------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    """
    <tool_call> </tool_call> <function= <function=a> </function> <parameter=x> </parameter> [TOOL_CALLS] [ARGS]
    <|python_tag|> <think> </think> ``` ```json { } [ ] " ' : , ; \\ "name": "a" "arguments": {} null 1 é <|im_end|>
    {"name":"a","arguments":{}} "tool_calls":[ {'name':'a'
    """.split()  # noqa: SIM905
) | st.sampled_from(["\n", " ", "\ud800"])


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
def test_nothing_that_a_model_writes_raises_or_is_invented(text):
    read = parse_tool_text(text)
    assert isinstance(read, ToolText)
    assert all(isinstance(part, str) for call in read.calls for part in (call.id, call.name, call.arguments))
    read.text.encode()
    assert len(read.text) <= len(text)
    assert not read.calls or any(
        mark in text for mark in ("<tool_call>", "<function", "[TOOL", "<|py", "name", "tool_c")
    )


@settings(max_examples=EXAMPLES, deadline=None)
@given(CALLS.map(hermes).filter(lambda text: text.count("tool_call>") == 2 * text.count('{"name":')), st.data())
def test_a_call_cut_anywhere_is_whole_or_unreadable(text, data):
    whole = parse_tool_text(text).calls
    cut = parse_tool_text(text[: data.draw(st.integers(0, len(text)))]).calls
    assert cut[:-1] == whole[: max(len(cut) - 1, 0)]
    assert not cut or cut[-1] == whole[len(cut) - 1] or not is_object(cut[-1].arguments)


def is_object(text):
    try:
        value: Any = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict)


UNITS = [
    *["<tool_call>{", '<tool_call>["', "<tool_call>", '{"a":\n', "[\n", '[{"a":\n', "[" * 40 + "\n", '"\\"', "```{"],
    *["[TOOL_CALLS]a{", "<function=a>", "<function=a><parameter=b>", "<|python_tag|>{", '{"name":"a","arguments":{\n'],
    *["\n", " ", '{\n"', "<think>", "</think>", '```json\n{"a":', "</tool_call>", "<|im_end|>", "```", '{"a":{}}\n'],
    *['[{"name": "x", "arguments": 1},\n', '<tool_call>[TOOL_CALLS]{"', '<tool_call>{"a": "b"}}', "\\", "'", "{'name'"],
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_text_takes_more_than_linear_time(unit):
    def seconds(length):
        text = unit * (length // len(unit))
        begun = time.perf_counter()
        parse_tool_text(text)
        return time.perf_counter() - begun

    assert min(seconds(100_000) for _ in range(3)) < 1.0


def test_a_model_in_a_loop_is_stopped():
    read = parse_tool_text(hermes([("a", {})] * 1000))
    assert MOST_CALLS <= len(read.calls) <= MOST_CALLS + 16


# --- the prompt -------------------------------------------------------------------------------------------


def test_the_prompt_shows_every_tool_as_json(library):
    schemas = [tool.schema for tool in library.offered()]
    lines = tools_prompt(schemas).splitlines()
    shown = lines[lines.index("<tools>") + 1 : lines.index("</tools>")]
    assert [json.loads(line) for line in shown] == schemas
