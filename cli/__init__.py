"""The command: flags, environment and files become a configuration, a crawl, a report and an exit code."""
