"""Facts made durable: every request planned and how it ended, in one file that a crawl resumes from.

Starts at ``journal``.
"""
