"""The codecs for language models; `tau_emotion_gym.envs.codec` has the plain one, the protocol and the names."""
