"""The page of one environment, read off its domain."""

from collections import Counter
from inspect import getdoc
from typing import Any

from tau_emotion_gym.envs.names import env_id
from tau_emotion_gym.evaluation.pages.markdown import (
    code,
    codes,
    demoted,
    fence,
    grid,
    plural,
    quoted,
    schema_type,
)
from tau_emotion_gym.evaluation.pages.shared import HEADINGS, shared_sections
from tau_emotion_gym.kit import Domain, Intent, Kind, Tool
from tau_emotion_gym.tasks.graph import GENERIC, mermaid

_KINDS = {
    Kind.FULFIL: "granted",
    Kind.CONDITIONAL: "the first wish is impossible, a second best is granted",
    Kind.DENY: "refused, with the reason",
    Kind.INFORM: "answered with a figure that has to be worked out",
    Kind.HAND_OFF: "handed over to a human",
}


def environment_page(domain: Domain) -> str:
    """The whole page as Markdown."""
    shared = shared_sections()
    own = {
        "Description": _description(domain),
        "Policy": _policy(domain),
        "Tools": _tools(domain),
        "Starting State": _starting_state(domain),
        "Episode End": _episode_end(domain),
    }
    parts = [f"# {domain.title}", f"*Generated from the code by {code('python -m tau_emotion_gym.evaluation.pages')}.*"]
    for heading in HEADINGS:
        body = [text for text in (shared.get(heading, ""), own.get(heading, "")) if text]
        parts.append("\n\n".join([f"## {heading}", *body]))
    return "\n\n".join(parts) + "\n"


# --- description ------------------------------------------------------------------------------------


def _description(domain: Domain) -> str:
    make = (
        "import gymnasium as gym\nimport tau_emotion_gym\n\n"
        f'env = gym.make("{env_id(domain.name)}", emotion="anger")\nobservation, info = env.reset(seed=0)'
    )
    return "\n\n".join([domain.summary, fence(make, "python"), "### What customers want", _intents(domain)])


def _intents(domain: Domain) -> str:
    goals = Counter(goal.intent for task in domain.test_tasks.values() for goal in task.goals)
    rows = [
        (code(intent.name), _sentence(intent), str(goals[intent.name]), _notes(intent))
        for kind in Kind
        for intent in domain.intents.values()
        if intent.kind is kind
    ]
    by_kind = Counter(intent.kind for intent in domain.intents.values())
    lead = "; ".join(
        f"{by_kind[kind]} {kind.value.replace('_', ' ')} ({_KINDS[kind]})" for kind in Kind if by_kind[kind]
    )
    return f"By the right end of the wish: {lead}.\n\n" + grid(("intent", "the customer", "test goals", "kind"), rows)


def _sentence(intent: Intent) -> str:
    return (getdoc(intent.sample) or "").split("\n\n")[0].replace("\n", " ")


def _notes(intent: Intent) -> str:
    follows = f", after {codes(intent.follows)}" if intent.follows else ""
    return intent.kind.value.replace("_", " ") + (", emergency" if intent.emergency else "") + follows


# --- policy and tools -------------------------------------------------------------------------------


def _policy(domain: Domain) -> str:
    rows = ((code(rule.id), codes(rule.tools), _checked(rule.in_play)) for rule in domain.rules)
    return "\n\n".join(
        [
            "What the agent reads (`env.unwrapped.policy`):",
            quoted(demoted(domain.policy, 2)),
            "### Rules",
            "Each rule's sentence stands in the policy above; its check runs before each call of the tools it governs. "
            'A broken rule is counted in `info["violations"]` and does not stop the call.',
            grid(("rule", "governs", "checked"), rows),
        ]
    )


def _checked(in_play: bool) -> str:
    return "in the dialogue only" if in_play else "on the world"


def _tools(domain: Domain) -> str:
    offered = domain.offered(think_tool=True)
    overview = (
        (code(tool.name), "write" if tool.writes else "read", codes(tool.parameters["properties"]), tool.description)
        for tool in offered
    )
    parameters = (row for tool in offered for row in _parameters(tool))
    return "\n\n".join(
        [
            f"{plural(sum(not tool.writes for tool in offered), 'read')} and "
            f"{plural(sum(tool.writes for tool in offered), 'write')}. `think` is offered only with `think_tool=True`.",
            grid(("tool", "kind", "parameters", "what it does"), overview),
            "### Parameters",
            grid(("tool", "parameter", "type", "required", "meaning"), parameters),
            "### Tool graph",
            "How values flow from what the reads find to what the tools take: an arrow into a round node says that a "
            "read finds such a value, an arrow out of it that a tool takes one. Writes have double borders. Tasks are "
            "walks through this graph; a write's result may also feed a later call.",
            fence(flow(domain), "mermaid"),
            "<details>\n<summary>Tool to tool</summary>",
            fence(mermaid(domain), "mermaid"),
            "</details>",
        ]
    )


def flow(domain: Domain) -> str:
    """The flow of values as a Mermaid flowchart: reads → kinds of values → tools, reviewed edges dotted."""
    own = domain.own_tools
    found = {(tool.name, kind) for tool in own if not tool.writes for kind in tool.produces - GENERIC}
    taken = {(kind, tool.name) for tool in own for kind in tool.requires - GENERIC}
    kinds = sorted({kind for _, kind in found} & {kind for kind, _ in taken})
    lines = ["flowchart LR"]
    lines += [f'    {tool.name}[["{tool.name}"]]' if tool.writes else f'    {tool.name}["{tool.name}"]' for tool in own]
    lines += [f'    kind_{kind}(("{kind}"))' for kind in kinds]
    lines += [f"    {name} --> kind_{kind}" for name, kind in sorted(found) if kind in kinds]
    lines += [f"    kind_{kind} --> {name}" for kind, name in sorted(taken) if kind in kinds]
    lines += [f"    {a} -.-> {b}" for a, b in domain.edges_added]
    return "\n".join(lines) + "\n"


def _parameters(tool: Tool) -> list[tuple[str, str, str, str, str]]:
    required = tool.parameters["required"]
    return [
        (
            code(tool.name),
            code(name),
            schema_type(schema),
            "yes" if name in required else _default(schema.get("default")),
            schema.get("description", ""),
        )
        for name, schema in tool.parameters["properties"].items()
    ]


def _default(value: Any) -> str:
    return "no" if value in (None, "") else f"no, {code(value)} by default"


# --- start and end ----------------------------------------------------------------------------------


def _starting_state(domain: Domain) -> str:
    base = domain.test_base
    rows = (
        (code(kind.table), str(len(base.tables[kind])), codes(kind.__struct_fields__)) for kind in domain.records[:-1]
    )
    tasks = domain.test_tasks.values()
    sizes = Counter(len(task.goals) for task in tasks)
    mix = ", ".join(f"{sizes[size]} with {plural(size, 'goal')}" for size in sorted(sizes))
    return "\n\n".join(
        [
            f"The domain's clock stands at {base.now:%Y-%m-%d %H:%M} and does not move. "
            f"The test split has {plural(len(tasks), 'task')}: {mix}. Its world:",
            grid(("table", "records", "fields"), rows),
        ]
    )


def _episode_end(domain: Domain) -> str:
    return f"Reasons for a hand-off here: {codes(domain.reasons)}. The reason decides in matching."
