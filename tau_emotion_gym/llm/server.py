"""Where a server is, and the key for it."""

import os
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import msgspec

from tau_emotion_gym.llm.base import ModelRefused
from tau_emotion_gym.llm.options import ServerOptions
from tau_emotion_gym.llm.redaction import hidden, secrets_of, shown_url

OPENAI = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"

NO_KEY = "none"
"""Sent to servers that want no key: the client insists on one."""


class Server(msgspec.Struct, frozen=True):
    """A server's address, and where its key is.

    Attributes:
        url: where requests go, without query.
        query: what every request carries in its URL.
        shown: the address for people: without user, password and query.
        key_variable: the environment variable that holds the key.
        key_optional: whether the server may want no key.
    """

    url: str
    query: tuple[tuple[str, str], ...]
    shown: str
    key_variable: str
    key_optional: bool

    def key(self) -> str:
        """The key.

        Raises:
            ModelRefused: the environment has none, and the server cannot do without.
        """
        key = os.environ.get(self.key_variable, "").strip()
        if not key and not self.key_optional:
            raise ModelRefused(f"no key for {self.shown}: the environment variable {self.key_variable} is not set")
        return key or NO_KEY

    def hidden(self, text: str, key: str) -> str:
        """`text` without the key, nor what is secret in the address."""
        secrets = [value for _, value in self.query]
        if key != NO_KEY:
            secrets.append(key)
        return hidden(text, (*secrets, *secrets_of(self.url)))

    def __repr__(self) -> str:
        return f"Server({self.shown})"


def server_of(options: ServerOptions) -> Server:
    """The server that options and environment name."""
    given = options.base_url or os.environ.get(URL_VARIABLE) or OPENAI
    parts = urlsplit(given)
    return Server(
        url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
        query=tuple(parse_qsl(parts.query)),
        shown=shown_url(given),
        key_variable=options.api_key_env or KEY_VARIABLE,
        key_optional=options.api_key_env is None and shown_url(given) != OPENAI,
    )
