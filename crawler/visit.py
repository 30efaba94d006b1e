"""One request, from its turn at the gate to what it brought."""

from dataclasses import dataclass

from .model import Outcome


@dataclass(frozen=True, slots=True)
class Visited:
    """What a visit brought: the outcome, and for the journal the body it was read from."""

    outcome: Outcome
    body: bytes | None = None
    """A page's decoded text in UTF-8, a download's bytes; None for everything else."""
