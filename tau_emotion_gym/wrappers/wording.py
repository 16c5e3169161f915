"""What a macro-action says: the task's own sentences once their grounds are known, else one that helps nobody."""

from tau_emotion_gym._draw import pick
from tau_emotion_gym.agents.lines import LINES
from tau_emotion_gym.wrappers.dialogue import Dialogue
from tau_emotion_gym.wrappers.macros import Act, Macro

PROPOSAL = "To confirm: I will take care of this for you as you asked."
"""A request for a yes to nothing in particular."""

NO_NEWS = "Please bear with me, I am still looking into this."
"""A report with nothing to tell."""


def sentence(dialogue: Dialogue, macro: Macro, seed: int, turn: int) -> str:
    """The message of a macro-action that talks to the customer.

    Args:
        dialogue: the dialogue so far.
        macro: the macro-action: any but a call or a hand-off.
        seed: the episode's seed.
        turn: how many messages there have been: with the seed it decides among equal sentences.
    """

    def line(options: tuple[str, ...]) -> str:
        return pick(options, seed, turn, macro.name)

    if macro.act is Act.ASK:
        slot = dialogue.domain.slots.get(macro.target)
        return line(slot.ask) if slot else NO_NEWS
    if macro.act is Act.ACKNOWLEDGE:
        return line(LINES.greet if dialogue.reading is None else LINES.acknowledge)
    if macro.act is Act.CLOSE:
        return line(LINES.close)
    if macro.act is Act.CONFIRM:
        goal = dialogue.to_propose()
        return (
            f"To confirm: {goal.script.propose} {line(LINES.shall_i)}" if goal else f"{PROPOSAL} {line(LINES.shall_i)}"
        )
    if macro.act is Act.REFUSE:
        goal = dialogue.to_refuse()
        return goal.script.refuse if goal else line(LINES.forbidden)
    reports = [goal.script.report for goal in dialogue.to_report()]
    return " ".join(reports) or NO_NEWS
