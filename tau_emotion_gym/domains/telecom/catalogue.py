"""What the company sells: plans and add-ons, the same in every world."""

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from tau_emotion_gym.kit import read_data
from tau_emotion_gym.world import Money

from .records import AddOnId, Line, PlanId

Tier = Literal["basic", "plus", "premium"]
TIERS: tuple[Tier, ...] = ("basic", "plus", "premium")


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan with its monthly price and data."""

    id: PlanId
    name: str
    price: Money
    data_gb: int
    tier: Tier


class AddOn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An add-on with its monthly price; `tier` is the lowest tier of plan that it goes with."""

    id: AddOnId
    name: str
    price: Money
    group: str
    tier: Tier

    @property
    def spoken(self) -> str:
        """The name as it stands within a sentence: "the Europe Roaming Pass", "Device Care"."""
        return f"the {self.name}" if self.name.endswith("Pass") else self.name

    @property
    def leading(self) -> str:
        """The name at the start of a sentence."""
        return f"The {self.name}" if self.name.endswith("Pass") else self.name

    def goes_with(self, plan: Plan) -> bool:
        """Whether a line on this plan may have it."""
        return TIERS.index(plan.tier) >= TIERS.index(self.tier)


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything on sale, the cheapest plan first."""

    plans: tuple[Plan, ...]
    add_ons: tuple[AddOn, ...]


@cache
def catalogue() -> Catalogue:
    """The shipped catalogue."""
    return read_data(Path(__file__).parent / "catalogue.json", Catalogue)


@cache
def plans() -> dict[str, Plan]:
    """The plans by id."""
    return {plan.id: plan for plan in catalogue().plans}


@cache
def add_ons() -> dict[str, AddOn]:
    """The add-ons by id."""
    return {add_on.id: add_on for add_on in catalogue().add_ons}


def suits(line: Line, add_on: AddOn) -> bool:
    """Whether a line can have an add-on: its plan is good enough, and it has none of the group."""
    groups = {add_ons()[booked.add_on].group for booked in line.add_ons}
    return add_on.group not in groups and add_on.goes_with(plans()[line.plan])
