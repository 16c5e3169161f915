"""The generated pages under `docs/`, and the generated parts of the hand-written ones."""

from collections.abc import Sequence
from pathlib import Path

from tau_emotion_gym.evaluation.pages.blocks import filled
from tau_emotion_gym.evaluation.pages.environment import environment_page
from tau_emotion_gym.evaluation.pages.families import families_page
from tau_emotion_gym.evaluation.pages.index import environments_index
from tau_emotion_gym.evaluation.pages.transcripts import transcripts_page
from tau_emotion_gym.kit import Domain, load, names

__all__ = ["documented", "environment_page", "families_page", "filled", "pages", "transcripts_page"]

_PACKAGE = Path(__file__).parents[2]


def documented() -> list[Domain]:
    """The domains that have a page: those that ship with the package."""
    domains = [load(name) for name in names()]
    return sorted((d for d in domains if d.folder.is_relative_to(_PACKAGE)), key=lambda domain: domain.ordinal)


def pages(root: Path, domains: Sequence[Domain] | None = None) -> dict[Path, str]:
    """Path under `root` → text, of every page that is generated wholly or in part.

    Args:
        root: the repository.
        domains: the domains to document; all that ship with the package by default.
    """
    chosen = documented() if domains is None else domains
    docs = root / "docs"
    made = {docs / "environments" / f"{domain.name}.md": environment_page(domain) for domain in chosen}
    made[docs / "environments" / "index.md"] = environments_index(chosen)
    made[docs / "transcripts.md"] = transcripts_page(chosen)
    made[docs / "one-task-five-families.md"] = families_page(chosen)
    for path in sorted(docs.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if path not in made and (fresh := filled(text, root)) != text:
            made[path] = fresh
    return made
