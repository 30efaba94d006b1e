"""Words that say nothing of a subject, in the languages that queries come in most."""

_ENGLISH = """
a an and are as at be been being but by can cannot could did do does doing don't doesn't for from had has
have having he her here hers him his how i i'm if in into is isn't it it's its just let may me might mine
must my no nor not of on or our ours shall she should so some such than that the their theirs them then
there these they this those to too us very was we were what when where which while who whom whose why will
with would you your yours
"""
ENGLISH = frozenset(_ENGLISH.split())
"""Prepositions that do tell (``between``, ``without``) and short names (``go``, ``io``, ``c``) are not among
them: how rare a word is on the site weighs those."""

CHARACTERS = frozenset("怎什的了着吗呢吧啊么是在和与或及把被让将就都也很这那我你您他她它们之其此该")
"""Chinese function words of one character, and halves of longer ones."""

_PAIRS = """
怎么 怎样 如何 什么 为何 为什 哪个 哪些 哪里 可以 能否 是否 有没 没有 一个 这个 那个 我们 你们 他们
以及 或者 并且 如果 但是 因为 所以 需要 想要 请问
"""
PAIRS = frozenset(_PAIRS.split())
"""Chinese function words of two characters."""

PARTICLES = frozenset("的了吗呢吧啊么把被让")
"""A pair of characters with one of these joins two words and is none itself, but for ``PARTICLE_WORDS``."""
PARTICLE_WORDS = frozenset(("目的", "了解", "为了", "吧台", "把手", "被动", "让步", "转让", "酒吧"))
