"""The words of the scripted customer: phrase tables in JSON, their schema, what a condition draws on."""
