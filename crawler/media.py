"""Names of files and their media types: what a URL ends in, before anybody asks what it really is.

A table of our own, since the operating system's differs from machine to machine. Names only: what the bytes
are is decided by those who read them.
"""

import re

ASSETS = frozenset(
    {"css", "less", "scss", "js", "mjs", "cjs", "jsx", "tsx", "vue", "map", "wasm", "swf", "webmanifest"}
    | {"woff", "woff2", "ttf", "otf", "eot", "ico", "cur"}
)
"""Extensions of what a page is built from: no reader wants them as documents."""

MEDIA_TYPES = {
    "pdf": "application/pdf",
    "ps": "application/postscript",
    "eps": "application/postscript",
    "epub": "application/epub+zip",
    "mobi": "application/x-mobipocket-ebook",
    "djvu": "image/vnd.djvu",
    "rtf": "application/rtf",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "json": "application/json",
    "xml": "application/xml",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "zip": "application/zip",
    "tar": "application/x-tar",
    "gz": "application/gzip",
    "tgz": "application/gzip",
    "bz2": "application/x-bzip2",
    "xz": "application/x-xz",
    "zst": "application/zstd",
    "7z": "application/x-7z-compressed",
    "rar": "application/vnd.rar",
    "jar": "application/java-archive",
    "war": "application/java-archive",
    "whl": "application/zip",
    "deb": "application/vnd.debian.binary-package",
    "rpm": "application/x-rpm",
    "apk": "application/vnd.android.package-archive",
    "dmg": "application/x-apple-diskimage",
    "pkg": "application/octet-stream",
    "msi": "application/x-msi",
    "exe": "application/vnd.microsoft.portable-executable",
    "iso": "application/x-iso9660-image",
    "img": "application/octet-stream",
    "bin": "application/octet-stream",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "ogg": "audio/ogg",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "mp4": "video/mp4",
    "m4v": "video/mp4",
    "webm": "video/webm",
    "ogv": "video/ogg",
    "mov": "video/quicktime",
    "avi": "video/x-msvideo",
    "mkv": "video/matroska",
    "wmv": "video/x-ms-wmv",
}
"""Extensions of files that are kept as bytes or not at all, and the media type that each stands for."""

_SYNONYMS = {
    "application/x-pdf": "application/pdf",
    "application/x-gzip": "application/gzip",
    "application/x-zip-compressed": "application/zip",
    "application/x-rar-compressed": "application/vnd.rar",
    "application/x-rar": "application/vnd.rar",
    "application/x-debian-package": "application/vnd.debian.binary-package",
    "application/x-msdownload": "application/vnd.microsoft.portable-executable",
    "application/x-json": "application/json",
    "text/json": "application/json",
    "text/xml": "application/xml",
    "image/jpg": "image/jpeg",
    "image/x-ms-bmp": "image/bmp",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "video/x-matroska": "video/matroska",
}

_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,11})$")


def extension(path: str) -> str:
    """Give the extension of a URL's path, lower case and without its dot; "" where there is none.

    A name that talks about a file is none: ``/wiki/File:Map.png``, ``/tags/node.js`` and ``/Next.js`` are
    pages.
    """
    folders, _, name = path.rpartition("/")
    match = _EXTENSION.search(name)
    if match is None or match.start() == 0:
        return ""
    found = match[1].lower()
    if ":" in name or folders.rpartition("/")[2].lower() in _SHELVES:
        return ""
    return "" if found == "js" and name[0].isupper() else found


_SHELVES = frozenset(
    {"wiki", "w", "tag", "tags", "topic", "topics", "category", "categories", "package", "packages"}
)
"""Folders whose entries are named after anything, files included."""


def canonical_type(media_type: str) -> str:
    """Give a media type its usual name, lower case and without parameters."""
    plain = media_type.partition(";")[0].strip().lower()
    return _SYNONYMS.get(plain, plain)


def extension_of(media_type: str) -> str:
    """Give the extension that files of a media type carry; "" where it says nothing about the file."""
    return _EXTENSIONS.get(canonical_type(media_type), "")


_EXTENSIONS: dict[str, str] = {}
for _extension, _media_type in MEDIA_TYPES.items():
    if _media_type != "application/octet-stream":
        _EXTENSIONS.setdefault(_media_type, _extension)
_EXTENSIONS |= {"image/jpeg": "jpg", "audio/ogg": "ogg", "application/zip": "zip"}
