"""``python -m adaptive_crawl``: the same as the command ``adaptive-crawl``."""

from adaptive_crawl.cli.app import main

main()
