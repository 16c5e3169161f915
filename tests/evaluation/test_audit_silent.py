"""The scripted user makes no mistake, whoever it talks to, and the audit finds none."""

import pytest
from planting import played

from tau_emotion_gym._draw import mix
from tau_emotion_gym.agents import agent_names, make_agent
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import RESPOND
from tau_emotion_gym.evaluation.audit import audit_record, talk_of
from tau_emotion_gym.kit import names

EPISODES = 6

CHATTER = (
    "Sure thing, happy to sort this out! {text}",
    "Okay, so here is where we stand.\n\n{text}\n\nJust shout if anything is unclear.",
    "{text}\n\nOur desk is open from 9:00 to 17:00; case C-4471209 has a $15.00 credit until December 1.",
    "**Update:** {text}",
    "I hear you, that must be tiring. {text} Thank you so much for bearing with me!",
)


class Chatty:
    """The decisions of another agent, said in a freer way and with further figures."""

    def __init__(self, inner: str) -> None:
        self.inner = make_agent(inner)
        self.turn = 0

    def reset(self, domain, task) -> None:
        self.inner.reset(domain, task)
        self.turn = 0

    def act(self, observation):
        action = self.inner.act(observation)
        if action["name"] != RESPOND:
            return action
        self.turn += 1
        shape = CHATTER[mix(self.turn, len(action["arguments"]["content"]), "chat") % len(CHATTER)]
        return {"name": RESPOND, "arguments": {"content": shape.format(text=action["arguments"]["content"])}}


@pytest.mark.parametrize("agent", [*agent_names(), "chatty reference", "chatty friction"])
@pytest.mark.parametrize("domain", names(added=False))
def test_nothing_is_found(domain, agent):
    for number in range(EPISODES):
        task = mix(number, len(agent), domain) % 100
        condition = mix(number, task, agent) % (len(CONDITIONS) + 20)
        made = Chatty(agent.removeprefix("chatty ")) if agent.startswith("chatty") else agent
        record = played(domain, f"test-{task:03}", made, condition if condition < len(CONDITIONS) else None)
        audited = audit_record(record)
        assert not audited.unchecked
        assert [(f.kind, f.quote, f.why) for f in audited.findings] == [], record.place


@pytest.mark.parametrize("domain", names(added=False))
def test_replayed_conversations_are_the_recorded_ones(domain):
    record = played(domain, "test-004", "friction", 77)
    talk = talk_of(record)
    messages = [(at, turn.content) for at, turn in enumerate(record.transcript) if turn.role in ("user", "agent")]
    assert [(line.turn, line.text) for line in talk.lines] == messages
    assert [line.signal for line in talk.user_lines] == list(record.signals)
    events = [event for line in talk.lines for event in line.events]
    assert all(events.count(event) <= count for event, count in record.events.items())
    assert events.count("redundant_question") == record.events["redundant_question"]
