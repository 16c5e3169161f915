"""The Gymnasium face: spaces, codecs, the environment, the vector environment and their registration.

Kept empty so that registering environments loads none of them; import from the modules.
"""
