"""Print how often the reader agrees with the annotations, and every wrong reading by kind.

Run from the repository root: python tests/reading/report.py [--texts]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from agreement import KINDS, annotated, own_messages, table, wrong


def main() -> None:
    for name, messages in (("annotated", annotated()), ("own", own_messages())):
        print(f"{name}: {len(messages)} messages")
        for kind, share in table(messages).items():
            print(f"  {kind:13} {100 * share:6.1f} %")
        for kind in KINDS:
            for line in wrong(messages, kind):
                print(f"  {kind}: {line}")
        if "--texts" in sys.argv:
            for message in messages:
                if any(message.expected.get(k, message.got[k]) != message.got[k] for k in KINDS):
                    print(f"--- {message.key}\n{message.text}")


if __name__ == "__main__":
    main()
