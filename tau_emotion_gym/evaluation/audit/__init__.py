"""The audit of simulated users."""
