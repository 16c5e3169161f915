"""A vector of environments and an agent that does anything at all: the skeleton of a training loop.

python examples/random_agent.py [STEPS]
"""

import sys
from collections import Counter

import gymnasium as gym

import tau_emotion_gym  # noqa: F401  (registers the environments)


def main(steps: str = "200") -> None:
    envs = gym.make_vec("TauEmotion-Airline-v0", num_envs=8, emotion="random", split="train")
    envs.single_action_space.seed(0)
    envs.reset(seed=0)
    outcomes: Counter[str] = Counter()
    returned = 0.0
    for _ in range(int(steps)):
        actions = [envs.single_action_space.sample() for _ in range(envs.num_envs)]
        _, rewards, terminations, truncations, infos = envs.step(actions)
        returned += float(rewards.sum())
        ended = terminations | truncations
        if ended.any():
            outcomes.update(infos["final_info"]["outcome"][ended])
    print(f"{sum(outcomes.values())} episodes ended, return {returned:g}")
    for outcome, count in outcomes.most_common():
        print(f"{count:6} {outcome}")
    envs.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
