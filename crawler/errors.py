"""What can end a run, as opposed to a request (whose trouble is a ``Failure``).

::

    CrawlError
    ├── UsageError          the command line or the configuration is wrong (exit 2)
    ├── LoginError          a site asks for the user and password that a crawl began with (exit 4)
    ├── StateError          the output folder cannot be used as asked (exit 9)
    │   ├── LockedError     another run is at work in it
    │   └── DamagedError    its journal is damaged, foreign, or of a newer version
    ├── StrategyError       a strategy, filter or other plug-in raised; names it (exit 1)
    └── OutputError         the tree or the journal could not be written, as on a full disk (exit 1)
"""


class CrawlError(Exception):
    """Ends the run; the message says what is wrong and the way out."""


class UsageError(CrawlError):
    """The command line or the configuration is wrong."""


class LoginError(CrawlError):
    """A site asks for the user and password that a crawl began with, and they were not given again."""


class StateError(CrawlError):
    """The output folder cannot be used as asked."""


class LockedError(StateError):
    """Another run is at work in the folder."""


class DamagedError(StateError):
    """The journal is damaged, foreign, or of a newer version; it was not touched."""


class StrategyError(CrawlError):
    """A strategy, filter or other plug-in raised."""


class OutputError(CrawlError):
    """The tree or the journal could not be written."""
