"""Bytes → text: which encoding a body is in, by what it says of itself and what its bytes allow.

Order: byte order mark, then what the bytes prove (text that is valid UTF-8 and not plain ASCII is UTF-8,
whatever a server's default header says), then header, ``meta`` and XML declaration, then a guess. Labels
mean what browsers take them for (https://encoding.spec.whatwg.org/#names-and-labels): the larger code
pages that pages are really written in. Knows nothing of HTML beyond where a charset is declared.
"""

import codecs
import re
from dataclasses import dataclass

PRESCAN = 4_096
"""Bytes in which a declaration is looked for; the standard asks for 1,024, pages put it later."""
SAMPLE = 16_384
"""Bytes a guess is made from: more costs time and hardly changes it."""

_PROOF = 8
"""UTF-8 sequences that outweigh the declaration of another multi-byte encoding: each fits by chance in
about one of seven GBK characters."""
_TOLERANCE = 0.002
"""Share of broken characters up to which a declaration is believed."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LABELS = {
    "utf-8": "utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 utf-8-sig utf8mb4",
    "utf-16-le": "utf-16 utf-16le utf16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff",
    "utf-16-be": "utf-16be unicodefffe",
    "gb18030": "gb2312 gbk gb_2312 gb_2312-80 gb-2312 csgb2312 csiso58gb231280 chinese iso-ir-58 x-gbk cp936 "
    "ms936 windows-936 euc-cn",
    "big5hkscs": "big5 big5-hkscs big5-eten cn-big5 csbig5 x-x-big5 cp950 windows-950",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji csshiftjis windows-31j windows-932 ms932 x-ms-cp932",
    "euc_jp": "euc-jp x-euc-jp eucjp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp949": "euc-kr euckr cseuckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 uhc",
    "cp1252": "iso-8859-1 iso8859-1 iso88591 iso_8859-1 latin1 latin-1 l1 ascii us-ascii ansi_x3.4-1968 "
    "windows-1252 x-cp1252 cp819 ibm819 ansi",
    "cp1250": "windows-1250 x-cp1250",
    "cp1251": "windows-1251 x-cp1251 win-1251 win1251",
    "cp1253": "windows-1253 x-cp1253",
    "cp1254": "windows-1254 x-cp1254 iso-8859-9 iso8859-9 latin5 l5",
    "cp1255": "windows-1255 x-cp1255",
    "cp1256": "windows-1256 x-cp1256",
    "cp1257": "windows-1257 x-cp1257",
    "cp1258": "windows-1258 x-cp1258",
    "cp874": "windows-874 iso-8859-11 iso8859-11 tis-620 tis620 dos-874",
    "cp866": "ibm866 csibm866 866",
    "koi8_r": "koi8-r koi8 koi csKOI8R",
    "koi8_u": "koi8-u koi8-ru",
    "mac_roman": "macintosh mac x-mac-roman csmacintosh",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "iso8859_2": "iso-8859-2 iso8859-2 latin2 l2",
    "iso8859_3": "iso-8859-3 iso8859-3 latin3",
    "iso8859_4": "iso-8859-4 iso8859-4 latin4",
    "iso8859_5": "iso-8859-5 iso8859-5 cyrillic",
    "iso8859_6": "iso-8859-6 iso8859-6 arabic",
    "iso8859_7": "iso-8859-7 iso8859-7 greek",
    "iso8859_8": "iso-8859-8 iso8859-8 iso-8859-8-i hebrew logical visual",
    "iso8859_10": "iso-8859-10 iso8859-10 latin6",
    "iso8859_13": "iso-8859-13 iso8859-13",
    "iso8859_14": "iso-8859-14 iso8859-14",
    "iso8859_15": "iso-8859-15 iso8859-15 latin9 l9",
    "iso8859_16": "iso-8859-16 iso8859-16",
}
_CODECS = {label.lower(): codec for codec, labels in _LABELS.items() for label in (codec, *labels.split())}
_MULTI_BYTE = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"})
_BY_LANGUAGE = {"ja": ("cp932", "euc_jp"), "zh": ("gb18030", "big5hkscs"), "ko": ("cp949",)}
_GUESSES = (
    *("cp932", "euc_jp", "euc_jis_2004", "gb18030", "big5hkscs", "cp949", "cp1251", "koi8_r", "cp866"),
    *("cp1252", "cp1250", "iso8859_2", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874"),
)

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META = re.compile(rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([A-Za-z0-9_.:\-]+)""", re.IGNORECASE)
_PROLOGUE = re.compile(rb"""\A\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9_.:\-]+)["']""", re.IGNORECASE)
_LANGUAGE = re.compile(rb"""<html\b[^>]*?\blang\s*=\s*["']?([A-Za-z]{2})""", re.IGNORECASE)
_MARKUP = re.compile(rb"<[^>]*>?|[\t-\r ]+")
_MULTI_BYTE_UTF8 = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and the Python codec it was decoded with."""

    text: str
    encoding: str


def decode(body: bytes, charset: str = "") -> Decoded:
    """Decode a body; ``charset`` is the label that its content type declared. Never raises.

    Bytes that no reading explains become U+FFFD; line ends and everything else stay as they are.
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return Decoded(body[len(mark) :].decode(encoding, "replace"), encoding)
    declared = _declared(body, charset)
    if declared[:1] in (["utf-16-le"], ["utf-16-be"]) and b"\x00" in body[:PRESCAN]:
        return Decoded(body.decode(declared[0], "replace"), declared[0])
    if body.isascii():
        encoding = "iso2022_jp" if "iso2022_jp" in declared and b"\x1b$" in body else "utf-8"
        return Decoded(body.decode(encoding, "replace"), encoding)
    utf8 = _strictly(body, "utf-8")
    if utf8 is not None and not _doubtful(body, declared):
        return Decoded(utf8, "utf-8")
    for encoding in declared:
        text = _strictly(body, encoding)
        if text is not None:
            return Decoded(text, encoding)
    for encoding in declared:
        text = body.decode(encoding, "replace")
        if text.count("\ufffd") <= _TOLERANCE * len(text):
            return Decoded(text, encoding)
    return _guessed(body, declared)


def codec(label: str) -> str:
    """Name of the Python codec that a label of the web means; empty for an unknown one."""
    return _CODECS.get(label.strip().strip("\"'").lower(), "")


def _declared(body: bytes, charset: str) -> list[str]:
    """Codecs declared, the weightiest first."""
    start = _COMMENT.sub(b"", body[:PRESCAN])
    found = [codec(charset)]
    for pattern in (_META, _PROLOGUE):
        match = pattern.search(start)
        named = codec(match[1].decode("ascii")) if match else ""
        found.append("utf-8" if named.startswith("utf-16") else named)  # or it could not have been read
    return list(dict.fromkeys(filter(None, found)))


def _doubtful(body: bytes, declared: list[str]) -> bool:
    """Could a text that happens to be valid UTF-8 be what it declares all the same?"""
    if not declared or declared[0] not in _MULTI_BYTE:
        return False
    sequences = _MULTI_BYTE_UTF8.findall(body[: 64 * PRESCAN])
    return len(sequences) < _PROOF and all(len(sequence) == 2 for sequence in sequences)


def _strictly(body: bytes, encoding: str) -> str | None:
    """Decoded text, if every byte fits; a character cut off at the very end may."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        text = decoder.decode(body)
    except UnicodeDecodeError:
        return _with_vendor_characters(body) if encoding == "euc_jp" else None
    return text + "\ufffd" if decoder.getstate()[0] else text


def _with_vendor_characters(body: bytes) -> str | None:
    """EUC-JP with the NEC and IBM characters that browsers read, and Python's codec does not."""
    try:
        return body.decode("euc_jis_2004")
    except UnicodeDecodeError:
        return None


def _guessed(body: bytes, declared: list[str]) -> Decoded:
    from charset_normalizer import from_bytes

    sample = _MARKUP.sub(b" ", body)[:SAMPLE]
    language = _LANGUAGE.search(body[:PRESCAN])
    spoken = _BY_LANGUAGE.get(language[1].decode().lower(), ()) if language else ()
    for encoding in spoken:
        text = _strictly(body, encoding)
        if text is not None:
            return Decoded(text, encoding)
    # A character cut in two at the end of the sample must not speak against its encoding.
    best = from_bytes(sample[: sample.rfind(b" ") + 1] or sample, cp_isolation=[*_GUESSES]).best()
    encoding = best.encoding if best is not None else ""
    text = body.decode(encoding or "cp1252", "replace")
    for other in ("utf-8", *declared):
        if text.count("\ufffd") > (replaced := body.decode(other, "replace")).count("\ufffd"):
            text, encoding = replaced, other
    return Decoded(text, encoding or "cp1252")
