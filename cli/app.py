"""The command: its options, its subcommands, and what each ends with.

Everything that takes time to import is imported where it is used: ``--help`` must answer at once.
"""

from typing import Annotated

import typer

from . import options as o
from .command_line import CrawlCommand, DefaultGroup

_CRAWL_HELP = """\
Crawl the part of a website that answers a question, and keep it as Markdown files.

Examples:
  adaptive-crawl --query "how to restore a backup" https://docs.example.org/
  adaptive-crawl --query "rate limits" --preset quick -o limits https://api.example.org/docs/
  adaptive-crawl --max-depth 3 https://docs.example.org/guide/     everything below, no query
  adaptive-crawl --resume                                          go on where it stopped

The result is a folder of pages with an index.md in each; the report says why the crawl
ended. Exit codes: 0 answered, 2 wrong usage, 3 nothing fetched, 5 insufficient,
6 irrelevant, 130 interrupted and saved; the README lists all.
"""

app = typer.Typer(
    cls=DefaultGroup,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
config_app = typer.Typer(help="Look at the configuration.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(config_app, name="config")


def main() -> None:
    """Run the command and end the process with its exit code."""
    from . import streams

    streams.use_utf8()
    streams.make_safe()
    try:
        app(prog_name="adaptive-crawl")
    finally:
        streams.flush_all()


def _print_version(wanted: bool = True) -> None:
    if not wanted:
        return
    from adaptive_crawl import __version__

    from . import streams

    streams.write(f"adaptive-crawl {__version__}\n")
    raise typer.Exit


@app.callback()
def _group(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """Crawl the part of a website that answers a question."""


@app.command(cls=CrawlCommand, help=_CRAWL_HELP, short_help="Crawl (the default command).")
def crawl(  # noqa: PLR0917  (Typer reads the options off the signature)
    ctx: typer.Context,
    urls: Annotated[
        list[str] | None, typer.Argument(metavar="URL...", show_default=False, hidden=True)
    ] = None,
    query: o.Query = None,
    strategy: o.Strategy = None,
    preset: o.Preset = None,
    order: o.Order = None,
    confidence: o.Confidence = None,
    min_gain: o.MinGain = None,
    no_early_stop: o.NoEarlyStop = False,
    max_pages: o.MaxPages = None,
    max_depth: o.MaxDepth = None,
    max_rounds: o.MaxRounds = None,
    max_seconds: o.MaxSeconds = None,
    max_requests: o.MaxRequests = None,
    max_bytes: o.MaxBytes = None,
    round_size: o.RoundSize = None,
    scope: o.Scope = None,
    allow_host: o.AllowHost = None,
    include: o.Include = None,
    exclude: o.Exclude = None,
    language: o.Language = None,
    doc_version: o.DocVersion = None,
    allow_private: o.AllowPrivate = False,
    no_site_index: o.NoSiteIndex = False,
    ignore_robots: o.IgnoreRobots = False,
    delay: o.Delay = None,
    concurrency: o.Concurrency = None,
    per_host: o.PerHost = None,
    timeout: o.Timeout = None,
    retries: o.Retries = None,
    max_retry_wait: o.MaxRetryWait = None,
    max_body_bytes: o.MaxBodyBytes = None,
    user_agent: o.UserAgent = None,
    contact: o.Contact = None,
    header: o.Header = None,
    output: o.Output = None,
    download: o.Download = False,
    annotate: o.Annotate = False,
    no_timestamps: o.NoTimestamps = False,
    json: o.Json = False,
    explain: o.Explain = False,
    exit_zero: o.ExitZero = False,
    fail_under: o.FailUnder = None,
    max_failures: o.MaxFailures = None,
    resume: o.Resume = False,
    update: o.Update = False,
    keep_removed: o.KeepRemoved = False,
    fail_on_change: o.FailOnChange = False,
    dry_run: o.DryRun = False,
    config_file: o.ConfigFile = None,
    no_config: o.NoConfig = False,
    verbose: o.Verbose = 0,
    quiet: o.Quiet = False,
    log_file: o.LogFile = None,
) -> None:
    from . import ending

    options = {name: value for name, value in ctx.params.items() if name != "urls"}
    raise typer.Exit(ending.of_crawl(tuple(urls or ()), options))


@app.command(short_help="Print the version, and with --json what it runs on.")
def version(
    json: Annotated[bool, typer.Option("--json", help="As JSON, with Python and platform.")] = False,
) -> None:
    """Print the version."""
    if not json:
        _print_version()
    import platform

    from adaptive_crawl import __version__

    from . import streams

    streams.write_json(
        {
            "version": __version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
        }
    )


@config_app.command("show")
def config_show(
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")] = False,
    config_file: o.ConfigFile = None,
    no_config: o.NoConfig = False,
    preset: o.Preset = None,
) -> None:
    """Print the configuration in force here, as YAML."""
    from . import config_commands, ending

    raise typer.Exit(ending.of(lambda: config_commands.show(origin, config_file, no_config, preset)))


@config_app.command("validate")
def config_validate(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", show_default=False)] = None,
) -> None:
    """Check FILE, or the files that a crawl started here would read, and tell everything that is wrong."""
    from . import config_commands, ending

    raise typer.Exit(ending.of(lambda: config_commands.validate(file)))
