import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.M)
CODE = re.compile(r"^```.*?^```", re.M | re.S)


def anchor(heading: str) -> str:
    """A heading's anchor, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda path: path.stem)
def test_links_within_the_docs_lead_somewhere(page):
    for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        path, _, place = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.is_file(), target
        if place:
            text = CODE.sub("", linked.read_text(encoding="utf-8"))
            assert place in {anchor(heading) for heading in HEADING.findall(text)}, target


def test_every_page_is_on_the_map():
    listed = {(DOCS / target).resolve() for target in LINK.findall((DOCS / "index.md").read_text(encoding="utf-8"))}
    listed |= {
        (DOCS / "environments" / target).resolve()
        for target in LINK.findall((DOCS / "environments" / "index.md").read_text(encoding="utf-8"))
    }
    assert set(DOCS.rglob("*.md")) - listed == {DOCS / "index.md"}
