"""Gymnasium environments in which tool-calling agents serve emotional customers."""

__version__ = "0.1.0"
