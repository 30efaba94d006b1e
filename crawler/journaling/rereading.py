"""Pages held, read again from their bodies where another reader had read them.

A page in the journal is what a reader made of a body: when the content filter or the reader itself has
changed, the body still tells what the new one would have made of it, and nothing is fetched.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ..fetching.response import Response
from ..model import Outcome, Page
from ..stopping import Stopping
from .journal import Journal


async def read_again(
    journal: Journal, read: Callable[[Response], Outcome], stopping: Stopping | None = None
) -> int:
    """Bring every page in the journal to the reader of the run that has begun; give how many were read.

    Each is durable by itself: told to stop, or killed, the next run goes on with the rest.
    """
    count = 0
    for request, page, body in journal.read_otherwise():
        if stopping is not None and stopping.asked.is_set():
            break
        outcome = await asyncio.to_thread(read, response_of(page, body))
        # The size is what came over the wire, and the crawl's budget was charged with it.
        if isinstance(outcome, Page):
            outcome = replace(outcome, size=page.size, held=page.held)
        journal.reread(request, outcome)
        count += 1
    return count


def response_of(page: Page, body: bytes) -> Response:
    """The answer that a page was read from, as far as a reader can tell: its text is in UTF-8 now."""
    directives = [name for name, on in (("noindex", page.noindex), ("nofollow", page.nofollow)) if on]
    headers = {
        "content-type": f"{page.media_type}; charset=utf-8",
        "content-language": page.language,
        "etag": page.etag,
        "last-modified": page.last_modified,
        "x-robots-tag": ", ".join(directives),
    }
    return Response(
        url=page.url,
        final_url=page.url,
        status=200,
        media_type=page.media_type,
        charset="utf-8",
        headers={name: value for name, value in headers.items() if value},
        body=body,
        fetched_at=page.fetched_at,
    )
