"""A domain: a business with its records, tools, policy, intents and task sets, in one object."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.errors import DataError, unknown
from tau_emotion_gym.kit.common import COMMON_NAMES, THINK, HandOff, calculate, think, transfer_tool
from tau_emotion_gym.kit.intent import Intent
from tau_emotion_gym.kit.people import Registry
from tau_emotion_gym.kit.rule import Rule
from tau_emotion_gym.kit.slot import Slot
from tau_emotion_gym.kit.task import Call, Fact, Task
from tau_emotion_gym.kit.task_file import Names, read_policy, read_tasks
from tau_emotion_gym.kit.tool import Tool
from tau_emotion_gym.world import Base, Record
from tau_emotion_gym.world.state import digest

Build = Callable[[Registry, int], Base]
"""`build(registry, scale)`: a base world made from the registry's draws."""

Identify = Callable[[Any, Draw], tuple[tuple[Fact, ...], Call]]
"""`identify(customer, draw)`: what the customer can identify itself with, and the call that uses it."""

KEPT_BASES = 8
"""Training worlds kept in memory per domain."""


class Domain:
    """Everything that makes one business playable.

    Args:
        name: folder name, lower case ("retail").
        title: as in the environment's id ("Retail").
        ordinal: place among the domains, from 0; decides which conditions its test tasks carry.
        summary: one sentence.
        file: the `__file__` of the domain's `__init__.py`.
        records: the record classes; the customer's is the first.
        tools: the domain's own tools.
        rules: the policy.
        intents: what customers want.
        slots: the details that conversations need.
        build: makes a base world.
        identify: how a customer is identified.
        identify_tools: names of the tools that identify a customer; each returns the customer's id or
            record.
        identity_slots: slots that any way of identification asks for.
        reasons: hand-off reasons, at least four and "other".
        edges_added: reviewed edges of the tool graph that types do not show.
        edges_cut: reviewed edges that types suggest but nobody would follow.
    """

    def __init__(
        self,
        *,
        name: str,
        title: str,
        ordinal: int,
        summary: str,
        file: str,
        records: Sequence[type[Record]],
        tools: Sequence[Tool],
        rules: Sequence[Rule],
        intents: Sequence[Intent],
        slots: Sequence[Slot],
        build: Build,
        identify: Identify,
        identify_tools: Sequence[str],
        identity_slots: Sequence[str],
        reasons: Sequence[str],
        edges_added: Sequence[tuple[str, str]] = (),
        edges_cut: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.name = name
        self.title = title
        self.ordinal = ordinal
        self.summary = summary
        self.folder = Path(file).parent
        self.records: tuple[type[Record], ...] = (*records, HandOff)
        self.customer_kind: type[Record] = records[0]
        self.own_tools = tuple(tools)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in (*tools, transfer_tool(reasons), calculate, think)}
        self._without_think = {name: tool for name, tool in self.tools.items() if name != THINK}
        self.rules = tuple(rules)
        self.intents: dict[str, Intent] = {intent.name: intent for intent in intents}
        self.slots: dict[str, Slot] = {slot.name: slot for slot in slots}
        self.build = build
        self.identify = identify
        self.identify_tools = frozenset(identify_tools)
        self.identity_slots = frozenset(identity_slots)
        self.reasons = tuple(reasons)
        self.edges_added = tuple(edges_added)
        self.edges_cut = tuple(edges_cut)
        self.rules_of: dict[str, tuple[Rule, ...]] = {
            tool: tuple(rule for rule in rules if tool in rule.tools) for tool in self.tools
        }
        self._check_unique(tools, rules, intents, slots)
        self._check_known()
        self.train_base = lru_cache(maxsize=KEPT_BASES)(self._train_base)

    def _check_unique(
        self, tools: Sequence[Tool], rules: Sequence[Rule], intents: Sequence[Intent], slots: Sequence[Slot]
    ) -> None:
        if taken := sorted(COMMON_NAMES & {tool.name for tool in tools}):
            raise TypeError(f"domain {self.name}: every domain has {', '.join(taken)} already")
        for what, names in (
            ("tool", [tool.name for tool in tools]),
            ("rule", [rule.id for rule in rules]),
            ("intent", [intent.name for intent in intents]),
            ("slot", [slot.name for slot in slots]),
        ):
            if repeated := {name for name in names if names.count(name) > 1}:
                raise TypeError(f"domain {self.name}: {what} names occur twice: {sorted(repeated)}")

    def _check_known(self) -> None:
        """Every name that one part gives of another must exist."""
        mentions: list[tuple[str, Iterable[str], Collection[str]]] = [
            ("identification tool", self.identify_tools, self.tools),
            ("identity slot", self.identity_slots, self.slots),
        ]
        mentions += [(f"tool in rule {rule.id!r}", rule.tools, self.tools) for rule in self.rules]
        mentions += [
            (f"slot that {slot.name!r} offers instead", slot.instead, self.slots) for slot in self.slots.values()
        ]
        mentions += [(f"intent that {i.name!r} follows", i.follows, self.intents) for i in self.intents.values()]
        for what, given, known in mentions:
            for name in given:
                if name not in known:
                    raise unknown(f"{what} of domain {self.name}", name, known)

    def __reduce__(self) -> tuple[Any, ...]:
        from tau_emotion_gym.kit.discovery import load_from

        return load_from, (self.name, str(self.folder))

    def __repr__(self) -> str:
        return f"<Domain {self.name}>"

    @cached_property
    def prose(self) -> str:
        """`policy.md`: tone, scope, date and definitions around the rules.

        Raises:
            DataError: the file is missing, or does not have one `{rules}` line.
        """
        return read_policy(self.folder / "policy.md")

    @cached_property
    def policy(self) -> str:
        """The policy that the agent reads: the prose, with the rules where it says `{rules}`."""
        return self.prose.replace("{rules}", "\n".join(f"- {rule.text}" for rule in self.rules))

    def toolbox(self, *, think_tool: bool = False) -> Mapping[str, Tool]:
        """The tools that an agent may call, by name."""
        return self.tools if think_tool else self._without_think

    def offered(self, *, think_tool: bool = False) -> list[Tool]:
        """The tools that an agent is shown."""
        return list(self.toolbox(think_tool=think_tool).values())

    def base(self, world: int | None = None) -> Base:
        """The base world: the shipped test world for None, else the training world of that seed."""
        return self.test_base if world is None else self.train_base(world)

    @cached_property
    def test_base(self) -> Base:
        """The shipped test world, checked against its recorded checksum."""
        path = self.folder / "world.json"
        try:
            data = path.read_bytes()
            checksum = (self.folder / "world.checksum").read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError as error:
            raise DataError(f"domain {self.name}: {error.filename} is missing") from None
        return Base.from_json(data, self.records, source=str(path), checksum=checksum)

    def _train_base(self, world_seed: int) -> Base:
        return self.make_base(world_seed, train=True)

    def make_base(self, seed: int, *, scale: int = 1, train: bool) -> Base:
        """A freshly generated base world (`scale` 1 has at least 200 customers)."""
        base = self.build(Registry(Draw(seed, f"{self.name} world"), train=train), scale)
        base.tables.setdefault(HandOff, {})
        return base

    @cached_property
    def test_tasks(self) -> dict[str, Task]:
        """The shipped test tasks by id, in order.

        Raises:
            DataError: with file, line and reason.
        """
        names = Names(self.name, self.tools, self.identify_tools, self.intents, self.slots)
        return read_tasks(self.folder / "tasks" / "test.jsonl", names)

    def require_data(self, *, tests: bool = True) -> None:
        """Read what can be read in milliseconds, so that damage shows early: the policy and the test tasks.

        Args:
            tests: also the test tasks; training needs none.

        Raises:
            DataError: with file, line and reason.
        """
        _ = self.policy
        if tests:
            _ = self.test_tasks

    def write_data(self, base: Base, tasks: Sequence[Task]) -> None:
        """Write the test world, its checksum and the test tasks into the domain's folder."""
        data = base.to_json()
        (self.folder / "world.json").write_bytes(data)
        (self.folder / "world.checksum").write_text(digest(data) + "\n", encoding="ascii")
        (self.folder / "tasks").mkdir(exist_ok=True)
        encoder = msgspec.json.Encoder()
        lines = b"".join(encoder.encode(task) + b"\n" for task in tasks)
        (self.folder / "tasks" / "test.jsonl").write_bytes(lines)
        for memo in ("test_base", "test_tasks"):
            self.__dict__.pop(memo, None)

    def phrases(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        """(slot → phrases, write tool → words): what the reader of agents' text looks for."""
        slots = {slot.name: slot.names for slot in self.slots.values()}
        return slots, {tool.name: tool.says for tool in self.tools.values() if tool.writes}
