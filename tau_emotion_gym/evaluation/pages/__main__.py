"""`python -m tau_emotion_gym.evaluation.pages`: write the generated pages under `docs/`."""

import sys
from pathlib import Path

from tau_emotion_gym.evaluation.pages import pages


def main(arguments: list[str]) -> int:
    """Write the pages of the repository in the given folder (default: the current one)."""
    root = Path(arguments[0] if arguments else ".").resolve()
    if not (root / "docs").is_dir():
        print(f"{root} has no docs folder: run this in the repository, or name it")
        return 1
    for path, text in pages(root).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
