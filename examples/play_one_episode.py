"""One conversation from beginning to end, with what the customer feels on the way.

python examples/play_one_episode.py [EMOTION]
"""

import sys

import gymnasium as gym

import tau_emotion_gym  # noqa: F401  (registers the environments)
from tau_emotion_gym.agents import ReferenceAgent


def main(emotion: str = "anger/frustration/cold/high/skeptical") -> None:
    env = gym.make("TauEmotion-Retail-v0", emotion=emotion)
    observation, info = env.reset(seed=11)
    agent = ReferenceAgent()
    agent.reset(env.unwrapped.domain, env.unwrapped.episode.task)
    print(f"{info['domain']} {info['task_id']}, {info['emotion']}\n\ncustomer: {observation['content']}")
    terminated = truncated = False
    while not (terminated or truncated):
        action = agent.act(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        if action["name"] == "respond":
            print(f"agent:    {action['arguments']['content']}")
            print(f"          (satisfaction {info['satisfaction']:.2f}, patience {info['patience']:.2f})")
            print(f"customer: {observation['content']}")
        else:
            print(f"          {action['name']} {action['arguments']}\n          -> {observation['content'][:100]}")
    print(f"\n{info['outcome']}, reward {reward:+g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
