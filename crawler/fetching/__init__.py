"""A request → its answer: politely, within bounds, and only from addresses that are allowed.

Starts at ``visit``. What decides (politeness, robots, retry, addresses) is pure; the rest sends and waits.
"""
