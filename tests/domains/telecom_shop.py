"""What the tests of telecom's tools and of its rules share: its test world, and ways to find a record in it."""

from typing import Any

from tau_emotion_gym.domains.telecom import DOMAIN
from tau_emotion_gym.domains.telecom.records import Account
from tau_emotion_gym.world import World

BASE = DOMAIN.test_base
TODAY = BASE.today


def run(world: World, name: str, **arguments: Any) -> Any:
    tool = DOMAIN.tools[name]
    return tool.run(world, tool.bind(arguments))


def records(kind: type) -> list[Any]:
    return list(BASE.tables[kind].values())


def first(kind: type, fits: Any) -> Any:
    return next(record for record in records(kind) if fits(record))


def account_of(world: World, record: Any) -> Account:
    account = world.get(Account, record.account)
    assert account is not None
    return account
