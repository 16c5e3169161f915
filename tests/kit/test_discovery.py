"""Finding domains, refusing what is none, and damaged data files."""

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tau_emotion_gym.errors import DataError, TauEmotionError, UnknownName
from tau_emotion_gym.kit import Domain, Slot, add_folder, discovery, load, names, read, rule
from tau_emotion_gym.kit.discovery import load_from
from tau_emotion_gym.world import World


@pytest.fixture(autouse=True)
def forget():
    """Leave the known domains and the imported modules as they were; shipped domains stay, since they stay loaded."""
    added, modules = dict(discovery._added), dict(sys.modules)
    yield
    discovery._added.clear()
    discovery._added.update(added)
    for name in [name for name in sys.modules if name.startswith(discovery.PACKAGE + ".") and name not in modules]:
        if name.split(".")[2] not in discovery._shipped():
            del sys.modules[name]


def package(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "__init__.py").write_text(text, encoding="utf-8")
    return folder


def test_names_are_known_without_an_import():
    code = (
        "import sys; from tau_emotion_gym.kit import names; names(); print([m for m in sys.modules if 'domains' in m])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout == "[]\n"


def test_a_shipped_domain_is_loaded_once(library: Domain):
    for name in names():
        assert load(name) is load(name)
        assert load(name).name == name
    assert library.name == "library"


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownName, match=r"unknown domain 'retial'; did you mean 'retail'\? Valid: .*retail"):
        load("retial")


def copied(library: Domain, folder: Path) -> Path:
    shutil.copytree(library.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    init = folder / "__init__.py"
    text = init.read_text(encoding="utf-8")
    init.write_text(text.replace('name="library"', 'name="lending"'), encoding="utf-8")
    tasks = folder / "tasks" / "test.jsonl"
    lines = tasks.read_text(encoding="utf-8")
    tasks.write_text(lines.replace('"domain":"library"', '"domain":"lending"'), encoding="utf-8")
    return folder


def test_a_domain_is_called_like_its_folder(library: Domain, tmp_path: Path):
    folder = copied(library, tmp_path / "loans")
    with pytest.raises(TauEmotionError, match="the domain is called 'lending' and its folder 'loans'"):
        load(add_folder(folder))


def test_a_folder_of_ones_own(library: Domain, tmp_path: Path):
    folder = copied(library, tmp_path / "lending")
    assert add_folder(folder) == "lending"
    assert names()[-1] == "lending"
    domain = load("lending")
    assert domain is not library
    assert domain.folder == folder
    assert len(domain.test_tasks) == 100


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        (None, TauEmotionError, "is not a domain: it has no __init__.py"),
        ("DOMAIN = 3\n", TauEmotionError, r"__init__.py does not define DOMAIN = Domain\(\.\.\.\)"),
        ("", TauEmotionError, r"does not define DOMAIN"),
        ("import no_such_module_anywhere\n", ModuleNotFoundError, "no_such_module_anywhere"),
    ],
)
def test_what_is_no_domain_is_refused(tmp_path: Path, text, error, reason):
    folder = tmp_path / "nothing"
    if text is None:
        folder.mkdir()
    else:
        package(folder, text)
    with pytest.raises(error, match=reason):
        load(add_folder(folder))


def test_a_failing_import_leaves_no_half_module(tmp_path: Path):
    folder = package(tmp_path / "broken", "from . import part\nraise RuntimeError('later')\n")
    (folder / "part.py").write_text("VALUE = 1\n", encoding="utf-8")
    add_folder(folder)
    with pytest.raises(RuntimeError, match="later"):
        load("broken")
    assert not [name for name in sys.modules if name.startswith("tau_emotion_gym.domains.broken")]


def test_two_folders_of_one_name_are_not_mixed(tmp_path: Path):
    """The second folder's modules are its own, not those that the first one imported."""
    text = "from . import part\nVALUE = part.VALUE\nDOMAIN = None\n"
    for place, value in (("a", 1), ("b", 2)):
        (tmp_path / place).mkdir()
        folder = package(tmp_path / place / "twice", text)
        (folder / "part.py").write_text(f"VALUE = {value}\n", encoding="utf-8")
        with pytest.raises(TauEmotionError, match="does not define DOMAIN"):
            load_from("twice", str(folder))
        assert value == sys.modules["tau_emotion_gym.domains.twice"].VALUE


def test_a_shipped_name_is_taken(tmp_path: Path):
    shipped = names(added=False)[0]
    with pytest.raises(TauEmotionError, match=f"a shipped domain is called '{shipped}' already"):
        add_folder(package(tmp_path / shipped, ""))


def test_a_domain_survives_pickling_in_another_process(library: Domain):
    code = (
        "import pickle, sys\n"
        "domain = pickle.load(sys.stdin.buffer)\n"
        "from tau_emotion_gym.kit import load\n"
        "assert load('library') is domain\n"
        "print(domain, len(domain.rules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(library), capture_output=True, check=True)
    assert done.stdout.decode() == f"<Domain library> {len(library.rules)}\n"
    assert pickle.loads(pickle.dumps(library)) is load_from("library", str(library.folder))


# --- what a domain is made of ---------------------------------------------------------------------


def made(library: Domain, **changes) -> Domain:
    parts = {
        "name": "other",
        "title": "Other",
        "ordinal": 11,
        "summary": "For tests.",
        "file": str(library.folder / "__init__.py"),
        "records": library.records[:-1],
        "tools": library.own_tools,
        "rules": library.rules,
        "intents": list(library.intents.values()),
        "slots": list(library.slots.values()),
        "build": library.build,
        "identify": library.identify,
        "identify_tools": library.identify_tools,
        "identity_slots": library.identity_slots,
        "reasons": library.reasons,
    }
    return Domain(**(parts | changes))


def test_a_shipped_domain_is_found_wherever_the_package_is_installed():
    name = names(added=False)[0]
    assert load_from(name, "/another/machine/domains/" + name).folder == load(name).folder


def test_names_within_a_domain_are_unique(library: Domain):
    for part, kind in (("tools", "tool"), ("rules", "rule"), ("slots", "slot"), ("intents", "intent")):
        every = {"tools": library.own_tools, "rules": library.rules}.get(part) or [*getattr(library, part).values()]
        with pytest.raises(TypeError, match=f"domain other: {kind} names occur twice"):
            made(library, **{part: [*every, every[0]]})


def test_a_rule_governs_known_tools(library: Domain):
    @rule("Never.", "renew_lone")
    def never(context, arguments) -> bool:
        return False

    with pytest.raises(
        UnknownName, match=r"tool in rule 'never' of domain other 'renew_lone'; did you mean 'renew_loan'"
    ):
        made(library, rules=[never])


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("identify_tools", "identification tool of domain other 'find_member'; did you mean"),
        ("identity_slots", "identity slot of domain other 'e-mail'; did you mean 'email'"),
        ("intents", "intent that 'hold_after_paying' follows of domain other 'pay'"),
        ("slots", "slot that 'email' offers instead of domain other 'nmae'; did you mean 'name'"),
    ],
)
def test_parts_name_only_what_exists(library: Domain, part, message):
    slots = dict(library.slots)
    slots["email"] = msgspec.structs.replace(slots["email"], instead=("nmae",))
    wrong = {
        "identify_tools": ["find_member"],
        "identity_slots": ["e-mail"],
        "intents": [library.intents["hold_after_paying"]],
        "slots": list(slots.values()),
    }
    with pytest.raises(UnknownName, match=message):
        made(library, **{part: wrong[part]})


@pytest.mark.parametrize("name", ["respond", "think", "calculate", "transfer_to_human"])
def test_no_tool_of_a_domain_hides_a_common_one(library: Domain, name: str):
    def hides(world: World) -> str:
        """Do something else than everybody expects."""
        return ""

    hides.__name__ = name
    with pytest.raises(TypeError, match=f"every domain has {name} already"):
        made(library, tools=[*library.own_tools, read(hides)])


@pytest.mark.parametrize("reasons", [("a", "b", "c", "d"), ("a", "b", "other")])
def test_hand_off_reasons(library: Domain, reasons):
    with pytest.raises(TypeError, match="at least four and 'other'"):
        made(library, reasons=reasons)


def test_the_policy_holds_every_rule(library: Domain):
    for name in {*names(), "library"}:
        domain = library if name == "library" else load(name)
        for one in domain.rules:
            assert f"- {one.text}\n" in domain.policy + "\n"
        assert "{rules}" not in domain.policy


def test_offered_tools_leave_the_thought_out_unless_asked(library: Domain):
    assert [tool.name for tool in library.offered()] == [name for name in library.tools if name != "think"]
    assert [tool.name for tool in library.offered(think_tool=True)] == [*library.tools]


def test_missing_data_is_named(library: Domain, tmp_path: Path):
    (tmp_path / "policy.md").write_text("{rules}", encoding="utf-8")
    domain = made(library, file=str(tmp_path / "__init__.py"))
    with pytest.raises(DataError, match=r"domain other: .*world.json is missing"):
        _ = domain.test_base
    with pytest.raises(DataError, match=r"domain other: .*test.jsonl is missing"):
        _ = domain.test_tasks


def test_slots_are_data():
    slot = Slot(name="a", label="b", names=("b",), ask=("What is b?",), give=("{value}",), unknown=("No.",))
    assert not slot.lookup
    assert slot.choices == {}
