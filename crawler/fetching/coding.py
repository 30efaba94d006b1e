"""Content codings undone, a bounded piece at a time: gzip, deflate, and br and zstd where installed.

A decoder never holds more than one piece of what it has decoded: 10 KB can stand for 10 GB, and only the
caller knows how much it wants. Knows bytes only, no HTTP.
"""

import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Protocol

PIECE = 64 * 1024
"""Bytes decoded at a time."""

MOST_CODINGS = 2
"""Codings applied one over the other that are undone; more are no server's mistake."""


class CodingError(Exception):
    """The bytes are not in the coding that was declared."""


class Decoder(Protocol):
    """Undoes one coding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give what these bytes decode to, in pieces of at most ``PIECE`` bytes.

        Raises:
            CodingError: the bytes are not in the coding.
        """

    @property
    def is_complete(self) -> bool:
        """Whether the coded data has come to its proper end."""


class Plain:
    """No coding."""

    is_complete = True

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data


class Zlib:
    """gzip or deflate, whichever it turns out to be.

    Some servers declare gzip and send plain text, or send deflate without its header: what cannot be the
    declared coding from its first bytes on is taken for what it is.
    """

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._start = b""
        self._inner: Any = None
        self._is_plain = False
        self._members = 0

    @property
    def is_complete(self) -> bool:
        if self._inner is None:
            return self._is_plain or not self._start
        return bool(self._inner.eof)

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None and not self._is_plain:
            data = self._start + data
            if len(data) < 2:
                self._start = data
                return
            self._choose(data)
        if self._is_plain:
            yield data
            return
        yield from self._decode(data)

    def _choose(self, start: bytes) -> None:
        if start[:2] == _GZIP_MAGIC:
            self._inner = zlib.decompressobj(16 + zlib.MAX_WBITS)
        elif self._coding == "gzip":
            self._is_plain = True
        elif start[0] & 0x0F == 8 and int.from_bytes(start[:2]) % 31 == 0:
            self._inner = zlib.decompressobj(zlib.MAX_WBITS)
        else:
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)

    def _decode(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inner.eof:
                if data[:2] != _GZIP_MAGIC:
                    return  # Padding after the end means nothing (RFC 1952 leaves it to the reader).
                self._inner = zlib.decompressobj(16 + zlib.MAX_WBITS)
            try:
                piece = self._inner.decompress(data, PIECE)
            except zlib.error as error:
                raise CodingError(f"not valid {self._coding}: {error}") from error
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail
            if piece:
                yield piece


class Zstd:
    """zstd, by the standard library of Python 3.14 or its backport."""

    def __init__(self, zstd: Any) -> None:
        # A frame may ask for a window of gigabytes; on the web it may not (RFC 9659: 8 MB).
        self._options = {zstd.DecompressionParameter.window_log_max: 23}
        self._zstd = zstd
        self._inner = zstd.ZstdDecompressor(options=self._options)

    @property
    def is_complete(self) -> bool:
        return bool(self._inner.eof)

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data or not self._inner.needs_input:
            if self._inner.eof:
                self._inner = self._zstd.ZstdDecompressor(options=self._options)
            try:
                piece = self._inner.decompress(data, PIECE)
            except self._zstd.ZstdError as error:
                raise CodingError(f"not valid zstd: {error}") from error
            data = self._inner.unused_data if self._inner.eof else b""
            if piece:
                yield piece
            if self._inner.eof and not data:
                return


class Brotli:
    """br, by a brotli package that can bound its output."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property
    def is_complete(self) -> bool:
        return bool(self._inner.is_finished())

    def feed(self, data: bytes) -> Iterator[bytes]:
        # The limit is one for memory: a piece may be half as long again. More may be held back than
        # ``can_accept_more_data`` admits, so the end is when nothing more comes.
        while not self._inner.is_finished():
            try:
                piece = self._inner.process(data, output_buffer_limit=PIECE)
            except Exception as error:  # brotli.error derives from nothing narrower
                raise CodingError(f"not valid br: {error}") from error
            if not piece:
                return
            yield piece
            data = b""


class Chain:
    """Several decoders, the one applied last by the server first."""

    def __init__(self, decoders: list[Decoder]) -> None:
        self._decoders = decoders

    @property
    def is_complete(self) -> bool:
        return all(decoder.is_complete for decoder in self._decoders)

    def feed(self, data: bytes) -> Iterator[bytes]:
        return _through(self._decoders, data)


def offered() -> str:
    """Give the value of ``Accept-Encoding``: what :func:`decoder` can undo here."""
    return ", ".join(_CODINGS)


def decoder(content_encoding: str) -> Decoder:
    """Give a decoder for a ``Content-Encoding``.

    Raises:
        CodingError: a coding that was not offered, or more than ``MOST_CODINGS``.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name.removeprefix("x-") for name in names if name not in ("", "identity", "none", "utf-8")]
    if not names:
        return Plain()
    unknown = [name for name in names if name not in _CODINGS]
    if unknown or len(names) > MOST_CODINGS:
        raise CodingError(f"content coding {content_encoding[:60]!r} was not offered")
    decoders = [_CODINGS[name]() for name in reversed(names)]
    return decoders[0] if len(decoders) == 1 else Chain(decoders)


def _through(decoders: list[Decoder], data: bytes) -> Iterator[bytes]:
    if not decoders:
        yield data
        return
    for piece in decoders[0].feed(data):
        yield from _through(decoders[1:], piece)


def _codings() -> dict[str, Callable[[], Decoder]]:
    codings: dict[str, Callable[[], Decoder]] = {
        "gzip": lambda: Zlib("gzip"),
        "deflate": lambda: Zlib("deflate"),
    }
    brotli = _module("brotli")
    # Older releases cannot bound their output; this method came with the one that can.
    if hasattr(getattr(brotli, "Decompressor", None), "can_accept_more_data"):
        codings["br"] = lambda: Brotli(brotli.Decompressor())
    zstd = _module("compression.zstd") or _module("backports.zstd")
    if zstd is not None:
        codings["zstd"] = lambda: Zstd(zstd)
    return codings


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


_GZIP_MAGIC = b"\x1f\x8b"
_CODINGS = _codings()
