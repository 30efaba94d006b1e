"""``adaptive-crawl config``: what is in force here, and what is wrong with a file."""

import os
from pathlib import Path

from . import streams
from .config import Config, Loaded, Sources, load
from .example import as_yaml
from .layers import Setting


def show(origin: bool, file: str | None, no_config: bool, preset: str | None) -> int:
    """Print the configuration as YAML; with ``origin`` each line says where its value was given."""
    flags = [Setting(("preset",), preset, "--preset")] if preset else []
    loaded = _load(file, no_config, flags)
    streams.write(as_yaml(loaded.config, loaded.origins if origin else None))
    return 0


def validate(file: str | None) -> int:
    """Say that a file, or what a crawl started here would read, is valid; anything wrong is raised."""
    loaded = _load(file, file is not None, [])
    streams.write("".join(f"{warning}\n" for warning in loaded.warnings))
    streams.write("The configuration is valid.\n")
    return 0


def _load(file: str | None, no_config: bool, flags: list[Setting]) -> Loaded[Config]:
    folder = None if no_config else Path.cwd()
    return load(Sources(os.environ, folder, Path(file) if file else None, flags))
