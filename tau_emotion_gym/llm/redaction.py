"""Keys are never shown: not in messages, not in the log, not where a server repeats them."""

import re
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

HIDDEN = "[hidden]"

SHORTEST = 4
"""Characters from which a key is looked for in texts: a shorter one is no key and would blot out words."""

_LIKE_A_KEY = re.compile(
    r"(?P<before>\bBearer\s+|\bBasic\s+)[A-Za-z0-9._~+/=-]{6,}"
    r"|\b(?:sk|gsk|hf|xai|pk|rk|nvapi|AIza)[-_][A-Za-z0-9_\-*.]{6,}"
    r"|\bAIza[A-Za-z0-9_\-]{20,}",
    re.IGNORECASE,
)
_IN_A_URL = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]{0,20}://)[^/@\s?#]{0,500}@", re.IGNORECASE)
_IN_A_QUERY = re.compile(
    r"(?P<name>[?&][A-Za-z0-9_.\-]{0,60}(?:key|token|secret|sig|password|auth)[A-Za-z0-9_\-]{0,60}=)[^&#\s\"'<>]+", re.I
)

_SECRET_NAME = re.compile(
    r"(?:.*[_-])?(?:(?:api|access|secret|subscription)[_-]?key|(?:auth|access|hf)[_-]?token|secret|password|passwd"
    r"|authorization|bearer)|key|sig|token",
    re.IGNORECASE,
)


def names_secret(name: str) -> bool:
    """Whether an option or header of this name holds a key."""
    return _SECRET_NAME.fullmatch(name) is not None


def url_with_secret(text: str) -> bool:
    """Whether a text holds an address with a user, a password, or a key in its query."""
    return bool(_IN_A_URL.search(text) or ("://" in text and _IN_A_QUERY.search(text)))


def like_a_key(text: str) -> bool:
    """Whether something in a text looks like a key."""
    return _LIKE_A_KEY.search(text) is not None


def hidden(text: str, secrets: tuple[str, ...] = ()) -> str:
    """`text` without the given secrets, nor anything that looks like a key."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        if len(secret) >= SHORTEST:
            text = text.replace(secret, HIDDEN)
    text = _IN_A_URL.sub(rf"\g<scheme>{HIDDEN}@", text)
    text = _IN_A_QUERY.sub(rf"\g<name>{HIDDEN}", text)
    return _LIKE_A_KEY.sub(lambda found: (found["before"] or "") + HIDDEN, text)


def shown_url(url: str) -> str:
    """A URL without what may be secret in it: user and password, query, fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def secrets_of(url: str) -> tuple[str, ...]:
    """What is secret in a URL: the password, or the user where there is none, and the values of its query."""
    parts = urlsplit(url)
    user = parts.password or parts.username or ""
    return tuple(filter(None, (user, unquote(user), *(value for _, value in parse_qsl(parts.query)))))
