"""What a server's answer means when it is no completion."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tau_emotion_gym.llm.policy import Failure, Verdict, retry_after

LONGEST = 300
"""Characters that are shown of a server's own words."""

LONGEST_READ = 20_000
"""Characters of a server's words that are read at all: no error is longer, but a traceback or a page may be."""

FORBIDDEN = 403
REFUSALS = frozenset({401, 402, FORBIDDEN, 404})
REPEATABLE = frozenset({408, 409, 425, 429})

_OVERFLOW = re.compile(
    r"context[ _-](?:length|size|window)"
    r"|maximum (?:model |sequence |input )?length"
    r"|max_model_len"
    r"|(?:prompt|input|request)(?: is)? too (?:long|large)\b"
    r"|input token count\b.*\bexceeds"
    r"|tokens \+ .?max_new_tokens"
    r"|exceeds? the (?:model'?s? )?(?:maximum|max)[ \w]* (?:tokens|length)"
    r"|maximum number of (?:input )?tokens",
    re.IGNORECASE | re.DOTALL,
)
_NO_TOOLS = re.compile(
    r"(?:not|n't|un)[ -]?support(?:ed|s|ing)?\b[^.]{0,60}\b(?:tools?|function)"
    r"|\b(?:tools?|function[ _]call(?:s|ing)?|tool_choice)\b[^.]{0,60}\b(?:not|n't|un)[ -]?support"
    r"|unsupported param(?:eter)?:? .?(?:tools?|functions?)\b"
    r"|enable-auto-tool-choice"
    r"|no endpoints found that support tool",
    re.IGNORECASE,
)
_NO_TOOLS_AT_ALL = re.compile(r"\btools? param(?:eter)? requires|requires --jinja", re.IGNORECASE)
"""Said with any status; what else is said with 5xx may be a traceback."""

_WRONG_FOR_ALL = re.compile(
    r"insufficient_quota|billing_hard_limit|invalid_api_key|incorrect api key|unsupported_(?:parameter|value)"
    r"|unsupported parameter|unrecognized request argument|extra inputs are not permitted|model_not_found"
    r"|\bmodel\b[^.]{0,80}\b(?:does not exist|not found|is not available)",
    re.IGNORECASE,
)

TEXT_MODE = (
    'the model takes no tools natively: set "tool_mode": "text" for an agent, or start the server with tool calling'
)
WRONG_URL = 'is "base_url" right? It usually ends in /v1'


def of_status(status: int, body: str, headers: Mapping[str, str]) -> Failure:
    """What an HTTP status other than 2xx means.

    Keys are to be taken out of the body before."""
    body = body[:LONGEST_READ]
    said = server_text(body)
    reason = f"HTTP {status}: {said}" if said else f"HTTP {status}"
    retryable = status in REPEATABLE or status >= 500
    if status not in REFUSALS and status != 429 and is_overflow(body):
        return Failure(Verdict.OVERFLOW, reason)
    if _NO_TOOLS_AT_ALL.search(body) or (not retryable and _NO_TOOLS.search(body)):
        return Failure(Verdict.REFUSED, f"{reason}; {TEXT_MODE}")
    if status in REFUSALS:
        moderated = status == FORBIDDEN and not _WRONG_FOR_ALL.search(body)
        return Failure(Verdict.FORBIDDEN if moderated else Verdict.REFUSED, f"{reason}; {_advice(status)}")
    if (status == 429 or not retryable) and _WRONG_FOR_ALL.search(body):
        return Failure(Verdict.REFUSED, reason)
    if retryable:
        wait = retry_after(headers.get("retry-after"), headers.get("date"))
        return Failure(Verdict.AGAIN, reason, retry_after=wait)
    return Failure(Verdict.FAILED, reason)


def is_overflow(text: str) -> bool:
    """Whether a server's or an engine's words say that the conversation is longer than the context."""
    return bool(_OVERFLOW.search(text))


def of_error_object(error: Any, hide: Callable[[str], str] = str) -> Failure:
    """What an `error` object in a body with status 200 means (some gateways wrap their upstream's errors so)."""
    code = error.get("code") if isinstance(error, dict) else None
    status = int(code) if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)) else 500
    return of_status(status, hide(json.dumps({"error": error}, ensure_ascii=False)), {})


def server_text(body: str) -> str:
    """A server's own words about an error, on one line, shortened; what is HTML is said to be."""
    body = body[:LONGEST_READ].strip()
    if body[:1] == "<":
        title = re.search(r"<title[^>]*>(.*?)</title>", body, re.IGNORECASE | re.DOTALL)
        return f"an HTML page ({' '.join(title[1].split())[:LONGEST]})" if title else "an HTML page"
    return " ".join(_message(body).split())[:LONGEST]


def _message(body: str) -> str:
    try:
        found = json.loads(body)
    except ValueError:
        return body
    for _ in range(3):
        if not isinstance(found, dict):
            break
        found = found.get("error") or found.get("message") or found.get("detail") or body
    return found if isinstance(found, str) else body


def _advice(status: int) -> str:
    if status == 404:
        return f'is the name in "model" right, and {WRONG_URL}'
    if status == 402:
        return "the account has no credit"
    if status == FORBIDDEN:
        return 'does the server forbid what is said here, or is the key wrong that "api_key_env" names?'
    return 'is the key right that the environment variable in "api_key_env" holds?'
