"""How environments are named after the folders of their domains, with nothing imported."""

PREFIX = "TauEmotion"
VERSION = 0
MULTI_ID = f"{PREFIX}-Multi-v{VERSION}"


def title_of(name: str) -> str:
    """The title of a domain: its folder's name with every word capitalised ("food_delivery" → "FoodDelivery")."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def env_id(name: str) -> str:
    """The environment id of a domain ("retail" → "TauEmotion-Retail-v0")."""
    return f"{PREFIX}-{title_of(name)}-v{VERSION}"
