"""Bytes → a page: decoded, parsed once, its content told from boilerplate, links collected, Markdown written.

Starts at ``reader``. Pure: what an answer is depends on its bytes alone.
"""
