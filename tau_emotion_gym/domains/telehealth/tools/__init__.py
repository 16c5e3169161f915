"""The tools of the telehealth clinic."""

from .reads import READS
from .writes import WRITES

TOOLS = (*READS, *WRITES)

__all__ = ["READS", "TOOLS", "WRITES"]
