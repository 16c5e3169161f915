"""The list of environments."""

from collections.abc import Sequence

from tau_emotion_gym.envs.names import env_id
from tau_emotion_gym.evaluation.pages.markdown import code, grid
from tau_emotion_gym.kit import Domain


def environments_index(domains: Sequence[Domain]) -> str:
    """The page that lists every environment."""
    head = ("environment", "what it is", "tools", "rules", "intents", "test tasks")
    table = grid(head, (_row(domain) for domain in domains))
    return (
        "# Environments\n\n*Generated from the code by `python -m tau_emotion_gym.evaluation.pages`.*\n\n"
        f"{table}\n\nTools are the domain's own, without the three that every domain has.\n"
    )


def _row(domain: Domain) -> tuple[str, ...]:
    return (
        f"[{code(env_id(domain.name))}]({domain.name}.md)",
        domain.summary,
        *(str(len(part)) for part in (domain.own_tools, domain.rules, domain.intents, domain.test_tasks)),
    )
