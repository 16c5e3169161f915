"""The tool dependency graph of a domain: which tool's result another tool needs.

An edge a → b says that a result of `a` holds the id of a kind of thing that a parameter of `b` takes.
Amounts and dates are everywhere and join nothing by themselves: amounts flow through `calculate`, which
every tool that gives an amount precedes and which precedes every tool that takes one. The hand-off
follows identification. `think` joins nothing. A domain's reviewed lists add and cut edges last.
"""

from functools import cache
from typing import TYPE_CHECKING

from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import CALCULATE, THINK, TRANSFER, Domain, Tool

if TYPE_CHECKING:
    from networkx import DiGraph  # type: ignore[import-untyped]

GENERIC = frozenset({"money", "date"})
"""Kinds of values that say nothing about which tool they come from."""

COMMON = frozenset({TRANSFER, CALCULATE, THINK})
"""The tools that every domain has."""

Edges = dict[tuple[str, str], frozenset[str]]
"""(from, to) → the kinds that flow; empty for a reviewed edge that types do not show."""


@cache
def edges(domain: Domain) -> Edges:
    """The edges of the domain's tool graph.

    Raises:
        UnknownName: a reviewed edge names a tool that the domain does not have.
    """
    own = [tool for name, tool in domain.tools.items() if name not in COMMON]
    found: Edges = {
        (a.name, b.name): shared
        for a in own
        for b in own
        if a is not b and (shared := (a.produces & b.requires) - GENERIC)
    }
    money = frozenset({"money"})
    found |= {(tool.name, CALCULATE): money for tool in own if "money" in tool.produces}
    found |= {(CALCULATE, tool.name): money for tool in own if "money" in tool.requires}
    found |= {(name, TRANSFER): frozenset() for name in sorted(domain.identify_tools)}
    for edge in (*domain.edges_added, *domain.edges_cut):
        for name in edge:
            if name not in domain.tools:
                raise unknown(f"tool in a reviewed edge of domain {domain.name}", name, domain.tools)
    found |= {edge: found.get(edge, frozenset()) for edge in domain.edges_added}
    return {edge: kinds for edge, kinds in found.items() if edge not in domain.edges_cut}


def tool_graph(domain: Domain) -> "DiGraph":
    """The graph as a new `networkx.DiGraph`.

    Nodes are tool names with the attributes `writes`, `requires`, `produces` and `common`; edges carry
    `kinds`, the frozen set of kinds that flow.
    """
    from networkx import DiGraph

    graph = DiGraph(name=domain.name)
    for name, tool in domain.tools.items():
        graph.add_node(
            name,
            writes=tool.writes,
            requires=tool.requires,
            produces=tool.produces,
            common=name in COMMON,
        )
    graph.add_edges_from((a, b, {"kinds": kinds}) for (a, b), kinds in edges(domain).items())
    return graph


def mermaid(domain: Domain) -> str:
    """The graph as a Mermaid flowchart for people.

    Writes have double borders. Left out are tools without edges, and edges along which a write only repeats
    what reads give too.
    """
    shown = {edge: kinds for edge, kinds in edges(domain).items() if not _repeats(domain, edge)}
    joined = {name for edge in shown for name in edge}
    lines = ["flowchart LR"]
    lines += [f"    {_node(tool)}" for name, tool in domain.tools.items() if name in joined]
    for (a, b), kinds in shown.items():
        label = f"|{', '.join(sorted(kinds))}| " if kinds else " "
        lines.append(f"    {a} -->{label}{b}")
    return "\n".join(lines) + "\n"


def _node(tool: Tool) -> str:
    return f'{tool.name}[["{tool.name}"]]' if tool.writes else f'{tool.name}("{tool.name}")'


def _repeats(domain: Domain, edge: tuple[str, str]) -> bool:
    """Whether an edge starts at a write and everything that flows along it flows from reads too."""
    start, end = edge
    if not domain.tools[start].writes or edge in domain.edges_added:
        return False
    read = [kinds for (a, b), kinds in edges(domain).items() if b == end and not domain.tools[a].writes]
    return edges(domain)[edge] <= frozenset().union(*read)
