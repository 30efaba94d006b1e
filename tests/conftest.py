"""What holds for every test."""

from hypothesis import settings

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
