"""Dates as sitemaps and feeds write them → RFC 3339, or "" for what is none.

Knows two ways of writing: ISO 8601 (sitemaps, Atom) and RFC 822 (RSS); no calendar beyond the length of
months, and no clock. The offset is kept as it was given.
"""

import re
from email.utils import parsedate_tz

_ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?"
    r"(?:[T ]\s*(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?)?"
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
LONGEST = 64
"""Characters of a date that is still one."""


def normal_date(text: str) -> str:
    """Give ``2024-05-01T08:00:00+02:00``, or ``2024-05-01`` where no time (or no zone) is said."""
    text = text.strip()[:LONGEST]
    match = _ISO.fullmatch(text)
    if match:
        return _iso(match)
    return _rfc822(text) if text else ""


def _iso(match: re.Match[str]) -> str:
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"] or 1)
    date = _date(year, month, day)
    if not date or match["hour"] is None or match["zone"] is None:
        return date
    time = _time(int(match["hour"]), int(match["minute"]), int(match["second"] or 0))
    return f"{date}T{time}{_zone(match['zone'])}" if time else date


def _rfc822(text: str) -> str:
    try:
        parsed = parsedate_tz(text)
    except (ValueError, IndexError, TypeError, OverflowError):  # it indexes into what it hopes is there
        return ""
    if parsed is None:
        return ""
    year, month, day, hour, minute, second, *_, offset = parsed
    date = _date(year, month, day)
    time = _time(hour, minute, second)
    if not date or not time or offset is None or abs(offset) >= 24 * 3600:
        return date
    minutes = abs(offset) // 60
    sign = "-" if offset < 0 else "+"
    zone = f"{sign}{minutes // 60:02}:{minutes % 60:02}" if minutes else "Z"
    return f"{date}T{time}{zone}"


def _date(year: int, month: int, day: int) -> str:
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]):
        return ""
    return f"{year:04}-{month:02}-{day:02}"


def _time(hour: int, minute: int, second: int) -> str:
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 60):
        return ""
    return f"{hour:02}:{minute:02}:{second:02}"


def _zone(zone: str) -> str:
    if zone[0] not in "+-":
        return "Z"
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return "Z" if digits == "0000" else f"{zone[0]}{digits[:2]}:{digits[2:]}"
