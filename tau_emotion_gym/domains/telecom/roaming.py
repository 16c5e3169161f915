"""Which roaming pass covers which country."""

PASS_OF = {
    "Spain": "roaming_europe",
    "Italy": "roaming_europe",
    "Greece": "roaming_europe",
    "Mexico": "roaming_americas",
    "Canada": "roaming_americas",
    "Brazil": "roaming_americas",
    "Japan": "roaming_asia",
    "Thailand": "roaming_asia",
    "Vietnam": "roaming_asia",
}
EVERYWHERE = "roaming_world"


def covers(add_on: str, country: str) -> bool:
    """Whether a pass covers a country."""
    return add_on in (EVERYWHERE, PASS_OF[country])
