"""How environments are named after the folders of their domains, with nothing imported."""

from collections.abc import Collection

from tau_emotion_gym.errors import TauEmotionError

PREFIX = "TauEmotion"
VERSION = 0
MULTI_ID = f"{PREFIX}-Multi-v{VERSION}"


def title_of(name: str) -> str:
    """The title of a domain: its folder's name with every word capitalised ("food_delivery" → "FoodDelivery")."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def env_id(name: str) -> str:
    """The environment id of a domain ("retail" → "TauEmotion-Retail-v0")."""
    return f"{PREFIX}-{title_of(name)}-v{VERSION}"


def check_id(id: str, domains: Collection[str]) -> None:
    """Refuse to let an environment be called after one domain and play others.

    Ids that are not the package's own may stand for anything.

    Raises:
        TauEmotionError: `gymnasium.make` was given the id of one domain and `domain=` another.
    """
    known = {env_id(name) for name in domains}
    if id.startswith(f"{PREFIX}-") and id != MULTI_ID and known != {id}:
        raise TauEmotionError(f"{id} plays its own domain alone; for {', '.join(domains)} make {', '.join(known)}")
