"""The tool graph: what flows from which tool to which."""

import networkx
import pytest

from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.kit import CALCULATE, THINK, TRANSFER, Domain
from tau_emotion_gym.tasks.graph import GENERIC, edges, mermaid, tool_graph


def variant(domain: Domain, **changes) -> Domain:
    """The same domain with some attributes changed."""
    other = object.__new__(Domain)
    other.__dict__.update(domain.__dict__ | changes)
    return other


def test_edges_follow_the_kinds_of_ids(library: Domain):
    graph = tool_graph(library)
    assert isinstance(graph, networkx.DiGraph)
    assert set(graph) == set(library.tools)
    assert graph.edges["list_loans", "renew_loan"]["kinds"] == {"loan"}
    assert graph.edges["search_books", "place_hold"]["kinds"] == {"book"}
    assert graph.edges["find_member_by_email", "get_member"]["kinds"] == {"member"}
    assert not graph.has_edge("get_member", "renew_loan")
    assert not graph.has_edge("renew_loan", "renew_loan")
    assert graph.nodes["renew_loan"] == {
        "writes": True,
        "requires": frozenset({"loan"}),
        "produces": frozenset({"book", "date", "loan", "member"}),
        "common": False,
    }


def test_amounts_and_dates_join_nothing_but_the_calculator(library: Domain):
    for (a, b), kinds in edges(library).items():
        if CALCULATE in (a, b):
            assert kinds == {"money"}
        else:
            assert not kinds & GENERIC
    graph = tool_graph(library)
    assert list(graph.predecessors(CALCULATE)) == ["get_member", "pay_fees"]
    assert list(graph.successors(CALCULATE)) == ["pay_fees"]


def test_common_tools(library: Domain):
    graph = tool_graph(library)
    assert set(graph.predecessors(TRANSFER)) == library.identify_tools
    assert graph.degree(THINK) == 0
    assert [name for name in graph if graph.nodes[name]["common"]] == [TRANSFER, CALCULATE, THINK]


def test_every_write_can_be_reached_from_identification(each_domain: Domain):
    graph = tool_graph(each_domain)
    starts = set(each_domain.identify_tools)
    reached = starts.union(*(networkx.descendants(graph, start) for start in starts))
    assert {name for name, tool in each_domain.tools.items() if tool.writes} <= reached


def test_reviewed_edges_come_last(library: Domain):
    added, cut = ("search_books", "renew_loan"), ("list_loans", "place_hold")
    changed = variant(library, edges_added=(added,), edges_cut=(cut,))
    assert edges(changed)[added] == frozenset()
    assert cut in edges(library)
    assert cut not in edges(changed)


def test_a_reviewed_edge_names_known_tools(library: Domain):
    with pytest.raises(UnknownName, match=r"tool in a reviewed edge of domain library.*'renew_loan'"):
        edges(variant(library, edges_cut=(("list_loans", "renew_lone"),)))


def test_mermaid_shows_the_graph(each_domain: Domain):
    text = mermaid(each_domain)
    assert text.startswith("flowchart LR\n")
    for line in text.splitlines()[1:]:
        a, arrow, rest = line.strip().partition(" -->")
        if arrow:
            assert (a, rest.split()[-1]) in edges(each_domain)
        else:
            assert line.split("[")[0].split("(")[0].strip() in each_domain.tools


def test_mermaid_leaves_out_what_writes_repeat(library: Domain):
    text = mermaid(library)
    assert "list_loans -->|loan| renew_loan" in text
    assert "pay_fees -->|member|" not in text
    assert 'renew_loan[["renew_loan"]]' in text
    assert THINK not in text
