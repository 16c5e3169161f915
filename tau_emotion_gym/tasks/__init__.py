"""Making and checking tasks: the tool graph, walks along it, grounding, replay, and the task sets."""
