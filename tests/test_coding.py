"""Content codings, a bounded piece at a time."""

import gzip
import zlib
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.fetching import coding

from .hostile import bomb

TEXT = b"".join(b"<p>line %d of a page</p>\n" % number for number in range(20_000))


def decoded(chunks: list[bytes], content_encoding: str) -> tuple[list[bytes], bool]:
    decoder = coding.decoder(content_encoding)
    pieces = [piece for chunk in chunks for piece in decoder.feed(chunk)]
    return pieces, decoder.is_complete


def in_chunks(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 1000, 10**9])
@pytest.mark.parametrize(("coded", "name"), [(gzip.compress(TEXT), "gzip"), (zlib.compress(TEXT), "deflate")])
def test_it_does_not_matter_how_the_bytes_arrive(coded: bytes, name: str, size: int) -> None:
    pieces, is_complete = decoded(in_chunks(coded, size), name)
    assert b"".join(pieces) == TEXT
    assert is_complete


def test_no_piece_is_longer_than_the_bound() -> None:
    pieces, _ = decoded([bomb(5)], "gzip")
    assert max(map(len, pieces)) <= coding.PIECE
    assert sum(map(len, pieces)) == 5_000_000


def test_decoding_goes_no_further_than_it_is_asked_to() -> None:
    pieces = coding.decoder("gzip").feed(bomb(100))
    assert next(pieces) == b"\0" * coding.PIECE


@given(st.binary(min_size=1, max_size=300), st.sampled_from(["gzip", "deflate", "gzip, deflate"]))
def test_no_bytes_make_a_decoder_fail_in_another_way_than_its_own(data: bytes, name: str) -> None:
    try:
        pieces, _ = decoded([data], name)
    except coding.CodingError:
        return
    assert sum(map(len, pieces)) < 10**6


@given(st.binary(max_size=2000), st.integers(1, 50))
def test_every_cut_is_noticed(body: bytes, cut: int) -> None:
    coded = gzip.compress(body)
    _, is_complete = decoded([coded[: -min(cut, len(coded) - 1)]], "gzip")
    assert not is_complete


@pytest.mark.parametrize("name", ["", "identity", " , ", "none"])
def test_no_coding_changes_nothing(name: str) -> None:
    assert decoded([b"abc"], name) == ([b"abc"], True)


@pytest.mark.parametrize("name", ["compress", "gzip, sdch", "gzip, gzip, gzip", "x" * 5000])
def test_what_was_not_offered_is_refused(name: str) -> None:
    with pytest.raises(coding.CodingError) as refused:
        coding.decoder(name)
    assert len(str(refused.value)) < 200


def brotli_coded(data: bytes) -> bytes:
    return bytes(pytest.importorskip("brotli").compress(data))


def zstd_module() -> Any:
    if find_spec("compression") is not None:
        return pytest.importorskip("compression.zstd")
    return pytest.importorskip("backports.zstd")


def zstd_coded(data: bytes) -> bytes:
    return bytes(zstd_module().compress(data))


@pytest.mark.parametrize(("name", "code"), [("br", brotli_coded), ("zstd", zstd_coded)])
class TestWhereInstalled:
    """br and zstd are offered only where a package that can bound its output is installed."""

    def test_they_are_decoded(self, name: str, code: Any) -> None:
        coded = code(TEXT)
        for size in (1, 1000, 10**9):
            pieces, is_complete = decoded(in_chunks(coded, size), name)
            assert b"".join(pieces) == TEXT
            assert is_complete
        assert name in coding.offered()

    def test_a_bomb_comes_in_bounded_pieces(self, name: str, code: Any) -> None:
        coded = code(b"\0" * 50_000_000)
        pieces = coding.decoder(name).feed(coded)
        assert 0 < len(next(pieces)) <= 4 * coding.PIECE

    def test_a_cut_is_noticed(self, name: str, code: Any) -> None:
        coded = code(TEXT)
        _, is_complete = decoded([coded[:-5]], name)
        assert not is_complete

    def test_nonsense_is_refused(self, name: str, code: Any) -> None:
        code(b"")
        with pytest.raises(coding.CodingError):
            decoded([b"<html>no such coding</html>" * 50], name)


def test_two_zstd_frames_are_one_body() -> None:
    pieces, is_complete = decoded([zstd_coded(b"one") + zstd_coded(b"two")], "zstd")
    assert (b"".join(pieces), is_complete) == (b"onetwo", True)


def test_a_zstd_window_of_gigabytes_is_refused() -> None:
    zstd = zstd_module()
    options = {zstd.CompressionParameter.window_log: 27, zstd.CompressionParameter.content_size_flag: 0}
    coder = zstd.ZstdCompressor(options=options)
    coded = coder.compress(TEXT * 40) + coder.flush()
    with pytest.raises(coding.CodingError):
        decoded([coded], "zstd")
