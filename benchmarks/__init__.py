"""Measures on real documentation sites; see README.md. No part of the package."""
