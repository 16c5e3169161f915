"""PPO of RLlib on angry and other customers, actions masked: `pip install 'tau-emotion-gym[rllib]'`.

python examples/rllib_ppo.py --iterations 30
"""

import argparse

import ray

from tau_emotion_gym.integrations.rllib import ppo_config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0 plays in this one")
    parser.add_argument("--batch", type=int, default=4000, help="steps between two updates")
    arguments = parser.parse_args()

    ray.init(include_dashboard=False, log_to_driver=False)
    config = (
        ppo_config("retail", split="train", emotion="random", gamma=0.99)
        .env_runners(num_env_runners=arguments.runners, num_envs_per_env_runner=8)
        .training(train_batch_size_per_learner=arguments.batch, minibatch_size=256, num_epochs=4, lr=3e-4)
        .debugging(seed=1, log_level="ERROR")
    )
    algorithm = config.build_algo()
    for iteration in range(1, arguments.iterations + 1):
        played = algorithm.train()["env_runners"]
        outcomes = {key: round(float(value), 2) for key, value in played["tau"].items()}
        print(f"{iteration:3}  shaped return {played['episode_return_mean']:+.2f}  {outcomes}")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
