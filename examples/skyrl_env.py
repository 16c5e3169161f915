"""A conversation through SkyRL-Gym, as its generator plays one: `pip install 'tau-emotion-gym[skyrl]'`.

In a training script, call `register` inside the remote entry point and give `text_rows` to the data set. The model
here is a stand-in with three things to say.
"""

import skyrl_gym

from tau_emotion_gym.integrations import rows
from tau_emotion_gym.integrations.skyrl import register, text_rows

ANSWERS = [
    "<think>\nI need to know who this is.\n</think>\nI'm sorry to hear that. What is your email address?",
    '<tool_call>\n{"name": "list_product_types", "arguments": {}}\n</tool_call>',
    '<tool_call>\n{"name": "transfer_to_human", "arguments": {"reason": "other"}}\n</tool_call>',
]


def main() -> None:
    register("tau-retail", "retail", emotion="anger")
    (row,) = text_rows("tau-retail", rows("retail", 1, emotions=("anger",), tools_in_prompt=True))
    extras = {key: value for key, value in row.items() if key not in ("prompt", "env_class")}
    env = skyrl_gym.make(row["env_class"], env_config={}, extras={**extras, "max_turns": 20})

    messages, _ = env.init(row["prompt"])
    print(f"user: {messages[-1]['content']}")
    for answer in ANSWERS:
        print(f"model: {answer}")
        output = env.step(answer)
        for message in output["observations"]:
            print(f"{message['role']}: {message['content'][:300]}")
    print(f"outcome {output['metadata']['outcome']}, reward {output['reward']:+.0f}")
    print(f"metrics: {env.get_metrics()}")
    env.close()


if __name__ == "__main__":
    main()
