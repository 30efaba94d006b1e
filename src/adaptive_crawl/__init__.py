"""The part of a website that answers a question, as Markdown files on disk."""

__version__ = "0.1.0"
