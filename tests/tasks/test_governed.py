"""A tool that policy forgot: customers' records without identification, changes without a yes."""

import pytest

from tau_emotion_gym.kit import Domain, Tool, load, names, read, rule, write
from tau_emotion_gym.tasks.check import check_domain
from tau_emotion_gym.tasks.governed import customer_kinds, ungoverned
from tau_emotion_gym.world import World


@pytest.fixture
def with_tool(library: Domain):
    """`with_tool(tool, *rules)`: a library of its own with one more tool, which these rules govern."""

    def made(tool: Tool, *rules) -> Domain:
        other = object.__new__(Domain)
        more = {
            "tools": {**library.tools, tool.name: tool},
            "rules_of": {**library.rules_of, tool.name: rules},
        }
        other.__dict__.update(library.__dict__ | more)
        return other

    return made


def tools_of(library: Domain) -> tuple[Tool, Tool, Tool]:
    """A read that shows a loan, a read that shows nobody's records, and a write."""
    member_id = library.tools["get_member"].function.__annotations__["member_id"]
    loan = library.tools["renew_loan"].function.__annotations__["return"]

    def show_loan(world: World, number: str) -> str:
        """Show a loan.

        Args:
            number: Its number.
        """
        return ""

    show_loan.__annotations__["return"] = loan

    @read
    def opening_hours(world: World, branch: str) -> str:
        """Show when a branch is open.

        Args:
            branch: The branch.
        """
        return ""

    def cancel_card(world: World, member_id: str) -> str:
        """Cancel a card.

        Args:
            member_id: The member's id.
        """
        return ""

    cancel_card.__annotations__["member_id"] = member_id
    return read(show_loan), opening_hours, write("cancel")(cancel_card)


def test_every_domain_is_governed(library: Domain):
    for name in names(added=False):
        assert list(ungoverned(load(name) if name != "library" else library)) == []


def test_records_that_belong_to_a_customer(library: Domain):
    assert customer_kinds(library) == {"member", "loan", "hold"}


def test_customers_records_need_identification(library: Domain, with_tool):
    show_loan, opening_hours, _ = tools_of(library)
    assert list(ungoverned(with_tool(opening_hours))) == []
    domain = with_tool(show_loan)
    assert list(ungoverned(domain)) == [
        "show_loan touches customers' records, and no rule of authentication governs it"
    ]
    assert any("show_loan" in str(problem) for problem in check_domain(domain).problems)
    identified = next(one for one in library.rules if one.id == "authentication")
    assert list(ungoverned(with_tool(show_loan, identified))) == []


def test_every_write_needs_a_yes(library: Domain, with_tool):
    *_, cancel_card = tools_of(library)
    identified, confirmed = (
        next(one for one in library.rules if one.id == wanted) for wanted in ("authentication", "confirmation")
    )

    @rule("Never.", cancel_card)
    def never(context, arguments) -> bool:
        return False

    assert list(ungoverned(with_tool(cancel_card, identified, never))) == [
        "cancel_card is a write, and no rule of confirmation governs it"
    ]
    assert len(list(ungoverned(with_tool(cancel_card)))) == 2
    assert list(ungoverned(with_tool(cancel_card, identified, confirmed))) == []
