"""Emotions: the taxonomy, the 594 conditions, persona text and how affect moves."""
